"""Types as data: read from values, joined, written as annotations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_MOST_MEMBERS = 3
_MOST_ITEMS = 1000
_DEEPEST = 8
_NUMBERS = ("bool", "int", "float")
BUILTINS = {"bool", "int", "float", "complex", "str", "bytes", "list", "dict", "set", "frozenset", "tuple", "object"}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Name a type and its arguments; `|` is a union, `tuple...` a tuple of any length."""

    name: str
    args: tuple[Kind, ...] = ()

    def __str__(self) -> str:
        inner = ", ".join(str(argument) for argument in self.args)
        if self.name == "|":
            return " | ".join(str(argument) for argument in sorted(self.args, key=lambda kind: kind == NONE))
        if self.name == "tuple...":
            return f"tuple[{inner}, ...]"
        if self == UNKNOWN:
            return "Any"
        if self.name == "tuple" and not self.args:
            return "tuple[()]"
        return f"{self.name}[{inner}]" if inner else self.name

    def names(self) -> set[str]:
        """Return every name the annotation would use."""
        own = {self.name.removesuffix("...")} if self.name not in ("|", "?", "None") else set()
        own |= {"Any"} if self.name == "?" else set()
        return own.union(*(argument.names() for argument in self.args))


def kind(name: str, *args: Kind) -> Kind:
    """Return the kind of that name."""
    return Kind(name=name, args=args)


ANY, NONE, UNKNOWN = kind("Any"), kind("None"), kind("?")
FLOAT, OBJECT = kind("float"), kind("object")


def join(kinds: Iterable[Kind]) -> Kind:
    """Return the one kind that values of all *kinds* have."""
    result = UNKNOWN
    for one in kinds:
        result = _join(result, one)
    return result


def _join(left: Kind, right: Kind) -> Kind:
    merged = _merge(left, right)
    return _union([*_members(left), *_members(right)]) if merged is None else merged


def _merge(left: Kind, right: Kind) -> Kind | None:
    """Return the one kind both are, None if they have nothing in common."""
    if left == right or right == UNKNOWN:
        return left
    if left == UNKNOWN:
        return right
    if ANY in (left, right):
        return ANY
    if left.name in _NUMBERS and right.name in _NUMBERS:
        return max(left, right, key=lambda number: _NUMBERS.index(number.name))
    if left.name.removesuffix("...") == right.name.removesuffix("...") == "tuple":
        return _join_tuples(left, right)
    if left.name == right.name != "|" and len(left.args) == len(right.args):
        return kind(left.name, *(_join(one, other) for one, other in zip(left.args, right.args, strict=True)))
    return None


def _join_tuples(left: Kind, right: Kind) -> Kind:
    if left.name == right.name == "tuple" and len(left.args) == len(right.args):
        return kind("tuple", *(_join(one, other) for one, other in zip(left.args, right.args, strict=True)))
    return kind("tuple...", join([*left.args, *right.args]))


def _members(one: Kind) -> tuple[Kind, ...]:
    return one.args if one.name == "|" else (one,)


def _union(members: list[Kind]) -> Kind:
    """Return the union of *members*, those of one generic made one; Any when it grows too large to say much."""
    kept: list[Kind] = []
    for member in members:
        for index, other in enumerate(kept):
            merged = _merge(other, member)
            if merged is not None:
                kept[index] = merged
                break
        else:
            kept.append(member)
    if ANY in kept or len([member for member in kept if member != NONE]) > _MOST_MEMBERS:
        return ANY
    return kept[0] if len(kept) == 1 else kind("|", *kept)


def of_value(value: object, depth: int = 0) -> Kind:
    """Return the kind of a value that an example gives."""
    if value is None:
        return NONE
    if depth > _DEEPEST or type(value).__name__ not in BUILTINS - {"object"}:
        return ANY
    if isinstance(value, dict):
        items = list(value.items())[:_MOST_ITEMS]
        keys = join(of_value(key, depth + 1) for key, _ in items)
        return kind("dict", keys, join(of_value(one, depth + 1) for _, one in items))
    if isinstance(value, tuple):
        return kind("tuple", *(of_value(item, depth + 1) for item in value[:_MOST_ITEMS]))
    if isinstance(value, (list, set, frozenset)):
        return kind(type(value).__name__, join(of_value(item, depth + 1) for item in list(value)[:_MOST_ITEMS]))
    return kind(type(value).__name__)
