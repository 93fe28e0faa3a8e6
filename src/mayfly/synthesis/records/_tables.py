"""Recognise tables: cells between delimiters, with or without a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from mayfly.synthesis.records import _align, _kinds
from mayfly.synthesis.records._cells import cut, join_quoted
from mayfly.synthesis.records._model import Field, Format
from mayfly.synthesis.records._outside import (
    COMMENT,
    RULE,
    blank_pattern,
    closing_pattern,
    commented_names,
    joined,
    title_patterns,
    total_row,
    without_comments,
)
from mayfly.synthesis.records._places import PROBED

DELIMITERS = ("\t", ",", ";", "|")
# So many lines have to be as wide as the header; what the others hold is told, not guessed.
ENOUGH_ROWS = 0.55
# Without a header more of them have to, since nothing else shows that this is a table.
ENOUGH_BARE = 0.75
# So many lines above a header may say what the table is about.
MOST_TITLES = 12
# With fewer colons a line may be a name and its value, or hold a time of day.
FEWEST_COLONS = 3
LONGEST_HEAD = 1000
_NAME = re.compile(r"[^\W\d][^\n]{0,60}|[_@#%€$][\w .%()/-]{0,60}|[0-9]{4}|[Qq][1-4]")
_SPOKEN = re.compile(r": |(?:^|[ T])[0-9]{1,2}:[0-9]{2}")
_WORDS = frozenset({"csv", "tsv", "comma", "tab", "separated", "delimited", "spreadsheet", "iis", "w3c"})

Cells = list[str]


@dataclass(frozen=True, kw_only=True)
class _Sheet:
    """Lines cut at one delimiter, before anybody knows what is in them."""

    delimiter: str
    multiline: bool
    lines: list[str]
    rows: list[Cells]
    width: int

    @cached_property
    def used(self) -> int:
        """How many columns hold something: a border at the edges of lines leaves empty ones."""
        full = [row for row in self.rows if len(row) == self.width]
        return sum(any(column) for column in zip(*full, strict=True))

    @property
    def share(self) -> float:
        """How many of the lines are as wide as most of them."""
        fitting = sum(
            line.count("\n") + 1 for line, row in zip(self.lines, self.rows, strict=True) if len(row) == self.width
        )
        return fitting / max(1, sum(line.count("\n") + 1 for line in self.lines))


def detect_delimited(lines: Sequence[str]) -> Format | None:
    """Return the table that the lines are, cut at the delimiter that leaves fewest of them over."""
    kept = without_comments(lines)
    commented = len(kept) < len(lines)
    sheets = sorted(_sheets(kept), key=lambda sheet: (-round(sheet.share, 1), -sheet.width))
    for sheet in sheets:
        names = commented_names(lines, partial(cut, delimiter=sheet.delimiter), sheet.width.__eq__)
        found = _with_header(sheet, commented, names) or _without_header(sheet, commented, names)
        if found is not None:
            return found
    return None


def _sheets(lines: Sequence[str]) -> Iterator[_Sheet]:
    for delimiter in (*DELIMITERS, *([":"] if _are_cut_by_colons(lines) else [])):
        if sum(delimiter in line for line in lines) < len(lines) * 0.4:
            continue
        single = _sheet(delimiter, list(lines), False)
        if single and any(line.count('"') % 2 for line in lines):
            width = len(cut(lines[0], delimiter))
            joined = [text for _, text in join_quoted(lines, delimiter, max(width, single.width))]
            several = _sheet(delimiter, joined, True)
            # Cells over several lines are what they are if fewer lines are left over so.
            single = several if several and several.share > single.share else single
        if single:
            yield single


def _are_cut_by_colons(lines: Sequence[str]) -> bool:
    """Say whether colons stand between cells as in a file of users: often, and in no sentence and no time of day."""
    number = lines[0].count(":") if lines else 0
    if number < FEWEST_COLONS:
        return False
    return not any(line.count(":") != number or _SPOKEN.search(line) for line in lines)


def _sheet(delimiter: str, lines: list[str], multiline: bool) -> _Sheet | None:
    rows = [cut(line, delimiter) for line in lines]
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return None
    width = widths.most_common(1)[0][0]
    if width > _align.MOST_COLUMNS:
        return None
    return _Sheet(delimiter=delimiter, multiline=multiline, lines=lines, rows=rows, width=width)


def _with_header(sheet: _Sheet, commented: bool, names: Sequence[str]) -> Format | None:
    """Return a table with a header; below *names* in a comment only one that cannot be a row is a header."""
    place = next((at for at in range(min(MOST_TITLES, len(sheet.rows))) if _could_be_header(sheet, at)), None)
    if place is None:
        return None
    header = sheet.rows[place]
    last = closing_pattern(sheet.lines, lambda line: sheet.delimiter in line)
    blank = blank_pattern(sheet.lines, sheet.delimiter)
    outside = re.compile(joined([RULE, last, blank]))
    body = [
        (line, row)
        for line, row in zip(sheet.lines[place + 1 :], sheet.rows[place + 1 :], strict=True)
        if row != header and not outside.fullmatch(line)
    ]
    full = [row for _, row in body if len(row) == sheet.width]
    extended = header if len(header) == sheet.width else [*header, ""]
    if len(full) < len(body) * ENOUGH_ROWS or not is_header(extended, full) or (names and not _tells(extended, full)):
        return None
    titles = _titles(sheet, place, extended)
    passed = title_patterns(sheet.lines[:place], sheet.lines[place:])
    units = _units_below(full)
    if units:
        passed.append(re.escape(next(line for line, row in body if row == full[0])))
        full = full[1:]
    if total_row(full) and body[-1][1] == full[-1]:
        passed.append(re.escape(body[-1][0]))
        full = full[:-1]
    found = table("table", full, titles, sheet.delimiter, units=units)
    return replace(
        found,
        header=tuple(header),
        multiline=sheet.multiline,
        passed=joined([*passed, *([COMMENT] if commented else []), last, blank, RULE]),
    )


def _could_be_header(sheet: _Sheet, place: int) -> bool:
    """Say whether a row is as wide as the others and holds names; one cell less where all rows end in a delimiter."""
    row = sheet.rows[place]
    if len(row) == sheet.width - 1 and len(row) > 1:
        return all(not other[-1] for other in sheet.rows if len(other) == sheet.width) and all(map(_is_name, row))
    filled = [cell for cell in row if cell]
    if len(row) != sheet.width or len(filled) < max(1, sheet.used * 0.6) or not all(map(_is_name, filled)):
        return False
    below = sheet.rows[place + 1] if place + 1 < len(sheet.rows) else []
    grouped = len(filled) < len(row) or len(set(filled)) < len(filled)
    further = sheet.rows[place + 2] if place + 2 < len(sheet.rows) else []
    return not (grouped and len(below) == sheet.width and _are_names(below) and further and not _are_names(further))


def _are_names(row: Cells) -> bool:
    """Say whether a row holds names and hardly a hole."""
    filled = [cell for cell in row if cell]
    return len(filled) >= len(row) * 0.6 and all(_is_name(cell) and not cell.isdigit() for cell in filled)


def _is_name(cell: str) -> bool:
    return bool(_NAME.fullmatch(cell)) and len(cell.split()) <= 8


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row holds names: hardly one of them twice, and none a value of its column."""
    if not rows:
        # Only a header: names as programs write them, or nothing can be said.
        return (
            len(first) > 1
            and len(set(first)) == len(first)
            and all(re.fullmatch(r"[A-Za-z_][\w .-]{0,40}", cell) for cell in first)
        )
    columns = list(zip(*rows[:: max(1, len(rows) // PROBED)], strict=True))
    if any(cell and cell in column for cell, column in zip(first, columns, strict=True)):
        return False
    # Names stand once, values come again.
    again = any(len(set(column)) <= len(column) // 2 for column in columns if len(column) > 3)
    return again or _tells(first, rows) or all(re.fullmatch(r"[a-z_][a-z0-9_ ]*", cell) for cell in first)


def _tells(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Say whether a column is of a kind that its name is not, or holds numbers."""
    columns = zip(*rows[:: max(1, len(rows) // PROBED)], strict=True)
    pairs = [(cell, column) for cell, column in zip(first, columns, strict=True) if any(column)]
    return any(
        _align.is_number_column(column) or (_align.typed(column) and not _align.typed([cell])) for cell, column in pairs
    )


def _titles(sheet: _Sheet, place: int, header: Sequence[str]) -> list[str]:
    """Return the names of the columns; where they come again, with what the row above them says."""
    names = [cell or ("index" if at == 0 else f"column {at + 1}") for at, cell in enumerate(header)]
    above = sheet.rows[place - 1] if place else []
    if len(above) != len(header) or len(set(header)) == len(header):
        return names
    group = ""
    joined = []
    for at, (over, name) in enumerate(zip(above, names, strict=True)):
        group = over or group
        again = f"{group} {name}".strip() if names.count(name) > 1 else name
        joined.append(again if header[at] else over or name)
    return joined


def _units_below(rows: Sequence[Cells]) -> list[str]:
    """Return the units that a row right below the header names, if there is one."""
    if len(rows) < 4:
        return []
    first, rest = rows[0], list(zip(*rows[1 : PROBED + 1], strict=True))
    numbers = [at for at, column in enumerate(rest) if any(column) and _align.is_number_column(column)]
    named = [first[at] for at in numbers]
    if not numbers or not all(re.fullmatch(r"[\[(]?[A-Za-zµ°%€$£/²³. ]{1,12}[\])]?", cell) for cell in named):
        return []
    if any(cell in column for cell, column in zip(first, rest, strict=True) if cell):
        return []
    return [cell.strip("[]()") if at in numbers else "" for at, cell in enumerate(first)]


def _without_header(sheet: _Sheet, commented: bool, names: Sequence[str]) -> Format | None:
    """Return a table that begins with its first row; *names* stood in a comment above it, if there are any."""
    rows = [row for row in sheet.rows if len(row) == sheet.width]
    if len(rows) < len(sheet.rows) * ENOUGH_BARE:
        return None
    if not names:
        if sheet.delimiter == "|" or not _plain_cells(rows, sheet.lines):
            return None
        names = [_name_by_look([row[at] for row in rows], at) for at in range(sheet.width)]
    found = table("table without a header", rows, names, sheet.delimiter)
    passed = COMMENT if commented else ""
    return replace(found, multiline=sheet.multiline, passed=passed)


def _name_by_look(column: Sequence[str], at: int) -> str:
    present = [cell for cell in column if cell not in _kinds.ABSENT]
    if found := _kinds.looks(present):
        return found
    field = _kinds.describe(f"column {at + 1}", present)
    known = {"B": "size", "s": "duration", "ms": "duration"}.get(field.unit, "") if field.numeric else ""
    return "date" if field.kind == "time" else known or field.name


def _plain_cells(rows: Sequence[Sequence[str]], lines: Sequence[str]) -> bool:
    """Whether cells hold bare values, and enough of them are of a kind to make this a table."""
    columns = list(zip(*rows[:: max(1, len(rows) // PROBED)], strict=True))
    telling = sum(map(_align.tells, columns))
    bare = "\t" in lines[0] or not any(_align.is_dressed(column) for column in columns)
    prose = any(len(row[0].split()) > 6 for row in rows)
    return bare and not prose and (telling > 0 or any('"' in line for line in lines) or len(columns) > 2)


def table(
    name: str,
    rows: Sequence[Sequence[str]],
    titles: Sequence[str],
    delimiter: str,
    *,
    units: Sequence[str] = (),
) -> Format:
    """Return the format of rows that are all as wide as there are titles."""
    columns = [[row[at] for row in rows] for at in range(len(titles))]
    english = delimiter != ";"
    # What programs print for people has no metres in it, but minutes.
    first = _kinds.Habits(english=english, spans=name == "columns")
    fields = _describe(titles, columns, units, first)
    habits = _kinds.habits_of(fields, english=english)
    if any(field.trouble for field in fields) and habits != _kinds.Habits(english=english):
        fields = _describe(titles, columns, units, habits)
    return Format(
        name=name,
        kind="delimited",
        fields=(*fields, *_joined_moment(fields)),
        delimiter=delimiter,
        width=len(titles),
        words=_WORDS,
    )


def _describe(
    titles: Sequence[str], columns: Sequence[Sequence[str]], units: Sequence[str], habits: _kinds.Habits
) -> list[Field]:
    fields: list[Field] = []
    for at, title in enumerate(titles):
        # A column without a name and without a value is what a delimiter at the end of lines leaves.
        if re.fullmatch(r"column [0-9]+|index", title) and not any(columns[at]):
            continue
        unique = _kinds.identifier(title, [field.name for field in fields])
        unit = units[at] if units else ""
        field = _kinds.describe(unique, columns[at], path=(title,), unit=unit, habits=habits)
        again = sum(one.path == (title,) for one in fields)
        fields.append(replace(field, optional=True, columns=(at,), heading=f"{title} {again + 1}" if again else ""))
    return fields


def _joined_moment(fields: Sequence[Field]) -> list[Field]:
    """Return a column made of a date and a time of day that stand in two of them."""
    dates = [one for one in fields if one.kind == "time" and "%Y" in one.layout and ":" not in one.layout]
    clocks = [one for one in fields if one.kind == "time" and one.layout in ("%H:%M:%S%F", "%H:%M")]
    taken = {word for one in fields for word in (one.name.lower(), one.title.lower())}
    if len(dates) != 1 or len(clocks) != 1 or "timestamp" in taken:
        return []
    layout = f"{dates[0].layout} {clocks[0].layout}"
    columns = (*dates[0].columns, *clocks[0].columns)
    return [Field(name="timestamp", kind="time", role="timestamp", optional=True, layout=layout, columns=columns)]


def detect_w3c(lines: Sequence[str]) -> Format | None:
    """Recognise logs that name their fields in a comment."""
    head = next((line for line in lines if line.startswith("#Fields:")), None)
    if head is None:
        return None
    names = head.removeprefix("#Fields:").split()
    tabbed = "\t" in head.removeprefix("#Fields:").strip()
    cells = [line.split("\t") if tabbed else line.split() for line in lines if not line.startswith("#")]
    rows = [row for row in cells if len(row) == len(names)]
    if not rows or len(rows) < len(cells) * ENOUGH_ROWS:
        return None
    found = table("W3C log", rows, names, "\t" if tabbed else " ")
    # The standard says that this one field is in milliseconds.
    fields = tuple(replace(field, unit="ms") if field.path == ("time-taken",) else field for field in found.fields)
    return replace(found, fields=fields, passed="#.*")
