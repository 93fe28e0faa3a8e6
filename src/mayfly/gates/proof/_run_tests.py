"""Run the tests of a suite against a program, and say of each what it got and why that was accepted or not.

A test that calls the program by its own names runs where every name of the program is a stub, in another process. A
call that has no recorded answer ends the run and says what it needs; the host asks the program's process and starts
the test again with the answer. Both sides see plain data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from mayfly.core import UNSET, Verdict, same, shown
from mayfly.gates.proof._program import EMPTY, Answer, Program, ask
from mayfly.gates.proof._test_source import Case, Replay
from mayfly.gates.proof._values import Test, TestResult, refuse
from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Sandbox

# What tests may import whatever the program's tier is; they run behind the same wall.
_TEST_IMPORTS = """
    re json dataclasses typing datetime math collections itertools functools string random decimal fractions enum copy
    textwrap statistics operator asyncio
"""
TEST_IMPORTS = frozenset(_TEST_IMPORTS.split())
_SHOWN_FAILURES = 5
_CHECK_SECONDS = 1.0
_CHECK_WALL = 10.0
# So many calls a test may make while a constant answers each of them.
_CONSTANT_ROUNDS = 20


def replay(sandbox: Sandbox, program: Program, tests: Sequence[Replay], *, rounds: int = 50) -> None:
    """Run every test to its end, in rounds: all tests in one job, then all calls they need in another."""
    for _ in range(rounds):
        waiting = [test for test in tests if test.open]
        if not waiting:
            return
        advance(sandbox, program.shape, waiting, timeout=program.timeout)
        needy = [test for test in waiting if test.open]
        _answer(needy, ask(sandbox, program, [{"steps": test.steps} for test in needy]))
    for test in tests:
        if test.open:
            test.failed = f"the test makes more than {rounds} calls of the program"


def replays_alike(sandbox: Sandbox, program: Program, recorded: Replay, answer: Answer) -> bool:
    """Say whether a test passes with another program, whose first answers to its calls are in *answer*."""
    if not answer.steps:
        return False
    again = replace(recorded, answers=list(answer.steps), steps=[], passed=False, failed="")
    replay(sandbox, program, [again], rounds=5)
    return again.passed


def _answer(tests: Sequence[Replay], answers: Sequence[Answer]) -> None:
    for test, answer in zip(tests, answers, strict=True):
        if len(answer.steps) != len(test.steps):
            test.failed = answer.error or "the program did not answer the calls of the test"
        elif list(answer.steps[: len(test.answers)]) != test.answers:
            test.failed = "NONDETERMINISTIC: the program answered the same calls in another way"
        else:
            test.answers = list(answer.steps)


def advance(sandbox: Sandbox, shape: dict[str, Any], tests: Sequence[Replay], *, timeout: float) -> None:
    """Run each test as far as its recorded answers go; a test that spoils the job of all is run alone."""
    request = {
        "imports": sorted(TEST_IMPORTS),
        "shape": shape,
        "tests": [{"source": test.source, "pick": test.pick, "answers": test.answers} for test in tests],
    }
    result = sandbox.run(far_side("pytest_stand_in", "stubs"), "run", request, timeout=timeout)
    if result.ok and isinstance(result.value, list) and len(result.value) == len(tests):
        for test, outcome in zip(tests, result.value, strict=True):
            _note(test, cast("dict[str, Any]", outcome))
    elif len(tests) == 1:
        tests[0].failed = f"the test ended in {result.status}: {result.error}"
    else:
        for test in tests:
            advance(sandbox, shape, [test], timeout=timeout)


def _note(test: Replay, outcome: dict[str, Any]) -> None:
    test.steps = outcome["steps"]
    test.passed = bool(outcome.get("passed"))
    test.failed = str(outcome.get("failed", ""))
    test.line = outcome.get("line")


class CheckedOutput(NamedTuple):
    """One output to be checked."""

    check: str
    input: object
    output: object


def checked(sandbox: Sandbox, questions: Sequence[CheckedOutput], *, seconds: float = _CHECK_SECONDS) -> list[str]:
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
    request = {"checks": checks, "seconds": seconds}
    result = sandbox.run(far_side("checks"), "run", request, timeout=max(_CHECK_WALL, 2 * seconds))
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


@dataclass(frozen=True, kw_only=True)
class Ran:
    """All cases of a suite, what the program answered to each, the results, and why they end the proof if they do."""

    cases: tuple[Case, ...]
    answers: tuple[Answer, ...]
    results: tuple[TestResult, ...]
    refused: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()


def run_cases(sandbox: Sandbox, program: Program, cases: Sequence[Case]) -> Ran:
    """Run every case: inputs in one job, checks in another, replayed tests in rounds."""
    plain = [case for case in cases if not case.replay and not case.problem]
    answered = ask(sandbox, program, [case.ask for case in plain])
    replays = [case.replay for case in cases if case.replay]
    if replays:
        replay(sandbox, program, replays)
    return judge_answers(sandbox, cases, answered)


def judge_answers(sandbox: Sandbox, cases: Sequence[Case], answered: Sequence[Answer]) -> Ran:
    """Return what became of *cases*, given the answers to those of them that are an input."""
    plain = [case for case in cases if not case.replay and not case.problem]
    by_case = dict(zip(map(id, plain), answered, strict=True))
    answers = [by_case.get(id(case), Answer()) for case in cases]
    results = judge(sandbox, cases, answers)
    refused = _refuse_failures(results)
    return Ran(cases=tuple(cases), answers=tuple(answers), results=tuple(results), refused=tuple(refused))


def run_tests(sandbox: Sandbox, program: Program, cases: Sequence[Case]) -> Ran:
    """Run every case, and refuse tests that every program passes."""
    return refuse_vacuous(sandbox, program, run_cases(sandbox, program, cases))


def _refuse_failures(results: Sequence[TestResult]) -> list[Verdict]:
    """Return the verdicts of a suite that is empty or that the program does not pass."""
    if not results:
        fix = "write tests that can fail: examples, checks or test functions"
        return [refuse(code="NO_TESTS", message="there are no tests", fix=fix)]
    failed = [
        refuse(
            code="NONDETERMINISTIC" if "NONDETERMINISTIC" in result.error else "TEST_FAILED",
            message=f"{result.name}{f', input {result.input}' if result.input else ''}: {result.error}",
            measured=result.got or None,
            limit=result.expected or None,
            line=result.line,
            fix="make the program give the expected output",
        )
        for result in results
        if not result.passed
    ]
    return failed[:_SHOWN_FAILURES]


def judge(sandbox: Sandbox, cases: Sequence[Case], answers: Sequence[Answer]) -> list[TestResult]:
    """Return the result of each case, asking the checks in one job."""
    asked = [
        CheckedOutput(case.test.check, case.test.input, answer.value)
        for case, answer in zip(cases, answers, strict=True)
        if _is_checked(case, answer)
    ]
    verdicts = iter(checked(sandbox, asked))
    return [
        _result(case, answer, next(verdicts) if _is_checked(case, answer) else "")
        for case, answer in zip(cases, answers, strict=True)
    ]


def _is_checked(case: Case, answer: Answer) -> bool:
    return bool(case.test.check) and not case.replay and not case.problem and answer.ok


def _result(case: Case, answer: Answer, objection: str) -> TestResult:
    test = case.test
    if case.problem:
        return TestResult(name=case.name, kind=test.kind, passed=False, error=case.problem)
    if case.replay:
        passed, failed, line = case.replay.passed, case.replay.failed, case.replay.line
        return TestResult(name=case.name, kind=test.kind, passed=passed, error=failed, line=line)
    reason = objection or why_not(test, answer)
    wanted = test.raises or ("" if test.expected is UNSET else shown(test.expected))
    return TestResult(
        name=case.name,
        kind=test.kind,
        passed=not reason,
        expected=wanted,
        got=shown(answer.value) if answer.ok else "",
        error=reason,
        input=shown(test.input),
        line=answer.line,
    )


def why_not(test: Test, answer: Answer) -> str:
    """Return why *answer* is not what a test without a check expects, or an empty text."""
    if test.raises:
        if test.raises in answer.errors:
            return ""
        return f"expected {test.raises}, got {answer.error or shown(answer.value)}"
    if not answer.ok:
        return answer.error
    if test.expected is not UNSET and not same(answer.value, test.expected):
        return f"expected {shown(test.expected)}, got {shown(answer.value)}"
    return ""


def refuse_vacuous(sandbox: Sandbox, program: Program, ran: Ran) -> Ran:
    """Try every empty result, and the input handed back, in the place of a program that passes: all may not pass too.

    Where the expected outputs really are all one constant, it is no fault of the tests' kind, but one more example is
    needed.
    """
    if ran.refused:
        return ran
    passed = _try_constants(sandbox, program, ran.cases, EMPTY)
    if all(passed):
        return replace(ran, refused=(_vacuous(),))
    # An empty result that the annotation forbids would be noticed by the types gate; the input has no such type.
    uncaught = any(ok and allowed for ok, allowed in zip(passed, (*program.allows_empty, True), strict=True))
    expected = [case.test.expected for case in ran.cases if case.test.expected is not UNSET]
    meant = bool(expected) and all(same(value, expected[0]) for value in expected)
    return replace(ran, notes=("every expected output is the same value",)) if meant and uncaught else ran


def _vacuous() -> Verdict:
    return refuse(
        code="VACUOUS",
        message="the tests prove nothing: every empty result passes them all",
        fix="add a test that fails for None, for an empty list and for the input handed back",
    )


def passed_by_constant(sandbox: Sandbox, program: Program, cases: Sequence[Case], more: Sequence[object]) -> bool:
    """Say whether a constant passes every test: an empty value that fits the annotation, one of *more*, the input."""
    empty = [value for value, allowed in zip(EMPTY, program.allows_empty, strict=True) if allowed]
    constants = [*empty, *more]
    return any(_try_constants(sandbox, program, cases, constants))


def _try_constants(
    sandbox: Sandbox, program: Program, cases: Sequence[Case], constants: Sequence[object]
) -> list[bool]:
    """Say of each constant, and last of the input itself, whether it passes every test; all are judged in one go."""
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
    shape = program.shape
    trials = [(at, replace(one, steps=[], answers=[], passed=False, failed="")) for at in alive for one in recorded]
    for _ in range(_CONSTANT_ROUNDS):
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
