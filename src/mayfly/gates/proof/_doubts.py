"""What makes a program that passes its tests doubtful: failures near the examples, surprising results, mere luck."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from mayfly.core import UNSET, parse_python, shown
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._run_tests import Case
from mayfly.gates.proof._run_tests_ask import Answer
from mayfly.gates.proof._values_types import Kind, fits, kind_like

# How many outputs somebody who guesses chooses from, where the output is no yes or no and nothing empty.
_MANY = 10
_CHECK = 4
OUT_OF = {"timeout", "MemoryError", "RecursionError", "died", "memory"}


def crash(
    source: str, cases: Sequence[Case], given: Sequence[Given], answers: Sequence[Answer]
) -> tuple[Given, Answer] | None:
    """Return the simplest input of the domain on which the program fails without having meant to, and how it failed.

    An error that the program raises by a `raise` of its own is its answer, and so is one that a test expects somewhere.
    Running out of time or stack counts only where the input is no larger than the examples.
    """
    raised = _raising_lines(source)
    expected = {case.test.raises for case in cases if case.test.raises}
    for one, answer in zip(given, answers, strict=False):
        if answer.ok or answer.errors[0] in ("skipped", "NotData") or answer.line in raised:
            continue
        if set(answer.errors) & expected:
            continue
        if one.inside or not set(answer.errors) & OUT_OF:
            return one, answer
    return None


def _raising_lines(source: str) -> set[int]:
    return {
        line
        for node in ast.walk(parse_python(source))
        if isinstance(node, (ast.Raise, ast.Assert))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def surprise(cases: Sequence[Case], given: Sequence[Given], answers: Sequence[Answer]) -> str:
    """Return an input of the domain whose result is of no type that any test expects, or an empty text."""
    expected = [case.test.expected for case in cases if case.test.expected is not UNSET]
    if not expected or len(expected) < len(cases):
        return ""
    kind = _loose(kind_like(list(expected)))
    for one, answer in zip(given, answers, strict=False):
        if answer.ok and not fits(answer.value, kind):
            return f"{shown(one.input, 80)} gives {shown(answer.value, 80)}"
    return ""


def _loose(kind: Kind) -> Kind:
    """Judge the outermost type alone, whole numbers as numbers: examples show few of the types inside."""
    if kind.name == "union":
        return Kind(name="union", parts=tuple(_loose(part) for part in kind.parts))
    if kind.name == "list":
        return Kind(name="list", parts=(Kind(name="any"),))
    if kind.name == "dict":
        return Kind(name="dict", parts=(Kind(name="any"), Kind(name="any")))
    return Kind(name="float") if kind.name == "int" else kind


def luck(cases: Sequence[Case], source: str) -> float:
    """Return how likely somebody passes who guesses each output: a yes or no is a coin, and so is an empty result.

    A text that stands in the source itself is a label, one of as many as the tests show, and at least two. What a
    check lets through is not known; it counts a little more than a coin.
    """
    texts = {case.test.expected for case in cases if isinstance(case.test.expected, str)}
    labels = {text for text in texts if repr(text) in source or f'"{text}"' in source}
    chance = 1.0
    for case in cases:
        if case.replay:
            answers = [answer["ok"] for answer in case.replay.answers if "ok" in answer]
            chance /= math.prod(_choices(answer, labels) for answer in answers) or 1
        elif case.test.raises:
            chance /= 2
        else:
            chance /= _CHECK if case.test.expected is UNSET else _choices(case.test.expected, labels)
    return chance


def _choices(value: object, labels: set[str]) -> int:
    """Return among how many outputs somebody would choose who knows no more than their kind."""
    if isinstance(value, bool) or not value:
        return 2
    return max(2, len(labels)) if isinstance(value, str) and value in labels else _MANY
