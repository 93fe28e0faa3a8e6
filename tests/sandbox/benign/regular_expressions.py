"""Named groups, substitution by a function, verbose patterns, look-around and splitting."""

import re

ARGUMENT = "2024-05-06 ERROR [db] timeout after 30s; 2024-05-07 WARN [web] slow after 5s"

LINE = re.compile(
    r"""
    (?P<date>\d{4}-\d{2}-\d{2})\s+   # the day
    (?P<level>[A-Z]+)\s+
    \[(?P<part>\w+)\]\s+
    (?P<text>[^;]+)
    """,
    re.VERBOSE,
)


def main(argument):
    return {
        "rows": [match.groupdict() for match in LINE.finditer(argument)],
        "doubled": re.sub(r"(\d+)s", lambda match: f"{int(match[1]) * 2}s", argument),
        "swapped": re.sub(r"(\w+)@(\w+)", r"\2 at \1", "user@host"),
        "split": re.split(r"[;,]\s*", "a; b,c"),
        "ahead": re.findall(r"\b\w+(?=!)", "stop! go on!"),
        "behind": re.findall(r"(?<=\$)\d+", "$5 and 6 and $7"),
        "flags": re.findall(r"^a", "a\nA\nb", re.IGNORECASE | re.MULTILINE),
        "full": bool(re.fullmatch(r"[\w.]+@[\w.]+\.\w+", "me@example.org")),
        "escaped": re.escape("a.b*c"),
        "lazy": re.search(r"<(.+?)>", "<a><b>")[1],
    }
