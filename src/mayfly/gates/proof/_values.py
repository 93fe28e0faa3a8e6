"""Make inputs: near the examples, odd ones from the types, and large ones. The same content gives the same inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from mayfly.core import content_hash
from mayfly.gates._entry import Entry
from mayfly.gates.proof._values_near import Together, Traits, edited
from mayfly.gates.proof._values_types import Kind, Types, kind_like

_INTS = (0, 1, -1, 2, 3, 10, -7, 100, 255, 1000, 10**6, -(10**6), 2**31, 2**63, 10**18)
_FLOATS = (0.0, 1.0, -1.0, 0.5, 0.1, -2.5, 3.14159, 1e-9, 1e9, 1e300)
_TEXTS = (
    *("", " ", "a", "A", "0", "ab", "Hello World", "a,b;c", "  padded  ", "line\nline\n", "\t"),
    *("ß", "日本語", "é̀", "😀", "-1", "3.5", "null", "\x00", "'\"\\"),
)
_SIMPLE: tuple[object, ...] = (0, 1, 2, -1, 0.0, 1.0, "", " ", "a", [], {})
_TRIES = 4


class Given(NamedTuple):
    """An input; a near one keeps what all examples have in common, and one inside is not even larger than they are."""

    input: object
    near: bool
    size: int
    inside: bool = False

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


class Inputs:
    """Make inputs for one entry from its annotations and from the inputs of its tests."""

    def __init__(self, entry: Entry, source: str, examples: Sequence[object]) -> None:
        self.entry = entry
        self.examples = [self._arguments(example) for example in examples]
        self.examples = [example for example in self.examples if len(example) == len(self.examples[0])]
        self.random = Random(content_hash(f"{entry.parameters}{json.dumps(examples)}"))
        types = Types(source)
        self.kinds = [self._kind(at, types) for at in range(self._count())]
        self.traits = [Traits([example[at] for example in self.examples]) for at in range(self._count())]
        self.together = Together(self.examples) if self.examples else None

    def _arguments(self, given: object) -> list[object]:
        return given if self.entry.spread and isinstance(given, list) else [given]

    def _count(self) -> int:
        if self.examples:
            return len(self.examples[0])
        return len(self.entry.parameters) if self.entry.spread else 1

    def _kind(self, at: int, types: Types) -> Kind:
        parameters = self.entry.parameters
        kind = types.kind(parameters[at].annotation if at < len(parameters) else "")
        seen = [example[at] for example in self.examples]
        bare = kind.name == "any" or (kind.name in ("list", "dict") and kind.parts and kind.parts[-1].name == "any")
        return kind_like(seen) if bare and seen else kind

    def _given(self, arguments: list[object]) -> Given:
        near = bool(self.examples) and all(map(Traits.keeps, self.traits, arguments))
        near = near and (self.together is None or self.together.keeps(arguments))
        inside = near and all(trait.keeps(one, 1) for trait, one in zip(self.traits, arguments, strict=True))
        whole = arguments if self.entry.spread else arguments[0]
        return Given(whole, near, size_of(arguments), inside)

    def near(self, count: int) -> list[Given]:
        """Return up to *count* inputs made by small edits of the examples, the smallest first."""
        if not self.examples:
            return []
        seen = {self._given(example).text for example in self.examples}
        found: list[Given] = []
        for given in self.simple():
            if given.text not in seen:
                seen.add(given.text)
                found.append(given)
        kept = list(found)
        for _ in range(count * _TRIES):
            given = self._given(self._edit(list(self.random.choice(self.examples))))
            if given.text not in seen:
                seen.add(given.text)
                found.append(given)
        found = sorted(found[len(kept) :], key=lambda given: given.size)
        return sorted([*kept, *_spread(found, count - len(kept))], key=lambda given: given.size)

    def _edit(self, arguments: list[object]) -> list[object]:
        for _ in range(self.random.choice((1, 1, 2, 3))):
            at = self.random.randrange(len(arguments)) if arguments else 0
            if arguments:
                pool = [example[at] for example in self.examples]
                arguments[at] = edited(arguments[at], pool, self.random)
        return arguments

    def simple(self) -> list[Given]:
        """Return the simplest inputs that the examples allow: zero, one, empty, and one item or letter of theirs."""
        rows = [
            [*example[:at], value, *example[at + 1 :]]
            for example in self.examples[:2]
            for at in range(len(example))
            for value in (*_SIMPLE, *self._singles(at))
        ]
        return [given for given in map(self._given, rows) if given.near]

    def _singles(self, at: int) -> list[object]:
        """Return lists of one item and texts of one letter, the smallest and the largest that were seen."""
        lists = [item for example in self.examples if isinstance(example[at], list) for item in _items(example[at])]
        letters = sorted({letter for example in self.examples for letter in str(example[at])})
        ordered = sorted(lists, key=lambda item: (str(type(item)), size_of(item), repr(item)))
        texts = letters if isinstance(self.examples[0][at], str) else []
        return [*([item] for item in (*ordered[:2], *ordered[-2:])), *texts[:2], *texts[-2:]]

    def odd(self, count: int) -> list[Given]:
        """Return up to *count* inputs from the types alone: empty, extreme, unusual."""
        pools = [list(_odd_values(kind, self.random)) for kind in self.kinds]
        if not pools or not all(pools):
            return []
        rows = [[self.random.choice(pool) for pool in pools] for _ in range(count)]
        firsts = [[pool[at % len(pool)] for pool in pools] for at in range(min(count, max(map(len, pools))))]
        return [self._given(row) for row in (*firsts, *rows)][:count]

    def large(self) -> list[Given]:
        """Return a few inputs of growing size in which everything that can grow has grown."""
        sizes = (100, 1_000, 10_000)
        made = [[_large(kind, size) for kind in self.kinds] for size in sizes]
        grows = any(kind.name in ("str", "list", "dict") for kind in self.kinds)
        return [self._given(row) for row in made] if grows else []


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _spread(found: list[Given], count: int) -> list[Given]:
    """Take mostly near ones, of all sizes."""
    near = [given for given in found if given.near]
    far = [given for given in found if not given.near]
    return [*_every(near, count - min(len(far), count // 4)), *_every(far, count // 4)][:count]


def _every(found: list[Given], count: int) -> list[Given]:
    if len(found) <= count:
        return found
    return [found[at * len(found) // count] for at in range(count)]


def _odd_values(kind: Kind, random: Random, depth: int = 0) -> Iterator[object]:
    if kind.name == "int":
        yield from _INTS
    elif kind.name == "float":
        yield from _FLOATS
    elif kind.name == "str":
        yield from _TEXTS
    elif kind.name == "bool":
        yield from (True, False)
    elif kind.name == "None":
        yield None
    elif kind.name == "literal":
        yield from kind.values
    elif kind.name == "union":
        for part in kind.parts:
            yield from _odd_values(part, random, depth)
    elif depth < 4:
        yield from _odd_nested(kind, random, depth + 1)


def _odd_nested(kind: Kind, random: Random, depth: int) -> Iterator[object]:
    pools = [list(_odd_values(part, random, depth)) for part in kind.parts]
    if kind.name == "list":
        yield []
        if pools and pools[0]:
            yield from ([item] for item in pools[0][:8])
            yield pools[0][:1] * 5
            yield from ([random.choice(pools[0]) for _ in range(size)] for size in (2, 3, 5, 8))
    elif kind.name == "tuple" and all(pools):
        yield from ([random.choice(pool) for pool in pools] for _ in range(6))
    elif kind.name == "dict":
        yield {}
        if pools[1]:
            yield from ({key: random.choice(pools[1])} for key in ("", "a", "key"))


def _large(kind: Kind, size: int) -> object:
    if kind.name == "str":
        return ("abc 123\n" * (size // 8 + 1))[:size]
    if kind.name == "list":
        inner = _large(kind.parts[0], 10) if kind.parts else 0
        return [inner] * size if not isinstance(inner, int) else list(range(size))
    if kind.name == "dict":
        return {f"key{at}": _large(kind.parts[1], 10) for at in range(size)}
    if kind.name == "union":
        return _large(kind.parts[0], size)
    if kind.name == "tuple":
        return [_large(part, size) for part in kind.parts]
    return {"float": 1.5, "bool": True, "None": None}.get(kind.name, 5)
