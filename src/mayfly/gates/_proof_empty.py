"""Whether the tests would notice a program that does nothing: one that always gives the same empty result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.core import UNSET
from mayfly.gates._calls import Replay, advance
from mayfly.gates._calls_extract import shape_of
from mayfly.gates._run_tests import Case, judge
from mayfly.gates._run_tests_ask import Answer, Program
from mayfly.gates._run_tests_equal import same
from mayfly.gates._values_types import Types, fits
from mayfly.sandbox import Sandbox

_CONSTANTS: tuple[object, ...] = (None, [], {}, "", 0, False, True)
_INPUT = "its input"
_COUNT = len(_CONSTANTS) + 1
_ROUNDS = 20


class Empty(NamedTuple):
    """The empty results that pass every test, and whether every single one does."""

    uncaught: tuple[str, ...]
    vacuous: bool
    meant: bool


def empty_results(sandbox: Sandbox, program: Program, cases: Sequence[Case]) -> Empty:
    """Try every constant, and the input handed back, in the place of the program.

    *meant* says that the expected outputs really are all that constant: then it is no fault of the tests' kind, but
    one more example is needed.
    """
    kind = Types(program.source).kind(program.entry.returns)
    names = [repr(constant) for constant in _CONSTANTS] + [_INPUT]
    passed = _passing(sandbox, program, cases)
    likely = [at < len(_CONSTANTS) and not fits(_CONSTANTS[at], kind) for at in range(len(names))]
    uncaught = tuple(name for name, ok, odd in zip(names, passed, likely, strict=True) if ok and not odd)
    expected = [case.test.expected for case in cases if case.test.expected is not UNSET]
    meant = bool(expected) and all(same(value, expected[0]) for value in expected)
    return Empty(uncaught, all(passed), meant)


def _passing(sandbox: Sandbox, program: Program, cases: Sequence[Case]) -> list[bool]:
    """Say of each constant whether it passes every test; all constants are judged in one go."""
    plain = [case for case in cases if not case.replay]
    pairs = [(case, _value(at, case)) for at in range(_COUNT) for case in plain]
    results = judge(sandbox, [case for case, _ in pairs], [Answer(value=value) for _, value in pairs])
    width = len(plain)
    passed = [all(result.passed for result in results[at * width : (at + 1) * width]) for at in range(_COUNT)]
    replays = [case.replay for case in cases if case.replay]
    return [
        ok and all(_replay_passes(sandbox, program, one, _constant(at)) for one in replays)
        for at, ok in enumerate(passed)
    ]


def _constant(at: int) -> object:
    return _CONSTANTS[at] if at < len(_CONSTANTS) else None


def _value(at: int, case: Case) -> object:
    return _CONSTANTS[at] if at < len(_CONSTANTS) else case.test.input


def _replay_passes(sandbox: Sandbox, program: Program, recorded: Replay, constant: object) -> bool:
    """Run a test whose every call is answered with *constant*; objects that are made stay objects."""
    trial = replace(recorded, steps=[], answers=[], passed=False, failed="")
    shape = shape_of(program.source)
    for _ in range(_ROUNDS):
        advance(sandbox, shape, [trial], timeout=program.timeout)
        if not trial.open:
            return trial.passed
        trial.answers = [_stands_for(step, shape, constant) for step in trial.steps]
    return False


def _stands_for(step: dict[str, object], shape: dict[str, dict[str, object]], constant: object) -> dict[str, object]:
    made = step["of"] is None and step["name"] in shape["classes"]
    return {"object": step["name"]} if made else {"ok": {"dict": []} if constant == {} else constant}
