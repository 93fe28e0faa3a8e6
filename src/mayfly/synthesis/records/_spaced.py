"""Recognise columns as programs print them for people: a header, and spaces between the cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.synthesis.records import _align, _places
from mayfly.synthesis.records._cells import cut_spaced, cut_wide
from mayfly.synthesis.records._model import Format
from mayfly.synthesis.records._outside import (
    COMMENT,
    RULE,
    closing_pattern,
    commented_names,
    joined,
    title_patterns,
    total_row,
)
from mayfly.synthesis.records._places import PROBED
from mayfly.synthesis.records._tables import (
    ENOUGH_ROWS,
    LONGEST_HEAD,
    MOST_TITLES,
    Cells,
    table,
)

# So many lines have to be cut into all their cells, each below its name, before anything else is tried.
NEARLY_ALL = 0.95
BELOW = 0.9
# A header without a rule below it may have so many lines of text above it.
MOST_BARE_TITLES = 3


class _Cut(NamedTuple):
    """Lines cut into cells at spaces or at wide gaps; those that have one for every name."""

    names: list[str]
    delimiter: str
    full: list[Cells]
    sure: bool


def detect_ruled(lines: Sequence[str]) -> Format | None:
    """Recognise a table whose header has groups of dashes below it: these show where every column is."""
    for place in range(min(MOST_TITLES, len(lines) - 2)):
        found = _places.of_rule(lines[place], lines[place + 1])
        if found is None or not _named(found.names):
            continue
        below, titles = _below(lines, place)
        if made := _placed(found, below, ENOUGH_ROWS):
            return replace(made, passed=joined([*titles, made.passed]))
    return None


def detect_spaced(lines: Sequence[str]) -> Format | None:
    """Recognise what programs print for people: a header and columns with spaces between them.

    Lines above the header may say what the table is about, if they do not look like its rows.
    """
    if (found := _below_comment(lines)) is not None:
        return found
    best: Format | None = None
    for place in range(min(MOST_TITLES, len(lines))):
        if place and not _is_header_below(lines, place, ruled=place > MOST_BARE_TITLES):
            continue
        below, titles = _below(lines, place)
        found = _detect_below(below)
        # A title has fewer words than the header below it has names.
        if found is not None and (best is None or found.width > best.width):
            best = replace(found, passed=joined([*titles, found.passed]))
    return best


def _below_comment(lines: Sequence[str]) -> Format | None:
    """Recognise rows of words whose columns a comment above them names; the last column may take the rest of a line."""
    rest = [line for line in lines if not re.fullmatch(COMMENT, line)]
    if not rest or len(rest) == len(lines):
        return None
    widths = Counter(len(line.split()) for line in rest)

    def enough(width: int) -> bool:
        return width > 2 and sum(count for one, count in widths.items() if one >= width) >= len(rest) * ENOUGH_ROWS

    names = commented_names(lines, str.split, enough)
    rows = [row for line in rest if names and len(row := line.split(None, len(names) - 1)) == len(names)]
    exact = widths[len(names)] >= len(rest) * NEARLY_ALL
    # Running text has as many words now and then, but not the same few ones in every place.
    if not rows or not (_tells(rows) if exact else _few_each(rows)):
        return _below_wide_comment(lines, rest)
    found = table("columns", rows, names, " ")
    return replace(found, rest=True, passed=joined([COMMENT, RULE]))


def _below_wide_comment(lines: Sequence[str], rest: Sequence[str]) -> Format | None:
    """Recognise columns that stand below the names in a comment, which wide gaps part."""
    above = [line for line in lines[: len(lines) - len(rest)] if re.fullmatch(COMMENT, line)]
    for line in reversed(above):
        head = line.replace("#", " ")
        if len(cut_wide(head)) > 2 and (found := _detect_below([head, *rest])):
            return replace(found, passed=joined([COMMENT, found.passed]))
    return None


def _few_each(rows: Sequence[Cells]) -> bool:
    """Say whether every column but the last holds few different words, or values of one kind."""
    return all(_align.structured(column) for column in list(zip(*rows, strict=True))[:-1])


def _below(lines: Sequence[str], place: int) -> tuple[list[str], list[str]]:
    """Return a header with what is below it, and the patterns of what is above, which may come again on every page."""
    titles = title_patterns(lines[:place], lines[place:])
    again = re.compile(joined(titles) or r"(?!)")
    return [line for line in lines[place:] if not again.fullmatch(line)], titles


def _is_header_below(lines: Sequence[str], place: int, *, ruled: bool) -> bool:
    """Say whether a line that is not the first is a header: below it is a rule or what it names, above it are texts."""
    if place + 1 >= len(lines):
        return False
    width = len(cut_wide(lines[place]))
    if any(len(cut_wide(line)) == width for line in lines[:place]):
        return False
    if re.fullmatch(RULE, lines[place + 1]):
        return True
    return not ruled and not re.search("[0-9]", lines[place])


def _detect_below(lines: Sequence[str]) -> Format | None:
    """Recognise a table whose header is the first line."""
    head, rest = lines[0], [line for line in lines[1:] if line != lines[0] and not re.fullmatch(RULE, line)]
    if not rest or len(head) > LONGEST_HEAD or not (re.search("[A-Z%]", head) or _is_above_values(head, rest)):
        return None
    cuts = [cut for names, delimiter in _choices(head, rest) if (cut := _cut_by(delimiter, names, head, rest))]
    places = _telling_places(head, rest)
    # Names with one space between them look like one where the cells below them do, too; their places tell.
    number = len(places.names) if places else 0
    chosen = next((cut for cut in cuts if cut.sure and len(cut.names) >= number), None)
    if chosen is None and places and (made := _placed(places, lines, NEARLY_ALL)):
        return made
    chosen = chosen or next(iter(cuts), None)
    return _table_of(chosen, head) if chosen else None


def _telling_places(head: str, rest: Sequence[str]) -> _places.Places | None:
    """Return the places below the words of a header, if these are names, and wide gaps or values show a table."""
    places = _places.of_names(head, rest)
    if places is None or len(places.names) < 3 or not _named(places.names):
        return None
    wide = len(cut_wide(head)) > 2
    return places if wide or _tells([places.cut(line) for line in rest[:PROBED]]) else None


def _choices(head: str, rest: Sequence[str]) -> list[tuple[list[str], str]]:
    """Return the ways in which the names of a header may be told apart, each with what then stands between cells."""
    choices = [(cut_wide(head), "  "), (head.split(), " "), (_merged_names(head, rest), " ")]
    return [
        (names, delimiter)
        for names, delimiter in choices
        if len(names) >= (2 if delimiter == "  " else 3) and _named(names)
    ]


def _cut_by(delimiter: str, names: list[str], head: str, rest: Sequence[str]) -> _Cut | None:
    """Cut lines at spaces; None where too few fit the header."""
    cut = [(line, cut_spaced(line, delimiter, len(names), rest=True)) for line in rest]
    full = [(line, row) for line, row in cut if len(row) == len(names)]
    rows = [row for _, row in full]
    if len(full) < len(rest) * ENOUGH_ROWS or not (delimiter == "  " or _tells(rows)):
        return None
    exact = all(" " not in row[-1] for row in rows) or delimiter == "  "
    probe = full[:: max(1, len(full) // PROBED)]
    # A last cell that takes the rest of its line hides that the others stand below the wrong names.
    below = exact or sum(_places.are_below(names, head, *one) for one in probe) >= len(probe) * BELOW
    return _Cut(names, delimiter, rows, below and len(full) >= len(rest) * NEARLY_ALL)


def _table_of(cut: _Cut, head: str) -> Format:
    found = table("columns", cut.full, cut.names, cut.delimiter)
    header = cut_spaced(head, cut.delimiter, len(cut.names), rest=True)
    return replace(found, header=tuple(header), rest=cut.delimiter == " ", passed=RULE)


def _placed(places: _places.Places, lines: Sequence[str], enough: float) -> Format | None:
    """Return the table of a header and the lines below it, cut at places; None where too few lines have gaps there."""
    head = places.cut(lines[0])
    last = closing_pattern(lines, places.is_row)
    outside = re.compile(joined([RULE, last]))
    below = [line for line in lines[1:] if not outside.fullmatch(line) and places.cut(line) != head]
    fitting = [line for line in below if places.fits(line)]
    if not fitting or len(fitting) < len(below) * enough:
        return None
    rows = [places.cut(line) for line in fitting]
    passed = [last, RULE]
    if total_row(rows):
        passed.insert(0, re.escape(fitting[-1]))
        rows = rows[:-1]
    found = table("columns", rows, places.names, "  ")
    return replace(found, header=tuple(head), stops=tuple(places.stops), passed=joined(passed))


def _merged_names(head: str, lines: Sequence[str]) -> list[str]:
    """Return the words of a header; those with one space between them together that stand above one value."""
    words = _places.words_of(head)
    probe = lines[:: max(1, len(lines) // PROBED)]
    alone = _places.words_below(words, probe)
    names: list[str] = []
    for at, word in enumerate(words):
        if names and alone[at] * 2 < len(probe) and word.start - words[at - 1].end == 1:
            names[-1] += f" {word.text}"
        else:
            names.append(word.text)
    return names


def _is_above_values(head: str, lines: Sequence[str]) -> bool:
    """Say whether a line of small words stands above columns of which all but the first, or one in wide gaps, tell."""
    probe = lines[:PROBED]
    if re.search("[0-9]", head) or len(head.split()) < 2:
        return False
    wide = [cut_wide(line) for line in (head, *probe)]
    if len(wide[0]) > 2 and len({len(row) for row in wide}) == 1 and _tells(wide[1:]):
        return True
    rows = [line.split()[-len(head.split()) :] for line in probe]
    if len({len(row) for row in rows}) != 1:
        places = _places.of_names(head, probe)
        rows = [places.cut(line) for line in probe] if places else []
    return bool(rows) and sum(map(_align.is_number_column, zip(*rows, strict=True))) >= len(rows[0]) - 1


def _tells(rows: Sequence[Cells]) -> bool:
    return any(map(_align.tells, zip(*rows[:PROBED], strict=True)))


def _named(cells: Sequence[str]) -> bool:
    # A few names begin with a number: df prints "1K-blocks".
    name = r"[^\W\d][\w .%()/:#+-]*|%\w+|#|\d+[A-Z]-\w+"
    return len(set(cells)) == len(cells) and all(re.fullmatch(name, cell) for cell in cells)
