"""Learn the shape of lines nobody described, by laying them side by side.

What all lines share is fixed text; what differs is a value. Lines are cut at separators that occur equally
often in each, quotes and brackets are opened, names before an equals sign become field names, and what cannot be cut
is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import or_

from mayfly.synthesis.records import _kinds, _mask
from mayfly.synthesis.records._model import Fixed
from mayfly.synthesis.records._numbers import convention_of

SEPARATORS = (
    "\t",
    " || ",
    " | ",
    "|",
    " :: ",
    "::",
    " ; ",
    ";",
    " ~ ",
    "~",
    "^",
    " -- ",
    " - ",
    " => ",
    " -> ",
    ", ",
    ",",
)
INNER = ("=", ":", "/", "#", "@")
PAIRS = {"[": "]", "(": ")", "{": "}", "<": ">", '"': '"', "'": "'"}
_KEY = re.compile(r"[A-Za-z_@][\w.\-]*(?:=|: ?|=> ?)")
_MEASURED = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)( ?[A-Za-zµ%]+)")
_WORD = re.compile(r"[A-Za-z][\w'-]*[.,:;!?]?")
MOST_COLUMNS = 300
TYPED = frozenset({"int", "float", "time", "bool"})


@dataclass(frozen=True, kw_only=True)
class Hole:
    """Hold the texts found in one place of every line, and whether quotes stood around them."""

    texts: tuple[str, ...]
    quoted: bool = False


Piece = Fixed | Hole


def learn(texts: Sequence[str], depth: int = 0) -> list[Piece]:
    """Return what *texts* have in common, as fixed text and holes."""
    if depth > 12 or not any(texts):
        return [Hole(texts=tuple(texts))]
    for step in (_whole, _wrapped, _keyed, _measured, _separated, _spaced, _inner):
        if (found := step(texts, depth + 1)) is not None:
            return found
    return [Hole(texts=tuple(texts))]


def typed(texts: Sequence[str]) -> bool:
    """Whether the texts are values of one telling kind."""
    present = [text for text in texts if text not in _kinds.ABSENT]
    return bool(present) and (_kinds.kind_of(present) in TYPED or bool(_kinds.looks(present)))


def tells(texts: Sequence[str]) -> bool:
    """Whether the texts are values of one telling kind, or numbers with signs and units around them."""
    return typed(texts) or is_number_column(texts)


def is_number_column(texts: Sequence[str]) -> bool:
    """Whether the texts are numbers, in one convention."""
    convention = convention_of([text for text in texts if text not in _kinds.ABSENT])
    return convention is not None and not convention.trouble


def _whole(texts: Sequence[str], _: int) -> list[Piece] | None:
    if typed(texts):
        return [Hole(texts=tuple(texts))]
    if len(texts) > 1 and len(set(texts)) == 1 and texts[0] not in _kinds.ABSENT and not _holds_value(texts[0]):
        return [Fixed(texts[0])]
    return None


def _holds_value(text: str) -> bool:
    """Whether a text that never changes may still hold a value: a number, a key with its value, something quoted."""
    return any(character.isdigit() for character in text) or bool(_KEY.match(text)) or text[0] in PAIRS or " " in text


def _wrapped(texts: Sequence[str], depth: int) -> list[Piece] | None:
    opening = texts[0][:1]
    closing = PAIRS.get(opening, "")
    if not closing or not all(_is_wrapped(text, opening, closing) for text in texts):
        return None
    inner = [text[1:-1] for text in texts]
    if opening == '"':
        return [Fixed(opening), Hole(texts=tuple(inner), quoted=True), Fixed(closing)]
    return [Fixed(opening), *_padded(inner, depth), Fixed(closing)]


def _is_wrapped(text: str, opening: str, closing: str) -> bool:
    if len(text) < 2 or text[0] != opening or text[-1] != closing:
        return False
    if opening == closing:
        return opening not in re.sub(r"\\.", "", text[1:-1])
    return closing not in text[1:-1] and opening not in text[1:-1]


def _keyed(texts: Sequence[str], depth: int) -> list[Piece] | None:
    found = _KEY.match(texts[0])
    if not found or not all(text.startswith(found[0]) for text in texts):
        return None
    rest = [text[found.end() :] for text in texts]
    if not any(rest):
        return [Fixed(found[0])]  # The value is the next word, as in "from: 1.14".
    held: list[Piece] = [Hole(texts=tuple(rest))] if len(set(rest)) == 1 and " " not in rest[0] else learn(rest, depth)
    return [Fixed(found[0]), *held]


def _measured(texts: Sequence[str], _: int) -> list[Piece] | None:
    found = [_MEASURED.fullmatch(text) for text in texts]
    units = {match[2] for match in found if match}
    if not all(found) or len(units) != 1:
        return None
    return [Hole(texts=tuple(match[1] for match in found if match)), Fixed(units.pop())]


def _separated(texts: Sequence[str], depth: int) -> list[Piece] | None:
    masked = [_mask.mask(text) for text in texts]
    for separator in SEPARATORS:
        counts = {line.text.count(separator) for line in masked}
        if len(counts) == 1 and 0 < max(counts) < MOST_COLUMNS:
            return _columns(masked, separator, depth)
    return None


def _columns(masked: Sequence[_mask.Masked], separator: str, depth: int) -> list[Piece]:
    rows = [line.split(separator) for line in masked]
    pieces: list[Piece] = []
    for index in range(len(rows[0])):
        if index:
            pieces.append(Fixed(separator))
        pieces.extend(_padded([row[index] for row in rows], depth))
    return pieces


def _padded(column: Sequence[str], depth: int) -> list[Piece]:
    """Learn a column; spaces that fill it up to a width belong to the fixed text around it."""
    stripped = [cell.strip(" ") for cell in column]
    if list(column) == stripped or not any(stripped):
        return learn(stripped, depth)
    before = {len(cell) - len(cell.lstrip(" ")) for cell in column if cell.strip()}
    after = {len(cell) - len(cell.rstrip(" ")) for cell in column if cell.strip()}
    return [*_spaces(before), *learn(stripped, depth), *_spaces(after)]


def _spaces(widths: set[int]) -> list[Piece]:
    """Return the fixed text of so many spaces; three stand for any number of them, two for one or more."""
    if len(widths) == 1:
        width = widths.pop()
        return [Fixed(" " if width == 1 else "  ")] if width else []
    return [Fixed("   " if 0 in widths else "  ")]


def _spaced(texts: Sequence[str], depth: int) -> list[Piece] | None:
    rows = [_mask.mask(text).split_spaces() for text in texts]
    widths = {len(row) for row in rows}
    if widths == {1} or max(widths) > MOST_COLUMNS:
        return None
    if len(widths) == 1 and len(texts) > 1:
        return _joined(_merged([[row[index] for row in rows] for index in range(widths.pop())]), depth)
    return _ragged(rows, depth)


def _joined(columns: Sequence[Sequence[str]], depth: int) -> list[Piece]:
    pieces: list[Piece] = []
    for column in columns:
        pieces.extend([Fixed("  ")] if pieces else [])
        pieces.extend(learn(column, depth))
    return pieces


def _merged(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Put the prose at the end of a line together again: words that differ from line to line."""
    start = len(columns)
    while start > 0 and _is_prose(columns[start - 1]):
        start -= 1
    if len(columns) - start < 2:
        return [list(column) for column in columns]
    tail = [" ".join(cells) for cells in zip(*columns[start:], strict=True)]
    return [*(list(column) for column in columns[:start]), tail]


