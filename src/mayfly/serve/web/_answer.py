"""`Answer`: data as JSON that any client can read: plain ASCII, no secrets, no numbers that are none."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.responses import JSONResponse

from mayfly.core import without_secrets_in

# Items of a list that lies on disk which go into one answer; the number of all of them is beside it.
ITEMS = 10_000


class Answer(JSONResponse):
    """JSON in ASCII, so that nothing in it is acted on by a terminal or lost half of a character."""

    def render(self, content: Any) -> bytes:
        """Write *content*; what is no number becomes null, as JSON has no word for it."""
        try:
            return _dumps(content)
        except ValueError:
            return _dumps(_finite(content))


def _dumps(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=_plain).encode("ascii")


def _plain(value: object) -> object:
    """Let what is nearly JSON be written as what it stands for."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, Sequence):
        return list(value[:ITEMS])
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def recorded(fields: Any) -> Answer:
    """Answer with what was recorded, without secrets that came into it."""
    return Answer(without_secrets_in(fields))
