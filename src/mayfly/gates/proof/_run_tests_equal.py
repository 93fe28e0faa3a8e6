"""Whether an output is the expected one. Decided on the host, over plain data, by nobody the program could fool."""

from __future__ import annotations

import json
import math

TOLERANCE = 1e-9
_SHOWN = 200


def as_data(value: object) -> object:
    """Return *value* as it looks after crossing the wall: tuples are lists, keys are texts."""
    return json.loads(json.dumps(value, allow_nan=False))


def same(got: object, expected: object) -> bool:
    """Compare two plain values: 1 is 1.0, True is not 1, floats are equal within a relative tolerance."""
    if isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return _same_number(got, expected)
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, dict) and isinstance(got, dict):
        return got.keys() == expected.keys() and all(same(got[key], expected[key]) for key in expected)
    return type(got) is type(expected) and got == expected


def _same_number(got: float, expected: float) -> bool:
    if got == expected:
        return True
    if isinstance(got, int) and isinstance(expected, int):
        return False
    try:
        return math.isclose(got, expected, rel_tol=TOLERANCE, abs_tol=1e-12)
    except OverflowError:
        return False


def shown(value: object, limit: int = _SHOWN) -> str:
    """Write *value* in one short line."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
