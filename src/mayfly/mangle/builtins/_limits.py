"""Keep what a function builds within bounds, so that doubling a value in a recursive rule ends in an error.

Values share their parts, so a small program can build one that would not fit into memory once it is printed, sorted or
compared. What counts is therefore the size written out in full: parts, text and depth of nesting.
"""

from itertools import chain
from typing import Final, TypeAlias, TypeVar

from mayfly.mangle._values import List, Map, Name, Pair, Struct, Value

LARGEST_TEXT: Final = 16 * 2**20
"""Bytes of text (UTF-8) that one value may hold."""
MOST_PARTS: Final = 1_000_000
"""Values that one value may hold, however deep."""
DEEPEST: Final = 200
"""How deep lists, pairs, maps and structs may be nested."""

_Nested: TypeAlias = List | Pair | Map | Struct
_NESTED_KINDS: Final = (List, Pair, Map, Struct)
_NESTED: Final[frozenset[type]] = frozenset(_NESTED_KINDS)
_TEXTS: Final[frozenset[type]] = frozenset({str, bytes, Name})
_Built = TypeVar("_Built", List, Pair, Map, Struct)


class BuiltinError(Exception):
    """Say why a function, reducer or builtin predicate has no answer for what it was given."""


def check_text(builtin: str, size: int) -> None:
    """Raise when a text of *size* bytes is more than a value may hold."""
    if size > LARGEST_TEXT:
        raise BuiltinError(f"{builtin} would build a text of more than {LARGEST_TEXT} bytes, the limit for one value")


def text_size(text: str) -> int:
    """Return the number of UTF-8 bytes of *text*."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def check_count(builtin: str, count: int) -> None:
    """Raise when *count* parts are more than a value may hold."""
    if count > MOST_PARTS:
        raise BuiltinError(f"{builtin} would build a value of more than {MOST_PARTS} parts, the limit for one value")


def checked(builtin: str, value: _Built) -> _Built:
    """Return *value* if it is within all bounds; the cost is that of walking over it once, at most to the bound."""
    level: list[_Nested] = [value]
    count = text = depth = 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise BuiltinError(f"{builtin} would nest values deeper than {DEEPEST}, the limit for one value")
        parts: list[Value] = []
        for nested in level:
            parts.extend(nested.held if isinstance(nested, (List, Pair)) else chain.from_iterable(nested.held))
            check_count(builtin, count + len(parts))
        count += len(parts)
        kinds = set(map(type, parts))
        if not kinds.isdisjoint(_TEXTS):
            text += _text(parts)
            check_text(builtin, text)
        level = [] if kinds.isdisjoint(_NESTED) else [part for part in parts if isinstance(part, _NESTED_KINDS)]
    return value


def _text(parts: list[Value]) -> int:
    """Count characters, not bytes: an estimate is enough for text that many values share."""
    plain = sum(map(len, [part for part in parts if isinstance(part, (str, bytes))]))
    return plain + sum([len(part.text) for part in parts if isinstance(part, Name)])


def weight(value: Value) -> int:
    """Return about how many bytes *value* takes besides its parts, for a bound on all facts together."""
    if isinstance(value, str):
        return 64 + len(value) if value.isascii() else value.__sizeof__()
    if isinstance(value, bytes):
        return 40 + len(value)
    if isinstance(value, (List, Pair, Map, Struct)):
        return 120 + 8 * len(value.held)
    return 32
