"""Render rows as a Markdown table and read it back."""

ARGUMENT = [{"name": "tea", "price": 2.5}, {"name": "a | b", "price": 10}, {"name": "日本", "price": None}]


def render(rows):
    headers = list(rows[0])
    cells = [[str("" if row[h] is None else row[h]).replace("|", "\\|") for h in headers] for row in rows]
    widths = [max(len(line[i]) for line in [headers, *cells]) for i in range(len(headers))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths)) + " |" for line in [headers, *cells]]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def main(argument):
    table = render(argument)
    print(table)
    return {"lines": table.splitlines(), "width": len(table.splitlines()[0])}
