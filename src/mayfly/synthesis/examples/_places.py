"""Places in a text, each said in several ways: counted, or by what stands to its left and right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mayfly.synthesis.examples._ops import BETWEEN, END_OF, LENGTH, LOWER, START_OF, TITLE, UPPER, call
from mayfly.synthesis.examples._task import InputColumn, OutputPiece, SearchTask
from mayfly.synthesis.examples._tree import Expr, Literal, Op

LETTER = r"[^\W\d_]"
TOKENS = {
    r"\d+": 0.0,
    r"[^\W\d_]+": 0.3,
    r"\w+": 0.4,
    r"\S+": 0.2,
    r"[A-Z]+": 0.5,
    r"[a-z]+": 0.7,
    r"[A-Z][a-z]+": 0.4,
    r"\d+(?:[.,]\d+)+": 0.6,
    r"[\w.]+": 0.9,
    r"[\w-]+": 0.8,
    r"[\w.@+-]+": 1.0,
}
CLASSES = {r"\d": 0.0, LETTER: 0.1, r"[A-Z]": 0.3, r"[a-z]": 0.4, r"\s": 0.1, r"\w": 0.3}
VIEWS: tuple[tuple[Op | None, float], ...] = ((None, 0.0), (LOWER, 0.8), (UPPER, 0.8), (TITLE, 0.9))
_KEPT = 4
_MOST_MATCHES = 14
_COMBINED = ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0))


class CutPlace(NamedTuple):
    """A place with its cost, where it is in every text (None where it is not), and how it is said.

    With an operation the place is a match of the pattern, otherwise the index counts characters; None is the end.
    """

    cost: float
    at: tuple[int | None, ...]
    op: Op | None
    pattern: str
    nth: int | None

    def expr(self, text: Expr) -> Expr:
        """Return the expression for the place in a text."""
        if self.op is not None:
            return call(self.op, text, self.pattern, self.nth)
        return call(LENGTH, text) if self.nth is None else Literal(self.nth)


@lru_cache(maxsize=20_000)
def spans(pattern: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return where a pattern matches in a text."""
    return tuple(match.span() for match in re.finditer(pattern, text))


def output_shape(outputs: Sequence[str]) -> str:
    """Return a pattern that fits all outputs if they are runs of the same kinds with the same marks, or nothing."""
    runs = [re.findall(r"\d+|[A-Z]+|[a-z]+|[^\W\d_]+|.", output, re.DOTALL) for output in outputs]
    if not 1 < len(runs[0]) < 16 or len({len(each) for each in runs}) != 1:
        return ""
    parts: list[str] = []
    for column in zip(*runs, strict=True):
        kind = next(
            (
                kind
                for kind in (r"\d", "[A-Z]", "[a-z]", LETTER)
                if all(re.fullmatch(f"{kind}+", run) for run in column)
            ),
            "",
        )
        sizes = {len(run) for run in column}
        if not kind and len(set(column)) != 1:
            return ""
        fixed = kind == r"\d" and len(sizes) == 1
        parts.append((kind + (f"{{{sizes.pop()}}}" if fixed else "+")) if kind else re.escape(column[0]))
    return r"(?<!\w)" + "".join(parts) + r"(?!\w)"


def marks(texts: Iterable[str]) -> list[str]:
    """Return the characters other than letters and digits that all texts have."""
    common: set[str] | None = None
    for text in texts:
        here = {char for char in text if not char.isalnum()}
        common = here if common is None else common & here
    return sorted(common or ())


def shared_words(texts: Sequence[str]) -> list[str]:
    """Return words that all of several texts have: they tell where things are."""
    if len(texts) < 2:
        return []
    common = set.intersection(*[set(re.findall(r"[^\W\d_]{2,}|\d+", text)) for text in texts])
    return sorted(common, key=lambda word: (-len(word), word))[:6]


def places(column: InputColumn, count: int) -> tuple[list[list[CutPlace]], list[list[CutPlace]]]:
    """Return where a piece of the column may start and may end, in groups that are the same on all examples."""
    texts = [text for text in column.texts[:count] if text is not None]
    starts, ends = _Best(count), _Best(count)
    longest = max(len(text) for text in texts)
    for place in _counted(column, min(longest, 24)):
        starts.add(place)
        ends.add(place)
    for pattern, extra in _patterns(texts):
        found = [None if text is None else spans(pattern, text) for text in column.texts]
        least = min((len(each) for each in found[:count] if each is not None), default=0)
        for index, cost in _indices(min(least, _MOST_MATCHES)):
            chosen = [None if each is None or not -len(each) <= index < len(each) else each[index] for each in found]
            first = tuple(None if span is None else span[0] for span in chosen)
            last = tuple(None if span is None else span[1] for span in chosen)
            before = CutPlace(1.0 + extra + cost, first, START_OF, pattern, index)
            after = CutPlace(1.0 + extra + cost, last, END_OF, pattern, index)
            # A mark stands before or after a piece; a word is where a piece starts or ends.
            outer = 0.0 if not pattern.startswith(("\\d", "[", "\\w", "\\S")) else 0.4
            starts.add(before._replace(cost=before.cost + (0.4 - outer)))
            ends.add(after._replace(cost=after.cost + (0.4 - outer)))
            starts.add(after._replace(cost=after.cost + outer))
            ends.add(before._replace(cost=before.cost + outer))
    return starts.all(), ends.all()


def _indices(count: int) -> Iterator[tuple[int, float]]:
    for index in range(count):
        yield index, 0.25 * index
        yield -index - 1, 0.25 * index + 0.15


