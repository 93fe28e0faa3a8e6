"""Values as they look after crossing the wall."""

from __future__ import annotations

import json


def as_data(value: object) -> object:
    """Return *value* as it looks after crossing the wall: tuples are lists, keys are texts."""
    return json.loads(json.dumps(value, allow_nan=False))
