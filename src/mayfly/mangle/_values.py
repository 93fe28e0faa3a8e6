"""What a Mangle constant is in Python.

Facts are tuples of these values and are compared and hashed millions of times, so the common kinds cost nothing extra:
a name is an interned object compared by identity, a string is `str`, a number is `int`, a byte string is `bytes`.
Everything Python would confuse with one of those (1 with 1.0, a pair with a list) has a class of its own.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias, final
from weakref import WeakValueDictionary

_names: "WeakValueDictionary[str, Name]" = WeakValueDictionary()

LARGEST_NUMBER: Final = 2**63 - 1
SMALLEST_NUMBER: Final = -(2**63)


@final
class Name:
    """Stand for a name constant such as `/a/b`: one object for each text, so equality is identity."""

    __slots__ = ("__weakref__", "text")
    text: str

    def __new__(cls, text: str) -> "Name":
        """Return the one object for a text that begins with a slash."""
        known = _names.get(text)
        if known is None:
            known = object.__new__(cls)
            known.text = text
            known = _names.setdefault(text, known)
        return known

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type["Name"], tuple[str]]:
        return (Name, (self.text,))


class _Wrapped:
    """Hold one Python value under a kind of its own, equal only to the same kind."""

    __slots__ = ("_hash", "held")

    def __init__(self, held: object) -> None:
        self.held = held
        self._hash = hash((type(self), held))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.held == other.held

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.held!r})"


@final
class Float(_Wrapped):
    """A 64-bit float, never equal to the number of the same size; `held` is the float."""

    __slots__ = ()
    held: float


@final
class Time(_Wrapped):
    """An instant: `held` is nanoseconds since 1970-01-01T00:00:00Z."""

    __slots__ = ()
    held: int


@final
class Duration(_Wrapped):
    """A length of time: `held` is nanoseconds."""

    __slots__ = ()
    held: int


@final
class List(_Wrapped):
    """A list: `held` is a tuple of values."""

    __slots__ = ()
    held: "tuple[Value, ...]"


@final
class Pair(_Wrapped):
    """A pair: `held` is a tuple of two values."""

    __slots__ = ()
    held: "tuple[Value, Value]"


@final
class Map(_Wrapped):
    """A map: `held` is a tuple of (key, value) in the canonical order that `make_map` gives."""

    __slots__ = ()
    held: "tuple[tuple[Value, Value], ...]"


@final
class Struct(_Wrapped):
    """A struct: `held` is a tuple of (label, value), labels usually names, in the order that `make_struct` gives."""

    __slots__ = ()
    held: "tuple[tuple[Value, Value], ...]"


Value: TypeAlias = Name | str | int | bytes | Float | Time | Duration | List | Pair | Map | Struct
Row: TypeAlias = tuple[Value, ...]

TRUE: Final = Name("/true")
FALSE: Final = Name("/false")


def wrap(number: int) -> int:
    """Return *number* as 64-bit arithmetic keeps it: what does not fit wraps around."""
    if SMALLEST_NUMBER <= number <= LARGEST_NUMBER:
        return number
    return (number - SMALLEST_NUMBER) % 2**64 + SMALLEST_NUMBER


_KIND_ORDER: Final[dict[type, int]] = {
    kind: place for place, kind in enumerate((Name, int, Float, str, bytes, Time, Duration, Pair, List, Map, Struct), 1)
}


def sort_key(value: Value) -> tuple[object, ...]:
    """Return what to sort values by: kind first, then content; a total order that is the same in every run.

    The key is flat however deep the value is: each part begins with its kind, each collection ends with a 0.
    """
    key: list[object] = []
    rest: list[Value | None] = [value]
    while rest:
        part = rest.pop()
        if part is None:
            key.append(0)
            continue
        key.append(_KIND_ORDER[type(part)])
        if isinstance(part, (Pair, List)):
            rest += (None, *reversed(part.held))
        elif isinstance(part, (Map, Struct)):
            rest.append(None)
            for label, content in reversed(part.held):
                rest += (content, label)
        else:
            key += _content_key(part)
    return tuple(key)


def _content_key(value: Name | str | int | bytes | Float | Time | Duration) -> tuple[object, ...]:
    if isinstance(value, Name):
        return (value.text,)
    if isinstance(value, Float):
        # A NaN compares with nothing: it goes last; the text decides between the two zeros.
        held = value.held
        return (held != held, 0.0 if held != held else held, str(held))
    return (value.held,) if isinstance(value, (Time, Duration)) else (value,)


def make_list(values: Iterable[Value]) -> List:
    """Return the list of *values*, in their order."""
    return List(tuple(values))


def make_map(entries: Iterable[tuple[Value, Value]]) -> Map:
    """Return the map of *entries* in canonical order; as in the language, a key given twice stays twice."""
    return Map(_ordered(entries))


def make_struct(fields: Iterable[tuple[Value, Value]]) -> Struct:
    """Return the struct of *fields* in canonical order; as in the language, a label given twice stays twice."""
    return Struct(_ordered(fields))


def _ordered(entries: Iterable[tuple[Value, Value]]) -> tuple[tuple[Value, Value], ...]:
    return tuple(sorted(entries, key=lambda entry: (sort_key(entry[0]), sort_key(entry[1]))))
