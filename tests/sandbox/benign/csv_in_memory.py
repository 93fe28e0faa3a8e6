"""csv with StringIO: read, total, write."""

import csv
import io

ARGUMENT = 'name,amount,note\nAda,10.5,"a, b"\nAlan,3,"say ""hi"""\nAda,1.5,\n'


def main(argument):
    rows = list(csv.DictReader(io.StringIO(argument)))
    totals = {}
    for row in rows:
        totals[row["name"]] = totals.get(row["name"], 0.0) + float(row["amount"])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerow(["name", "total"])
    writer.writerows(sorted(totals.items()))
    return {"rows": rows, "csv": out.getvalue(), "dialect": csv.Sniffer().sniff("a;b;c\n1;2;3\n").delimiter}
