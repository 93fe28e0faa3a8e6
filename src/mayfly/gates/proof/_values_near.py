"""What the inputs of the examples have in common, and small edits of them.

An input that keeps what all examples have in common is *near*: a program that is right should handle it. One that does
not may be outside what was asked for, so nothing is held against a program that fails on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random

Trait = Callable[[object], object]


def _sign(value: object) -> object:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return 0 if value == 0 else (1 if value > 0 else -1)


def _items(value: object) -> Iterator[object]:
    if isinstance(value, (list, str)):
        yield from value
    elif isinstance(value, dict):
        yield from value.values()


def _letters(texts: Iterable[str]) -> set[str]:
    """Return the kinds of letters in *texts*, looking at each letter once."""
    return {_letter(letter) for letter in set().union(*texts)}


@lru_cache(4096)
def _letter(letter: str) -> str:
    if letter.isalpha():
        return ("lower" if letter.islower() else "upper") if letter.isascii() else "foreign"
    return "digit" if letter.isdigit() else letter


class Traits:
    """What a set of values has in common: types, signs, sizes, order, repetition, letters; and so for their items."""

    def __init__(self, values: Sequence[object]) -> None:
        self.types = {type(value) for value in values}
        self.signs = {_sign(value) for value in values}
        numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
        self.least, self.most = min(numbers, default=0), max(numbers, default=0)
        self.largest = max(abs(self.least), abs(self.most))
        sized = [value for value in values if isinstance(value, (list, str, dict))]
        self.longest = max(map(len, sized), default=0)
        self.shortest = min(map(len, sized), default=0)
        self.one_size = len(sized) > 1 and self.longest == self.shortest
        lists = [value for value in values if isinstance(value, list)]
        self.ascending = _all_long(lists, _is_ascending)
        self.unique = _all_long(lists, _is_unique)
        self.letters = _letters(value for value in values if isinstance(value, str))
        inner = [item for value in values if isinstance(value, (list, dict)) for item in _items(value)]
        self.inner: Traits | None = Traits(inner) if inner else None
        self.keys = {key for value in values if isinstance(value, dict) for key in value}

    def keeps(self, value: object, stretch: int = 4) -> bool:
        """Whether *value* has all of it too and is at most *stretch* times as large; 1 means within what was seen."""
        if type(value) not in self.types:
            return False
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._keeps_number(value, stretch)
        if not isinstance(value, (list, str, dict)):
            return True
        if not self._keeps_size(len(value), stretch):
            return False
        if isinstance(value, str):
            return _letters([value]) <= self.letters
        if isinstance(value, list) and self.ascending and not _is_ascending(value):
            return False
        if isinstance(value, list) and self.unique and not _is_unique(value):
            return False
        return all(self.inner is not None and self.inner.keeps(item, stretch) for item in _items(value))

    def _keeps_number(self, value: float, stretch: int) -> bool:
        if self.least <= value <= self.most:
            return True
        return stretch > 1 and _sign(value) in self.signs and abs(value) <= stretch * self.largest

    def _keeps_size(self, size: int, stretch: int) -> bool:
        if self.one_size or stretch == 1:
            return self.shortest <= size <= self.longest
        return min(self.shortest, 1) <= size <= stretch * self.longest


def _all_long(lists: Sequence[list[object]], test: Callable[[list[object]], bool]) -> bool:
    """Whether all lists pass, and enough of them are long enough for that to mean something."""
    return sum(len(value) > 2 for value in lists) > 1 and all(map(test, lists))


def _is_ascending(value: list[object]) -> bool:
    try:
        return value == sorted(value)  # type: ignore[type-var]
    except TypeError:
        return False


def _is_unique(value: list[object]) -> bool:
    return len({repr(item) for item in value}) == len(value)


class Together:
    """What the arguments of one call have in common with each other in every example."""

    def __init__(self, examples: Sequence[list[object]]) -> None:
        self.relations = [
            (one, other, relation)
            for one in range(len(examples[0]))
            for other in range(one)
            for relation in (_same_size, _not_above, _not_below)
            if len(examples) > 1 and all(len(e) > one and relation(e[one], e[other]) for e in examples)
        ]

    def keeps(self, arguments: list[object]) -> bool:
        """Whether every relation still holds."""
        return all(relation(arguments[one], arguments[other]) for one, other, relation in self.relations)


def _same_size(one: object, other: object) -> bool:
    return isinstance(one, (list, str)) and isinstance(other, (list, str)) and len(one) == len(other)


def _not_above(one: object, other: object) -> bool:
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and one <= other


def _not_below(one: object, other: object) -> bool:
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and one >= other


def edited(value: object, pool: Sequence[object], random: Random) -> object:
    """Return *value* with one small change; *pool* holds what else was seen in its place."""
    if pool and random.random() < 0.15:
        return random.choice(pool)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([value + 1, value - 1, value + 2, value * 2, value // 2, value + 10, -value, value * 3])
    if isinstance(value, float):
        return random.choice([value + 0.5, value - 0.5, value * 2, value + 1, -value, value / 2])
    if isinstance(value, str):
        return _edited_text(value, [item for item in pool if isinstance(item, str)], random)
    if isinstance(value, list):
        return _edited_list(value, [item for item in pool if isinstance(item, list)], random)
    if isinstance(value, dict) and value:
        key = random.choice(list(value))
        if random.random() < 0.4:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: edited(value[key], list(value.values()), random)}
    return value


def _edited_text(value: str, pool: Sequence[str], random: Random) -> str:
    letters = "".join(pool) or value or "a"
    at = random.randrange(len(value)) if value else 0
    choices = (
        lambda: value[:at] + value[at + 1 :],
        lambda: value[:at] + value[at : at + 1] + value[at:],
        lambda: value[:at] + random.choice(letters) + value[at + 1 :],
        lambda: value[:at] + random.choice(letters) + value[at:],
        lambda: value[:at] + value[at : at + 2][::-1] + value[at + 2 :],
        lambda: value[:at] + value[at : at + 1].swapcase() + value[at + 1 :],
        lambda: value + random.choice(list(pool) or [value]),
        lambda: value[at:] + value[:at],
    )
    return random.choice(choices)()


def _edited_list(value: list[object], pool: Sequence[list[object]], random: Random) -> list[object]:
    items = [item for other in pool for item in other] or value or [0]
    at = random.randrange(len(value)) if value else 0
    choices = (
        lambda: value[:at] + value[at + 1 :],
        lambda: value[:at] + value[at : at + 1] + value[at:],
        lambda: [*value[:at], edited(value[at], items, random), *value[at + 1 :]] if value else [random.choice(items)],
        lambda: [*value[:at], edited(value[at], items, random), *value[at + 1 :]] if value else [random.choice(items)],
        lambda: [*value[:at], random.choice(items), *value[at:]],
        lambda: value[:at] + value[at : at + 2][::-1] + value[at + 2 :],
        lambda: value + random.choice(list(pool) or [value]),
        lambda: value[::-1],
        lambda: value[at:] + value[:at],
    )
    return random.choice(choices)()