def _is_prose(column: Sequence[str]) -> bool:
    return not structured(column) and all(_WORD.fullmatch(cell) for cell in column)


def structured(column: Sequence[str]) -> bool:
    """Whether a column says something of its own: one kind, one key, one pair of brackets, or few different words."""
    if _telling(column):
        return True
    distinct = set(column)
    return len(column) > 1 and (len(distinct) == 1 or len(distinct) <= len(column) // 4)


def _ragged(rows: Sequence[list[str]], depth: int) -> list[Piece] | None:
    """Learn lines of different length: columns from the left, columns from the right, text in between."""
    shortest = min(len(row) for row in rows)
    telling = [index for index in range(shortest) if _telling([row[index] for row in rows])]
    head = telling[-1] + 1 if telling else 0
    while head and sum(len(row) <= head for row in rows) * 10 > len(rows):
        head -= 1
    tail = 0
    while tail < shortest - head and _ends([row[-1 - tail] for row in rows]):
        tail += 1
    if head + tail == 0:
        return None
    between = [" ".join(row[head : len(row) - tail]) for row in rows]
    columns = [[row[index] for row in rows] for index in range(head)]
    last = [[row[len(row) - tail + index] for row in rows] for index in range(tail)]
    middle: list[Piece] = [Hole(texts=tuple(between))] if any(between) else []
    groups: list[list[Piece]] = [_joined(columns, depth), middle, _joined(last, depth)]
    pieces: list[Piece] = []
    for group in filter(None, groups):
        pieces.extend([Fixed("  "), *group] if pieces else group)
    return pieces


def is_dressed(column: Sequence[str]) -> bool:
    """Whether something stands around or behind every value of a column: brackets, a key, a unit."""
    return bool(_keyed(column, 12) or _measured(column, 12) or _wrapped(column, 12))


def _telling(column: Sequence[str]) -> bool:
    """Whether a column is of one kind or dressed alike, and not just a word that could begin a sentence."""
    return typed(column) or is_dressed(column)


def _ends(column: Sequence[str]) -> bool:
    """Whether a column at the end of lines is a value of its own and not the last word of a sentence."""
    return len(column) > 2 and _telling(column)


def _inner(texts: Sequence[str], depth: int) -> list[Piece] | None:
    """Cut single words at a sign inside them, if values of a telling kind come out, as in an address and its port."""
    masked = [_mask.mask(text) for text in texts]
    for separator in INNER:
        rows = [line.split(separator) for line in masked]
        if len({len(row) for row in rows}) != 1 or len(rows[0]) == 1:
            continue
        columns = [[row[index] for row in rows] for index in range(len(rows[0]))]
        kinds = [typed(column) for column in columns]
        same = [len(set(column)) == 1 for column in columns]
        if (all(map(or_, kinds, same)) and any(kinds)) or _is_qualified(columns):
            return _columns(masked, separator, depth)
    return _bracketed(texts, depth)


def _is_qualified(columns: Sequence[Sequence[str]]) -> bool:
    """Say whether words have one of few others behind a sign, as in curl/stable; what varies at its end is a path."""
    if len(columns) != 2 or len(columns[1]) < 8 or not all(map(_WORD.fullmatch, columns[1])):
        return False
    first, last = (len(set(column)) for column in columns)
    return 1 < last <= len(columns[1]) // 4 and last < first and all(columns[0])


def _bracketed(texts: Sequence[str], depth: int) -> list[Piece] | None:
    """Part a word from what follows it in brackets, where all words are written so."""
    brackets = [re.fullmatch(r"([^\[\](){}<>]+)([\[(<{])([^\[\](){}<>]*)([\])>}])(:?)", text) for text in texts]
    if all(brackets) and len({(m[2], m[4], m[5]) for m in brackets if m}) == 1:
        found = [m for m in brackets if m]
        inside = learn([m[3] for m in found], depth)
        outside = learn([m[1] for m in found], depth)
        return [*outside, Fixed(found[0][2]), *inside, Fixed(found[0][4] + found[0][5])]
    return None
