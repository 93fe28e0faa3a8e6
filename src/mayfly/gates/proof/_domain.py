"""The inputs a program can be given: everything that is tried beside its tests is made here and nowhere else.

They come from the inputs of examples and tests and from the sample of the data, so that a crash or a disagreement on
one of them says something: it could have been asked. The same content gives the same inputs.

A `Shape` learns what inputs look like and makes others that look the same. Types never change and formats stay: a text
keeps its signs and the kinds of its words and numbers, a number stays between those that were seen, a record keeps the
keys that all records had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from mayfly.core import canonical_json, content_hash
from mayfly.gates._entry import Entry
from mayfly.gates.proof._test_source import Case
from mayfly.gates.proof._values import ProofOptions, Suite

# Runs of one kind of letter; any other sign stands for itself.
_RUN = re.compile(r"[A-Z][a-z]+|[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+|.", re.DOTALL)
# A record whose keys are as many as this and hardly shared is a mapping from one thing to another.
_MANY_KEYS = 12
# A list may have so many times as many items as the longest that was seen.
_STRETCH = 2

_Test = Callable[[list[object]], bool]


def runs(text: str) -> list[str]:
    """Cut a text into words, numbers and signs."""
    return _RUN.findall(text)


def _kind(run: str) -> str:
    if run.isdigit() and run.isascii():
        return "0"
    if not run[0].isalpha():
        return run
    if not run.isascii():
        return "foreign"
    return "a" if run.islower() else "A" if run.isupper() else "Aa"


class Numbers(NamedTuple):
    """Hold the range of numbers that were seen, and how many digits they had behind the point."""

    least: float
    most: float
    digits: int
    whole: bool

    def another(self, random: Random) -> float:
        """Return a number inside the range, often one of its ends."""
        if self.whole:
            low, high = int(self.least), int(self.most)
            return random.choice((low, high, random.randint(low, high), random.randint(low, high)))
        between = round(random.uniform(self.least, self.most), self.digits)
        return random.choice((self.least, self.most, between, between))


class Shape:
    """What a set of values has in common, and so for everything inside them."""

    def __init__(self, values: Sequence[object]) -> None:
        self.values = list(values)
        self._learn_numbers()
        self._learn_texts()
        lists: list[list[object]] = [value for value in values if isinstance(value, list)]
        self.lengths = sorted(map(len, lists))
        self.ascending, self.unique = _all_long(lists, _is_ascending), _all_long(lists, _is_unique)
        self.placed = self._learn_places(lists)
        items = [item for value in lists for item in value]
        self.items = Shape(items) if items and not self.placed else None
        self._learn_keys([value for value in values if isinstance(value, dict)])

    def _learn_numbers(self) -> None:
        """Remember the range of whole numbers and of others, each by itself: 3 is no 3.0."""
        whole = [value for value in self.values if isinstance(value, int) and not isinstance(value, bool)]
        other = [value for value in self.values if isinstance(value, float)]
        digits = max((len(repr(value).partition(".")[2]) for value in other), default=0)
        self.whole = Numbers(min(whole), max(whole), 0, True) if whole else None
        self.other = Numbers(min(other), max(other), min(digits, 15), False) if other else None

    def _learn_texts(self) -> None:
        """Remember for each form of a text what stood at each of its places."""
        self.forms: dict[tuple[str, ...], list[list[str]]] = {}
        for value in self.values:
            if isinstance(value, str):
                cut = runs(value)
                pools = self.forms.setdefault(tuple(map(_kind, cut)), [[] for _ in cut])
                for pool, run in zip(pools, cut, strict=True):
                    pool.append(run)
        # Of a text of several lines each line has a form of its own.
        held = [value.split("\n") for value in self.values if isinstance(value, str) and "\n" in value]
        self.lines = Shape([line for lines in held for line in lines[1:]]) if held else None

    def _learn_places(self, lists: Sequence[list[object]]) -> list[Shape]:
        """Return a shape for each place where lists all have one length and hold different things, as arguments do."""
        if not lists or len(set(self.lengths)) != 1 or not 1 < self.lengths[0] < _MANY_KEYS:
            return []
        kinds = [{type(value[place]) for value in lists} for place in range(self.lengths[0])]
        if all(kind == kinds[0] for kind in kinds):
            return []
        return [Shape([value[place] for value in lists]) for place in range(self.lengths[0])]

    def _learn_keys(self, records: Sequence[dict[str, object]]) -> None:
        """Remember the keys that all records have, those that some have, and what they hold."""
        named: dict[str, list[object]] = {}
        for record in records:
            for key, value in record.items():
                named.setdefault(key, []).append(value)
        self.required = {key for key, held in named.items() if len(held) == len(records)}
        shared = sum(len(held) for held in named.values()) / max(1, len(records) * len(named))
        self.mapping = len(named) > _MANY_KEYS and shared < 1 / 2
        self.keys = {} if self.mapping else {key: Shape(held) for key, held in named.items()}
        self.key = Shape(list(named)) if self.mapping else None
        self.value = Shape([one for held in named.values() for one in held]) if self.mapping else None

    # Making others.

    def another(self, value: object, random: Random) -> object:
        """Return a value of this shape that differs a little from *value*, now and then another one that was seen."""
        if random.random() < 0.15:
            return random.choice(self.values)
        if isinstance(value, bool) or value is None:
            return random.choice(self.values)
        if isinstance(value, int):
            return int(self.whole.another(random)) if self.whole else value
        if isinstance(value, float):
            return self.other.another(random) if self.other else value
        if isinstance(value, str):
            return self._text(value, random)
        if isinstance(value, list):
            return self._list(value, random)
        return self._record(value, random) if isinstance(value, dict) else value

    def _text(self, value: str, random: Random) -> str:
        if "\n" in value.strip("\n") and self.lines is not None:
            return self._several_lines(value, self.lines, random)
        cut = runs(value)
        pools = self.forms.get(tuple(map(_kind, cut)))
        if not pools:
            return value
        places = [at for at, run in enumerate(cut) if run[0].isalnum()]
        for at in random.sample(places, min(len(places), random.choice((1, 1, 2, 3)))):
            cut[at] = _another_run(cut[at], pools[at], random)
        return "".join(cut)

    def _several_lines(self, value: str, shape: Shape, random: Random) -> str:
        """Change, leave out or repeat one line behind the first, which may be a header."""
        lines = value.split("\n")
        at = random.randrange(1, len(lines))
        ways = [
            [*lines[:at], str(shape.another(lines[at], random)), *lines[at + 1 :]],
            [*lines[:at], str(shape.another(lines[at], random)), *lines[at + 1 :]],
            [*lines[:at], lines[at], *lines[at:]],
            lines[:at] + lines[at + 1 :],
        ]
        return "\n".join(random.choice(ways))

    def _list(self, value: list[object], random: Random) -> list[object]:
        if self.placed and len(value) == len(self.placed):
            at = random.randrange(len(value))
            return [*value[:at], self.placed[at].another(value[at], random), *value[at + 1 :]]
        changed = list(value)
        for _ in range(random.choice((1, 1, 2, 3))):
            changed = self._edited(changed, random)
        if self.unique:
            changed = list({repr(item): item for item in changed}.values())
        return sorted(changed, key=_by_value) if self.ascending else changed

    def _edited(self, value: list[object], random: Random) -> list[object]:
        at = random.randrange(len(value)) if value else 0
        least, most = self.lengths[0], max(self.lengths[-1] * _STRETCH, 1)
        ways: list[list[object]] = [value[::-1], value[at:] + value[:at]]
        if len(value) > max(least, 1) or (value and least == 0):
            ways += [value[:at] + value[at + 1 :], value[: max(least, 1)]]
        if value and self.items is not None:
            other = self.items.another(value[at], random)
            ways += [[*value[:at], other, *value[at + 1 :]]] * 3
        if self.items is not None and len(value) < most:
            ways += [
                [*value[:at], random.choice(self.items.values), *value[at:]],
                [*value[:at], *value[at:][:1], *value[at:]],
            ]
        return random.choice(ways)

    def _record(self, value: dict[str, object], random: Random) -> dict[str, object]:
        if not value:
            return value
        key = random.choice(list(value))
        if self.mapping and self.key is not None and self.value is not None:
            renamed = str(self.key.another(key, random)) if random.random() < 0.3 else key
            return {
                **{name: held for name, held in value.items() if name != key},
                renamed: self.value.another(value[key], random),
            }
        if key not in self.required and random.random() < 0.5:
            return {name: held for name, held in value.items() if name != key}
        shape = self.keys.get(key)
        return value if shape is None else {**value, key: shape.another(value[key], random)}


def _another_run(run: str, pool: Sequence[str], random: Random) -> str:
    """Return what else may stand in a place: what was seen there, or a number between those that were."""
    seen = random.choice(pool)
    if not (run.isdigit() and run.isascii()) or random.random() < 0.4:
        return seen
    low, high = min(map(int, pool)), max(map(int, pool))
    made = str(random.randint(low, high))
    # Where all numbers are equally wide they are filled up with zeros: "03" is a month, and "3" may be none.
    return made.zfill(len(run)) if len({len(one) for one in pool}) == 1 else made


def _by_value(value: object) -> tuple[str, object]:
    return (type(value).__name__, value if isinstance(value, (int, float, str)) else repr(value))


def _all_long(lists: Sequence[list[object]], test: _Test) -> bool:
    """Whether all lists pass, and enough of them are long enough for that to mean something."""
    return sum(len(value) > 2 for value in lists) > 1 and all(map(test, lists))


def _is_ascending(value: list[object]) -> bool:
    try:
        return value == sorted(value)  # type: ignore[type-var]
    except TypeError:
        return False


def _is_unique(value: list[object]) -> bool:
    return len({repr(item) for item in value}) == len(value)


# So many edits are tried for each input that is wanted: many of them give what is known already.
_TRIES = 4


class Given(NamedTuple):
    """An input that can occur, how much it holds, and whether that is no more than the largest one that was given."""

    input: object
    size: int
    inside: bool = True

    @property
    def text(self) -> str:
        """The question to the program as JSON text."""
        return json.dumps({"input": self.input})


def size_of(value: object) -> int:
    """Return how much a value holds: letters, items, and digits of numbers."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(map(size_of, value)) + len(value)
    if isinstance(value, dict):
        return sum(map(size_of, value.values())) + len(value)
    return abs(value).bit_length() // 3 + 1 if isinstance(value, int) else 1


