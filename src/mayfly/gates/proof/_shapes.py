"""Learn what inputs look like from those that were given, and make others that look the same.

Types never change and formats stay: a text keeps its signs and the kinds of its words and numbers, a number stays
between those that were seen, a record keeps the keys that all records had. What is made so could have been given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

# Runs of one kind of letter; any other sign stands for itself.
_RUN = re.compile(r"[A-Z][a-z]+|[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+|.", re.DOTALL)
# A record whose keys are as many as this and hardly shared is a mapping from one thing to another.
_MANY_KEYS = 12
# A list may have so many times as many items as the longest that was seen.
_STRETCH = 2

Skeleton = tuple[str, ...]
_Test = Callable[[list[object]], bool]


def runs(text: str) -> list[str]:
    """Cut a text into words, numbers and signs."""
    return _RUN.findall(text)


def skeleton(text: str) -> Skeleton:
    """Return the form of a text: the kind of each word and number, and every sign as it is."""
    return tuple(_kind(run) for run in runs(text))


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
        self.types = {type(value) for value in values}
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
        self.forms: dict[Skeleton, list[list[str]]] = {}
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
