"""Recognise columns as programs print them for people: a header, and spaces between the cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mayfly.synthesis.records import _align
from mayfly.synthesis.records._cells import cut_spaced
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._tables import (
    ENOUGH_ROWS,
    LONGEST_HEAD,
    MOST_TITLES,
    PROBED,
    RULE,
    Cells,
    is_number_column,
    table,
)


def detect_spaced(lines: Sequence[str]) -> Format | None:
    """Recognise what programs print for people: a header and columns with spaces between them.

    Lines above the header may say what the table is about, if they do not look like its rows.
    """
    for place in range(min(MOST_TITLES, len(lines))):
        if place and not _is_header_below(lines, place):
            continue
        found = _detect_below(lines[place:])
        if found is not None:
            titles = [re.escape(line) for line in lines[:place]]
            return replace(found, passed="|".join(dict.fromkeys([*titles, found.passed])))
    return None


def _is_header_below(lines: Sequence[str], place: int) -> bool:
    """Say whether a line that is not the first is a header: a rule stands below it, and the lines above are text."""
    ruled = place + 1 < len(lines) and re.fullmatch(RULE, lines[place + 1])
    width = len(cut_spaced(lines[place], "  ", 0, rest=False))
    return bool(ruled) and all(len(cut_spaced(line, "  ", 0, rest=False)) != width for line in lines[:place])


def _detect_below(lines: Sequence[str]) -> Format | None:
    """Recognise a table whose header is the first line."""
    head, rest = lines[0], [line for line in lines[1:] if line != lines[0] and not re.fullmatch(RULE, line)]
    if not rest or len(head) > LONGEST_HEAD or not (re.search("[A-Z%]", head) or _is_above_numbers(head, rest)):
        return None
    wide = cut_spaced(head, "  ", 0, rest=False)
    words = head.split()
    choices = [(wide, "  "), (words, " "), (_merged_names(head, rest), " ")]
    if head[0] == " " and all(len(line.split()) == len(words) + 1 for line in rest):
        choices.insert(0, (["name", *words], " "))
    for names, delimiter in choices:
        fits = len(names) >= (2 if delimiter == "  " else 3) and _named(names)
        if fits and (found := _cut_by(delimiter, names, head, rest)) is not None:
            return found
    return _placed(head, rest, wide) if len(wide) > 2 and _named(wide) else None


def _cut_by(delimiter: str, names: Sequence[str], head: str, rest: Sequence[str]) -> Format | None:
    """Return the table that lines make when they are cut at spaces; None where too few fit the header."""
    rows = [cut_spaced(line, delimiter, len(names), rest=True) for line in rest]
    full = [row for row in rows if len(row) == len(names)]
    if len(full) < len(rows) * ENOUGH_ROWS or not (delimiter == "  " or _tells(full)):
        return None
    # Where some lines have empty cells, the places below the header tell what belongs where.
    if delimiter == "  " and len(full) < len(rows) * 0.95 and (cut_by_place := _placed(head, rest, names)):
        return cut_by_place
    found = table("columns", full, names, delimiter)
    header = cut_spaced(head, delimiter, len(names), rest=True)
    return replace(found, header=tuple(header), rest=delimiter == " ", passed=RULE, total=len(rows))


def _merged_names(head: str, lines: Sequence[str]) -> list[str]:
    """Return the words of a header, those together that stand above one value in most lines."""
    places = [(found.start(), found.end()) for found in re.finditer(r"\S+", head)]
    alone = Counter[int]()
    probe = lines[:: max(1, len(lines) // PROBED)]
    for line in probe:
        for found in re.finditer(r"\S+", line[: len(head)]):
            above = [at for at, (start, end) in enumerate(places) if start < found.end() and found.start() < end]
            alone.update(above[:1])
    names: list[str] = []
    for at, (start, end) in enumerate(places):
        if names and alone[at] * 2 < len(probe):
            names[-1] += f" {head[start:end]}"
        else:
            names.append(head[start:end])
    return names


def _is_above_numbers(head: str, lines: Sequence[str]) -> bool:
    """Say whether a line of small words stands above columns that are numbers, all but the first."""
    rows = [line.split()[-len(head.split()) :] for line in lines[:PROBED]]
    if re.search("[0-9]", head) or len({len(row) for row in rows}) != 1 or len(head.split()) < 2:
        return False
    return sum(is_number_column(column) for column in zip(*rows, strict=True)) >= len(rows[0]) - 1


def _tells(rows: Sequence[Cells]) -> bool:
    return any(_align.typed(column) or is_number_column(column) for column in zip(*rows[:PROBED], strict=True))


def _placed(head: str, lines: Sequence[str], names: Sequence[str]) -> Format | None:
    """Cut a table below the beginnings of its names, if a gap stands before each of these in all lines."""
    stops = []
    at = 0
    for name in names:
        at = head.index(name, at)
        stops.append(at)
        at += len(name)
    stops[0] = 0
    fitting = [line for line in lines if all(line[stop - 1 : stop] in ("", " ") for stop in stops[1:])]
    if len(fitting) < len(lines) * 0.95:
        return None
    cells = [
        [line[start:stop].strip() for start, stop in zip(stops, [*stops[1:], None], strict=True)] for line in fitting
    ]
    found = table("columns", cells, names, "  ")
    header = tuple(head[start:stop].strip() for start, stop in zip(stops, [*stops[1:], None], strict=True))
    return replace(found, header=header, stops=tuple(stops), passed=RULE, total=len(lines))


def _named(cells: Sequence[str]) -> bool:
    # A few names begin with a number: df prints "1K-blocks".
    name = r"[^\W\d][\w .%()/-]*|%\w+|\d+[A-Z]-\w+"
    return len(set(cells)) == len(cells) and all(re.fullmatch(name, cell) for cell in cells)
