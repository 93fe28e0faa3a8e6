"""Compare plain data without recursion: what a hostile program returned may be deep, huge or made of one list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from itertools import repeat

_TEXTS = (str, bytes, bytearray)


def is_sequence(value: object) -> bool:
    """Whether *value* has items in order, in memory or on disk, and is not a text."""
    return isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, _TEXTS))


def same(one: object, other: object) -> bool:
    """Whether two values are the same data: True is not 1, 1 is not 1.0, a tuple is the list of its items.

    Work and memory grow with the size of the two, whatever their depth; a value is the same as itself.
    """
    try:
        return _same(one, other)
    except Exception:
        return False


def _same(one: object, other: object) -> bool:
    seen: set[tuple[int, int]] = set()
    waiting: list[tuple[_Pairs, bool]] = [(iter([(one, other)]), True)]
    while waiting:
        pairs, held = waiting[-1]
        pair = next(pairs, None)
        if pair is None:
            waiting.pop()
            continue
        mine, theirs = pair
        if mine is theirs:
            continue
        inner = _opened(mine, theirs)
        if inner is None:
            return False
        if inner is _LEAF:
            continue
        # Values that hold themselves, or one list a thousand times, are looked at once. What is read from a disk is
        # made for this one look, so its address says nothing about the next.
        held = held and isinstance(mine, _HELD) and isinstance(theirs, _HELD)
        key = (id(mine), id(theirs))
        if not held or key not in seen:
            waiting.append((inner, held))
        if held:
            seen.add(key)
    return True


_Pairs = Iterator[tuple[object, object]]
_LEAF: _Pairs = iter(())
_HELD = (list, dict, tuple)


def _opened(mine: object, theirs: object) -> _Pairs | None:
    """Return the pairs inside, nothing for equal leaves, and None where the two differ."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        if len(mine) != len(theirs) or any(key not in theirs for key in mine):
            return None
        return ((mine[key], theirs[key]) for key in mine)
    if is_sequence(mine) and is_sequence(theirs):
        assert isinstance(mine, Sequence)
        assert isinstance(theirs, Sequence)
        return zip(mine, theirs, strict=True) if len(mine) == len(theirs) else None
    return _LEAF if type(mine) is type(theirs) and _equal(mine, theirs) else None


def _equal(mine: object, theirs: object) -> bool:
    if isinstance(mine, float) and mine != mine:
        return theirs != theirs
    try:
        return (mine == theirs) is True
    except Exception:
        return False


class TooDeep(Exception):
    """A value nests deeper than anything we accept."""


def size(value: object, *, nodes: int, text: int, depth: int = 100) -> tuple[int, int] | None:
    """Return how many values and characters *value* holds, or None where that is above a limit; `TooDeep` for depth.

    Never looks at more than *nodes* values, so that a list of itself or of ten million ends at once.
    """
    count = letters = 0
    level: Iterator[tuple[object, int]] = iter([(value, 0)])
    waiting = [level]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            continue
        item, deep = found
        count += 1
        if isinstance(item, str):
            letters += len(item)
        elif isinstance(item, int) and not isinstance(item, bool):
            letters += item.bit_length() // 3
        inside = _inside(item)
        if count > nodes or letters > text or (isinstance(item, Sized) and inside is not None and len(item) > nodes):
            return None
        if inside is not None and deep > depth:
            raise TooDeep(f"the value is nested deeper than {depth}")
        if inside is not None:
            waiting.append(zip(inside, repeat(deep + 1)))
    return count, letters


def _inside(item: object) -> Iterator[object] | None:
    if isinstance(item, Mapping):
        return (part for pair in item.items() for part in pair)
    return iter(item) if is_sequence(item) and isinstance(item, Sequence) else None
