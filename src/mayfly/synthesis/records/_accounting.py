"""Count the lines of a file by what became of them. This text stands behind a program, and runs where that runs."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import duckdb

# The lines that a scan refused, with their numbers; of several scans in one statement the last tells of all.
ENDS = (b"\n", b"\r\n")
REFUSED = """
SELECT line, any_value(csv_line)
FROM reject_errors
WHERE scan_id = (SELECT max(scan_id) FROM reject_scans)
GROUP BY line
ORDER BY line
"""


# The lines of a file that DuckDB unpacks, as it knows by the ending of its name.
PACKED = (".gz", ".zst")
UNPACKED = """
SELECT line
FROM read_csv(
    $path, auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, delim = chr(10), quote = '',
    escape = '', strict_mode = false, max_line_size = 16777216, force_not_null = ['line'], store_rejects = true
)
"""


def lines_of(path: str) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is packed those that are not UTF-8 come last."""
    if not path.lower().endswith(PACKED):
        with open(path, "rb") as file:
            yield from file
        return
    reader = duckdb.cursor()
    for statement, parameters in ((UNPACKED, {"path": path}), (REFUSED, {})):
        found = reader.execute(statement, parameters)
        while rows := found.fetchmany(1000):
            yield from (f"{row[-1] or ''}\n".encode() for row in rows)


def records_in(path: str, quoted: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a file with the numbers of their first lines; *quoted* cells may go over several."""
    held, began = b"", 0
    for number, line in enumerate(lines_of(path), start=1):
        began = began if held else number
        held += line
        if quoted and held.count(b'"') % 2:
            continue
        yield began, held
        held = b""
    if held:
        yield began, held


def read_text(line: bytes) -> str:
    """Return a line as text, without its end and a byte order mark."""
    return line.decode("utf-8", "replace").strip("\ufeff\r\n")


def told(
    lines: int, used: int, filtered: int, bad: list[tuple[int, str]], number: int, empty: int, header: int
) -> dict[str, object]:
    """Return the account by its names; *bad* has the first of a number of lines that were not understood."""
    first = min(bad, default=None)
    return {
        "lines": lines,
        "used": used,
        "filtered": filtered,
        "not_understood": number,
        "empty": empty,
        "header": header,
        "first_not_understood": None if first is None else {"line": first[0], "text": first[1][:200]},
    }


def scanned(statement: str, path: str, absent: list[str]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement about a file, and let only the lines that it refuses be known."""
    duckdb.execute("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")
    parameters: dict[str, object] = {"path": path}
    return duckdb.execute(statement, parameters | ({"absent": absent} if "$absent" in statement else {})).fetchall()


def refused_lines() -> list[tuple[int, str]]:
    """Return the lines that the last scan refused; a condition that nothing can pass makes no scan."""
    try:
        found = duckdb.execute(REFUSED).fetchall()
    except duckdb.CatalogException:
        return []
    return [(number, (text or "").strip("\ufeff\r\n")) for number, text in found]


def account_of_lines(path: str, scan: str, used: str, absent: list[str]) -> dict[str, object]:
    """Account for a file of lines: *scan* tells them by kinds, *used* counts the rows that pass a condition."""
    kinds = {kind: (number, place, text) for kind, number, place, text in scanned(scan, path, absent)}
    refused = refused_lines()
    understood, empty, header, bad = (kinds.get(kind, (0, 0, ""))[0] for kind in ("used", "empty", "header", "bad"))
    first = refused[:1]
    if bad:
        _, place, text = kinds["bad"]
        # A line that was refused before it has no number among the others.
        for number, _ in refused:
            place += number <= place
        first.append((place, text))
    kept = scanned(used, path, absent)[0][0] if used else understood
    number = len(refused) + bad
    return told(understood + empty + header + number, kept, understood - kept, first, number, empty, header)


def account_of_table(
    path: str, scan: str, used: str, absent: list[str], header: list[str], skip: int, passed: str, delimiter: str,
    quoted: bool, all_used: bool,
) -> dict[str, object]:  # fmt: skip
    """Account for a table: *scan* counts rows with cells that do not fit, *used* rows that pass a condition, and all.

    Where a statement used *all* rows, the lines that it refused tell how many there were, but for quotes left open.
    """
    unfit, headings, place = scanned(scan, path, absent)[0][:3] if scan else (0, 0, None)
    refused = dict(refused_lines())
    rows, kept = None, None
    if not all_used or quoted or any("\n" in text.strip() for text in refused.values()):
        kept, rows = scanned(used, path, absent)[0][:2]
        refused = dict(refused_lines())
    lines, empty = counted(path, quoted)
    empty += sum(not text.strip() for text in refused.values())
    above = [read_text(line) for _, line in islice(records_in(path, quoted), skip + bool(header))]
    strange = bool(header) and len(above) > skip and not is_header(above[-1], header, "", delimiter)
    again = {number for number, text in refused.items() if is_header(text, header, passed, delimiter)}
    headers = sum(bool(text.strip()) for text in above) - strange + len(again) + headings
    bad = [number for number, text in refused.items() if text.strip() and number not in again]
    bad += [len(above)] if strange else []
    understood = lines - empty - headers - len(bad) - unfit if rows is None else rows
    # A quote that is left open takes the lines below it along.
    number = max(lines - empty - headers - understood, len(bad) + unfit)
    if place is not None:
        bad.append(nth_row(path, place, len(above), refused, quoted))
    kept = understood if kept is None else kept
    first = [record_at(path, min(bad), quoted)] if bad else []
    account = told(understood + number + empty + headers, kept, understood - kept, first, number, empty, headers)
    # Cells are read by their places: under other names they would be taken for what they are not.
    return {**account, "other_header": above[-1]} if strange else account


def account_of_two(
    paths: list[str], used: str, absent: list[str], first: dict[str, object], second: dict[str, object]
) -> dict[str, object]:
    """Account for two inputs whose rows stand side by side; *used* counts those that pass a condition, and all."""
    parameters: dict[str, object] = {"first": paths[0], "second": paths[1]}
    found = duckdb.execute(used, parameters | ({"absent": absent} if "$absent" in used else {})).fetchall()
    kept, rows = found[0][:2]
    return {**first, "used": kept, "filtered": rows - kept, "second": second}


def counted(path: str, quoted: bool) -> tuple[int, int]:
    """Return how many records a file has, and how many of them are empty lines."""
    lines = empty = 0
    if quoted:
        for _, line in records_in(path, quoted):
            lines += 1
            empty += line in ENDS
        return lines, empty
    for line in lines_of(path):
        lines += 1
        if line in ENDS:
            empty += 1
    return lines, empty


def is_header(text: str, header: list[str], passed: str, delimiter: str) -> bool:
    """Whether a line is the header, or one of those that are passed over."""
    if passed and re.fullmatch(passed, text):
        return True
    cells = next(csv.reader([text], delimiter=delimiter), [])
    return bool(header) and [cell.strip() for cell in cells] == header


def nth_row(path: str, place: int, above: int, refused: dict[int, str], quoted: bool) -> int:
    """Return which record of a file is the row at a place among those that were read."""
    for number, (_, line) in enumerate(records_in(path, quoted), start=1):
        place -= number > above and line not in ENDS and number not in refused
        if not place:
            return number
    return 0


def record_at(path: str, place: int, quoted: bool) -> tuple[int, str]:
    """Return the number of the line in which a record begins, and its text."""
    for number, (began, line) in enumerate(records_in(path, quoted), start=1):
        if number == place:
            return began, read_text(line)
    return place, ""
