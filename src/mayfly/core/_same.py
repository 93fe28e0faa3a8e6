"""Whether two values are the same data, and the one text and the one address that equal values share.

What a hostile program returned may be deep or huge.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence


def canonical_json(value: object) -> str:
    """Write *value* as the one JSON text that equal values share, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def content_hash(data: bytes | str) -> str:
    """Return the address of *data*: its SHA-256 in hex."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


# Two floats are the same from here on, relative to the larger and in absolute terms: far above what rounding loses in
# a computation of ours, and far below a difference that anybody would call a wrong result.
TOLERANCE = 1e-9
_TEXTS = (str, bytes, bytearray)
_HELD = (list, dict, tuple)
_Pairs = Iterator[tuple[object, object]]
_LEAF: _Pairs = iter(())


def is_sequence(value: object) -> bool:
    """Whether *value* has items in order, in memory or on disk, and is not a text."""
    return isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, _TEXTS))


def same(one: object, other: object) -> bool:
    """Whether two values are the same data.

    Numbers are compared by what they are worth: 1 is 1.0, but True is not 1. Whole numbers are compared exactly, and as
    soon as one of the two is a float they may differ by one part in 10**9 or by 10**-9; a NaN is the same as a NaN.
    A tuple, or a sequence on disk, is the list of its items; the order of a mapping does not matter. Anything else is
    the same where it is of one type and equal, and not where comparing it raises.

    Work and memory grow with the size of the two, whatever their depth; a value is the same as itself.
    """
    if type(one) is type(other) and type(one) in (str, int, bool):  # the usual case, without any machinery
        return one == other
    try:
        return _compare(one, other)
    except Exception:  # whatever somebody else's mapping or sequence does when it is looked at
        return False


def _compare(one: object, other: object) -> bool:
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
        inner = _open(mine, theirs)
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


def _open(mine: object, theirs: object) -> _Pairs | None:
    """Return the pairs inside, nothing for equal leaves, and None where the two differ."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        if len(mine) != len(theirs) or any(key not in theirs for key in mine):
            return None
        return ((mine[key], theirs[key]) for key in mine)
    if is_sequence(mine) and is_sequence(theirs):
        assert isinstance(mine, Sequence)
        assert isinstance(theirs, Sequence)
        return zip(mine, theirs, strict=True) if len(mine) == len(theirs) else None
    return _LEAF if _equal(mine, theirs) else None


def _equal(mine: object, theirs: object) -> bool:
    if isinstance(mine, bool) or isinstance(theirs, bool):
        return mine is theirs
    if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
        return _equal_numbers(mine, theirs)
    try:
        return type(mine) is type(theirs) and (mine == theirs) is True
    except Exception:  # whatever somebody else's object does when it is compared
        return False


def _equal_numbers(mine: float, theirs: float) -> bool:
    if mine == theirs:
        return True
    if isinstance(mine, int) and isinstance(theirs, int):
        return False
    if mine != mine or theirs != theirs:
        return mine != mine and theirs != theirs
    try:
        return math.isclose(mine, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except OverflowError:  # a whole number that no float can hold
        return False