def make_inputs(entry: Entry, suite: Suite, cases: Sequence[Case], options: ProofOptions) -> list[Given]:
    """Make the inputs that a program is tried with beside the cases of its suite."""
    known = [case.test.input for case in cases if not case.replay and not case.test.raises]
    domain = Domain(entry, [*known, *suite.samples], pattern=suite.pattern, never=suite.never)
    return domain.make(options.inputs)


class Domain:
    """Make inputs for one entry from those that are known; *never* are some of which somebody said they cannot be.

    *pattern* is the contract's: every text of an input has to match it.
    """

    def __init__(
        self, entry: Entry, known: Sequence[object], *, pattern: str = "", never: Sequence[object] = ()
    ) -> None:
        self._spread = entry.spread
        rows = [given if self._spread and isinstance(given, list) else [given] for given in known]
        self._rows = [row for row in rows if len(row) == len(rows[0])]
        # In whatever order the examples stand, the same inputs are made.
        self._rows.sort(key=canonical_json)
        self._random = Random(content_hash(canonical_json([entry.spread, self._rows])))
        self._shapes = [Shape([row[place] for row in self._rows]) for place in range(len(self._rows[0]) if rows else 0)]
        self._together = _relations(self._rows)
        self._pattern = re.compile(pattern) if pattern else None
        self._never = {canonical_json(one) for one in never}
        self._largest = max((size_of(row) for row in self._rows), default=0)

    def make(self, count: int) -> list[Given]:
        """Return up to *count* inputs beside those that are known, the smallest first."""
        if not self._shapes or not self._shapes[0].values:
            return []
        found: dict[str, Given] = {}
        known = {canonical_json(self._whole(row)) for row in self._rows} | self._never
        for _ in range(count * _TRIES):
            row = self._edited(list(self._random.choice(self._rows)))
            made = self._whole(row)
            key = canonical_json(made)
            if key not in known and key not in found and self._holds(row):
                size = size_of(row)
                found[key] = Given(made, size, size <= self._largest)
        ordered = sorted(found.values(), key=lambda given: (given.size, given.text))
        step = max(1.0, len(ordered) / max(1, count))
        return [ordered[int(at * step)] for at in range(min(count, len(ordered)))]

    def _whole(self, row: list[object]) -> object:
        return row if self._spread else row[0]

    def _edited(self, row: list[object]) -> list[object]:
        """Return arguments that were changed in one place, or mixed with those of another call."""
        for _ in range(self._random.choice((1, 1, 2))):
            at = self._random.randrange(len(row)) if row else 0
            if row:
                row[at] = self._shapes[at].another(row[at], self._random)
        return row

    def _holds(self, row: list[object]) -> bool:
        """Say whether arguments still stand to each other as they always did, and every text fits the pattern."""
        if not all(relation(row[one], row[other]) for one, other, relation in self._together):
            return False
        return self._pattern is None or all(self._pattern.fullmatch(text) for text in _texts(row))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inside for text in _texts(item)]


_Relation = tuple[int, int, "_Holds"]


class _Holds:
    """How two arguments stand to each other."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, one: object, other: object) -> bool:
        if self.name == "same size":
            return isinstance(one, (list, str)) and isinstance(other, (list, str)) and len(one) == len(other)
        if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
            return False
        return one <= other if self.name == "not above" else one >= other


def _relations(rows: Sequence[list[object]]) -> list[_Relation]:
    """Return what holds between two arguments in every call that is known, where there is more than one."""
    kinds = [_Holds(name) for name in ("same size", "not above", "not below")]
    width = len(rows[0]) if len(rows) > 1 else 0
    return [
        (one, other, kind)
        for one in range(width)
        for other in range(one)
        for kind in kinds
        if all(kind(row[one], row[other]) for row in rows)
    ]
