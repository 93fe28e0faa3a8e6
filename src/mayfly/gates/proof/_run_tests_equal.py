"""Whether an output is the expected one. Decided on the host, over plain data, by nobody the program could fool."""

from __future__ import annotations

import json

_SHOWN = 200


def as_data(value: object) -> object:
    """Return *value* as it looks after crossing the wall: tuples are lists, keys are texts."""
    return json.loads(json.dumps(value, allow_nan=False))


def shown(value: object, limit: int = _SHOWN) -> str:
    """Write *value* in one short line."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
