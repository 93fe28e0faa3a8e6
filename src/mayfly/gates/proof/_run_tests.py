"""Run the tests of a suite against a program, and say of each what it got and why that was accepted or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from mayfly.core import UNSET, same, shown
from mayfly.gates._entry import Entry
from mayfly.gates.proof._as_data import as_data
from mayfly.gates.proof._calls import Replay, replay
from mayfly.gates.proof._calls_extract import collect
from mayfly.gates.proof._run_tests_ask import Answer, Ask, Program, ask
from mayfly.gates.proof._run_tests_check import Question, checked
from mayfly.gates.proof._suite import Suite, Test
from mayfly.sandbox import Sandbox


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """Say how one test ended; every field is plain data."""

    __test__ = False

    name: str
    kind: str
    passed: bool
    expected: str = ""
    got: str = ""
    error: str = ""
    input: str = ""
    line: int | None = None

    def to_json(self) -> dict[str, object]:
        """Return the fields as plain data."""
        return asdict(self)


class Case(NamedTuple):
    """One question to the program, or one replayed test, and the test it belongs to."""

    name: str
    test: Test
    replay: Replay | None = None
    problem: str = ""

    @property
    def ask(self) -> Ask:
        """What the program is asked."""
        return {"steps": self.replay.steps} if self.replay else {"input": self.test.input}


def cases_of(suite: Suite, entry: Entry) -> list[Case]:
    """Take the suite apart; a source with several tests gives several cases."""
    return [case for test in suite.tests for case in _cases(test, entry)]


def _cases(test: Test, entry: Entry) -> Iterator[Case]:
    if test.function:
        yield from _function_cases(test, entry)
        return
    if test.expected is UNSET and not test.raises and not test.check:
        yield Case(test.name, test, problem="the test says nothing about the output")
        return
    try:
        given, expected = as_data(test.input), UNSET if test.expected is UNSET else as_data(test.expected)
        yield Case(test.name, _with(test, given, expected))
    except (TypeError, ValueError, RecursionError) as error:
        yield Case(test.name, test, problem=f"the test is not plain data: {error}")


def _function_cases(test: Test, entry: Entry) -> Iterator[Case]:
    found = collect(test, entry)
    if found.problem:
        yield Case(test.name, test, problem=found.problem)
    for name, claims in found.claims.items():
        for number, claim in enumerate(claims, 1):
            label = f"{name}[{number}]" if len(claims) > 1 else name
            yield Case(label, _with(test, claim.input, claim.expected))
    for pick in found.picks:
        yield Case(pick, test, Replay(source=found.source, pick=pick))


def _with(test: Test, given: object, expected: object) -> Test:
    return Test(name=test.name, kind=test.kind, input=given, expected=expected, raises=test.raises, check=test.check)


class Ran(NamedTuple):
    """All cases of a suite, what the program answered to each, and the results."""

    cases: list[Case]
    answers: list[Answer]
    results: list[TestResult]

    @property
    def failed(self) -> list[TestResult]:
        """The results that are not passes."""
        return [result for result in self.results if not result.passed]


def run_tests(sandbox: Sandbox, program: Program, suite: Suite) -> Ran:
    """Run the whole suite: inputs in one job, checks in another, replayed tests in rounds."""
    cases = cases_of(suite, program.entry)
    plain = [case for case in cases if not case.replay and not case.problem]
    answered = dict(zip(map(id, plain), ask(sandbox, program, [case.ask for case in plain]), strict=True))
    replays = [case.replay for case in cases if case.replay]
    if replays:
        replay(sandbox, program, replays)
    answers = [answered.get(id(case), Answer()) for case in cases]
    return Ran(cases, answers, judge(sandbox, cases, answers))


def judge(sandbox: Sandbox, cases: Sequence[Case], answers: Sequence[Answer]) -> list[TestResult]:
    """Return the result of each case, asking the checks in one job."""
    asked = [
        Question(case.test.check, case.test.input, answer.value)
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


def to_json(results: Sequence[TestResult]) -> list[dict[str, Any]]:
    """Return results as plain data."""
    return [result.to_json() for result in results]
