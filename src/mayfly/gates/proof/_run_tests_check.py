"""Ask `check` tests about outputs, in a sandbox that holds neither the program nor what other tests expect."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple, cast

from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Sandbox

_SECONDS = 1.0
_WALL = 10.0


class Question(NamedTuple):
    """One output to be checked."""

    check: str
    input: object
    output: object


def checked(sandbox: Sandbox, questions: Sequence[Question], *, seconds: float = _SECONDS) -> list[str]:
    """Return for each question an empty text where the check returned exactly True, or the reason why not."""
    if not questions:
        return []
    by_source: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        by_source.setdefault(question.check, []).append(at)
    checks = [
        {"source": source, "pairs": [json.dumps([questions[at].input, questions[at].output]) for at in places]}
        for source, places in by_source.items()
    ]
    request = {"checks": checks, "seconds": seconds, "imports": None}
    result = sandbox.run(far_side("checks"), "run", request, timeout=max(_WALL, 2 * seconds))
    if result.ok:
        return _in_order(by_source, cast("list[list[str]]", result.value), len(questions))
    if len(questions) == 1:
        return [f"the check ended in {result.status}: {result.error}"]
    return [verdict for question in questions for verdict in checked(sandbox, [question], seconds=seconds)]


def _in_order(by_source: dict[str, list[int]], verdicts: list[list[str]], count: int) -> list[str]:
    ordered = [""] * count
    for places, found in zip(by_source.values(), verdicts, strict=True):
        for at, verdict in zip(places, found, strict=True):
            ordered[at] = str(verdict)
    return ordered
