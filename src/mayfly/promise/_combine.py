"""How the proven values of children become the value of their parent, and the proof that they did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import ClassVar

from mayfly.core import MayflyError, is_sequence, same
from mayfly.forge import spool
from mayfly.promise._promise import Combine


class CannotCombine(MayflyError):
    """The values do not go together in the way that was planned."""

    code: ClassVar[str] = "COMBINE"


def combine(kind: Combine, names: Sequence[str], values: Sequence[object]) -> object:
    """Return the value of a parent whose children, called *names*, gave *values*; `CannotCombine` where that fails."""
    if len(names) != len(values):
        raise CannotCombine(f"{len(names)} children gave {len(values)} values")
    if len(set(names)) != len(names):
        raise CannotCombine("two children have the same name")
    if kind not in _WAYS:
        raise CannotCombine(f"values are not combined by {kind or 'nothing'!r} here", fix=f"use {', '.join(_WAYS)}")
    return _WAYS[kind][0](names, values)


def combined(kind: Combine, names: Sequence[str], values: Sequence[object], result: object) -> bool:
    """Whether *result* holds exactly *values*, in their places: the structural proof of a parent."""
    if kind not in _WAYS or len(names) != len(values) or len(set(names)) != len(names):
        return False
    return _WAYS[kind][1](names, values, result)


def _last(_: Sequence[str], values: Sequence[object]) -> object:
    if not values:
        raise CannotCombine("there is no child whose value could be the last")
    return values[-1]


def _is_last(_: Sequence[str], values: Sequence[object], result: object) -> bool:
    return bool(values) and same(result, values[-1])


def _record(names: Sequence[str], values: Sequence[object]) -> object:
    return dict(zip(names, values, strict=True))


def _is_record(names: Sequence[str], values: Sequence[object], result: object) -> bool:
    if not isinstance(result, Mapping) or len(result) != len(names) or any(name not in result for name in names):
        return False
    return all(same(result[name], value) for name, value in zip(names, values, strict=True))


def _list(_: Sequence[str], values: Sequence[object]) -> object:
    return list(values)


def _is_list(_: Sequence[str], values: Sequence[object], result: object) -> bool:
    return is_sequence(result) and same(result, list(values))


def _concat(_: Sequence[str], values: Sequence[object]) -> object:
    texts = [value for value in values if isinstance(value, str)]
    if not values:
        raise CannotCombine("there is nothing to be put one after another")
    if len(texts) == len(values):
        return "".join(texts)
    lists = [value for value in values if isinstance(value, Sequence) and is_sequence(value)]
    if len(lists) != len(values):
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise CannotCombine(f"only lists, or only texts, can be put one after another, not {kinds}")
    if all(isinstance(part, (list, tuple)) for part in lists):
        return list(chain.from_iterable(lists))
    return spool(lists)


def _is_concat(_: Sequence[str], values: Sequence[object], result: object) -> bool:
    if not values:
        return False
    if isinstance(result, str):
        return _is_text(values, result)
    parts = [value for value in values if isinstance(value, Sequence) and is_sequence(value)]
    if len(parts) != len(values) or not isinstance(result, Sequence) or not is_sequence(result):
        return False
    if len(result) != sum(map(len, parts)):
        return False
    return all(same(mine, theirs) for mine, theirs in zip(result, chain.from_iterable(parts), strict=True))


def _is_text(values: Sequence[object], result: str) -> bool:
    at = 0
    for value in values:
        if not isinstance(value, str) or not result.startswith(value, at):
            return False
        at += len(value)
    return at == len(result)


_Made = Callable[[Sequence[str], Sequence[object]], object]
_Proven = Callable[[Sequence[str], Sequence[object], object], bool]
_WAYS: dict[str, tuple[_Made, _Proven]] = {
    "last": (_last, _is_last),
    "record": (_record, _is_record),
    "list": (_list, _is_list),
    "concat": (_concat, _is_concat),
}
