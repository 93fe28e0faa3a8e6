"""Measure plain data without recursion: what a hostile program returned may be deep, huge or made of one list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from itertools import repeat

from mayfly.core import is_sequence


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