def _patterns(texts: Sequence[str]) -> Iterator[tuple[str, float]]:
    yield from TOKENS.items()
    yield r"\s+", 0.0
    classes = dict(CLASSES)
    for mark in marks(texts):
        if not mark.isspace():
            yield re.escape(mark), 0.0
            classes[re.escape(mark)] = 0.1
    for word in shared_words(texts):
        yield rf"\b{re.escape(word)}\b", 0.4
    for left, cost in classes.items():
        for right, more in classes.items():
            if left != right and (left[0] != "\\" or right[0] != "\\" or left in CLASSES or right in CLASSES):
                yield f"(?<={left})(?={right})", 0.6 + cost + more


def _counted(column: InputColumn, longest: int) -> Iterator[CutPlace]:
    yield CutPlace(0.1, tuple(None if text is None else 0 for text in column.texts), None, "", 0)
    yield CutPlace(0.1, tuple(None if text is None else len(text) for text in column.texts), None, "", None)
    for number in range(1, longest + 1):
        at = tuple(None if text is None or len(text) < number else number for text in column.texts)
        yield CutPlace(1.1 + 0.1 * number, at, None, "", number)
        back = tuple(None if text is None or len(text) < number else len(text) - number for text in column.texts)
        yield CutPlace(1.3 + 0.1 * number, back, None, "", -number)


class _Best:
    """Keep the cheapest ways of saying each place, a few for each that differ on the challenges."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.groups: dict[tuple[int | None, ...], dict[tuple[int | None, ...], CutPlace]] = {}

    def add(self, place: CutPlace) -> None:
        """Take a place unless it fails on an example or is said more cheaply already."""
        known = place.at[: self.count]
        if None in known:
            return
        group = self.groups.setdefault(known, {})
        if place.at not in group or place.cost < group[place.at].cost:
            group[place.at] = place

    def all(self) -> list[list[CutPlace]]:
        """Return what was kept, in groups, the cheapest of each first."""
        return [sorted(group.values(), key=lambda kept: kept.cost)[:_KEPT] for group in self.groups.values()]


class PlacedPieces:
    """Find the pieces of one column that continue the outputs from given places on."""

    def __init__(self, column: InputColumn, task: SearchTask) -> None:
        self.column, self.task = column, task
        count = task.count
        starts, ends = places(column, count)
        self.ends: dict[int, list[list[CutPlace]]] = {}
        for group in ends:
            self.ends.setdefault(group[0].at[0] or 0, []).append(group)
        self.views = list(self._views())
        self.starts: list[dict[str, list[list[CutPlace]]]] = [{} for _ in self.views]
        for number, (_, _, texts) in enumerate(self.views):
            for group in starts:
                at = group[0].at[0] or 0
                if at < len(texts[0]):
                    self.starts[number].setdefault(texts[0][at], []).append(group)

    def _views(self) -> Iterator[tuple[Op | None, float, list[str]]]:
        texts = [text or "" for text in self.column.texts[: self.task.count]]
        seen: list[list[str]] = []
        for op, cost in VIEWS:
            changed = texts if op is None else [str(op.run(text)) for text in texts]
            if changed not in seen and all(len(a) == len(b) for a, b in zip(texts, changed, strict=True)):
                seen.append(changed)
                yield op, cost, changed

    def at(self, state: tuple[int, ...]) -> Iterator[OutputPiece]:
        """Yield every piece that all outputs have at the places of *state*."""
        outputs = self.task.outputs
        if any(place >= len(output) for place, output in zip(state, outputs, strict=True)):
            return
        for number, (op, cost, texts) in enumerate(self.views):
            for group in self.starts[number].get(outputs[0][state[0]], ()):
                reach: list[int] = []
                for text, at, output, place in zip(texts, group[0].at, outputs, state, strict=False):
                    reach.append(_common(text, at or 0, output, place))
                    if not reach[-1]:
                        break
                else:
                    yield from self._ended(group, op, cost, reach)

    def _ended(self, starts: list[CutPlace], op: Op | None, cost: float, reach: list[int]) -> Iterator[OutputPiece]:
        first = starts[0].at
        origin = first[0] or 0
        for place in range(origin + 1, origin + reach[0] + 1):
            for ends in self.ends.get(place, ()):
                if all(0 < (b or 0) - (a or 0) <= most for a, b, most in zip(first, ends[0].at, reach, strict=False)):
                    for left, right in _COMBINED:
                        if left < len(starts) and right < len(ends):
                            yield self._atom(starts[left], ends[right], op, cost)

    def _atom(self, start: CutPlace, end: CutPlace, op: Op | None, cost: float) -> OutputPiece:
        cuts = zip(self.column.texts, start.at, end.at, strict=True)
        values = tuple([_cut(text, a, b) for text, a, b in cuts])
        if op is not None:
            values = tuple([None if value is None else str(op.run(value)) for value in values])
        return OutputPiece(0.8 + start.cost + end.cost + cost, self._expr(start, end, op), values)

    def _expr(self, start: CutPlace, end: CutPlace, op: Op | None) -> Expr:
        text = self.column.expr
        whole = (start.op, start.nth, end.op, end.nth) == (None, 0, None, None)
        expr = text if whole else call(BETWEEN, text, start.expr(text), end.expr(text))
        return expr if op is None else call(op, expr)


def _common(text: str, start: int, output: str, place: int) -> int:
    size = 0
    most = min(len(text) - start, len(output) - place)
    while size < most and text[start + size] == output[place + size]:
        size += 1
    return size


def _cut(text: str | None, start: int | None, end: int | None) -> str | None:
    if text is None or start is None or end is None or start > end:
        return None
    return text[start:end]
