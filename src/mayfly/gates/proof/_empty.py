"""Whether the tests would notice a program that does nothing: one that always gives the same empty result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.core import UNSET, same
from mayfly.gates.proof._calls import Replay, advance
from mayfly.gates.proof._calls_extract import shape_of
from mayfly.gates.proof._run_tests import Case, judge
from mayfly.gates.proof._run_tests_ask import Answer, Program
from mayfly.gates.proof._values_types import Types, fits
from mayfly.sandbox import Sandbox

_CONSTANTS: tuple[object, ...] = (None, [], {}, "", 0, False, True)
_INPUT = "its input"
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


def passed_by(sandbox: Sandbox, program: Program, cases: Sequence[Case], more: Sequence[object]) -> bool:
    """Say whether a constant passes every test: an empty value that fits the annotation, one of *more*, the input."""
    kind = Types(program.source).kind(program.entry.returns)
    constants = [*(value for value in _CONSTANTS if fits(value, kind)), *more]
    return any(_passing(sandbox, program, cases, constants))


def _passing(
    sandbox: Sandbox, program: Program, cases: Sequence[Case], constants: Sequence[object] = _CONSTANTS
) -> list[bool]:
    """Say of each constant, and of the input itself, whether it passes every test; all are judged in one go."""
    count = len(constants) + 1
    plain = [case for case in cases if not case.replay]
    pairs = [(case, constants[at] if at < len(constants) else case.test.input) for at in range(count) for case in plain]
    results = judge(sandbox, [case for case, _ in pairs], [Answer(value=value) for _, value in pairs])
    width = len(plain)
    passed = [all(result.passed for result in results[at * width : (at + 1) * width]) for at in range(count)]
    alive = [at for at in range(count) if passed[at]]
    replays = [case.replay for case in cases if case.replay]
    values = [*constants, None]
    fooled = _fooled(sandbox, program, replays, {at: values[at] for at in alive}) if replays else set(alive)
    return [at in fooled for at in range(count)]


def _fooled(sandbox: Sandbox, program: Program, recorded: Sequence[Replay], alive: Mapping[int, object]) -> set[int]:
    """Return which constants pass every test when each call is answered with them; what is made stays an object."""
    shape = shape_of(program.source)
    trials = [(at, replace(one, steps=[], answers=[], passed=False, failed="")) for at in alive for one in recorded]
    for _ in range(_ROUNDS):
        waiting = [(at, trial) for at, trial in trials if trial.open]
        if not waiting:
            break
        advance(sandbox, shape, [trial for _, trial in waiting], timeout=program.timeout)
        for at, trial in waiting:
            trial.answers = [_stands_for(step, shape, alive[at]) for step in trial.steps]
    return set(alive) - {at for at, trial in trials if not trial.passed}


def _stands_for(step: dict[str, object], shape: dict[str, dict[str, object]], constant: object) -> dict[str, object]:
    made = step["of"] is None and step["name"] in shape["classes"]
    return {"object": step["name"]} if made else {"ok": {"dict": []} if constant == {} else constant}
