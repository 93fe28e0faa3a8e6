"""Answer for any input what a right program would answer, by the same scanning that the tests are made with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from mayfly.synthesis.records._model import Unable
from mayfly.synthesis.records._plan import draft
from mayfly.synthesis.records._reference import evaluate

Oracle = Callable[[object], object]


def oracle(intent: str, sample: Sequence[object]) -> Oracle | None:
    """Return what answers inputs like the sample, or None if the intent or the lines are not understood."""
    drafted = draft(intent, sample)
    if isinstance(drafted, Unable):
        return None

    def answer(items: object) -> object:
        if not isinstance(items, list):
            raise ValueError("only lists of lines or records can be answered")
        return json.loads(json.dumps(evaluate(drafted.format, drafted.operation, items)))

    return answer
