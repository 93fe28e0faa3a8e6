"""Run tests that call a program by its own names, with the program in another process.

The test runs where every name of the program is a stub. A call that has no recorded answer ends the run and says what
it needs; the host asks the program's process and starts the test again with the answer. Both sides see plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from mayfly.gates.proof._calls_extract import shape_of
from mayfly.gates.proof._run_tests_ask import Answer, Program, ask
from mayfly.gates.proof.harness import far_side
from mayfly.sandbox import Sandbox

# What tests may import whatever the program's tier is; they run behind the same wall.
_TEST_IMPORTS = """
    re json dataclasses typing datetime math collections itertools functools string random decimal fractions enum copy
    textwrap statistics operator asyncio
"""
TEST_IMPORTS = frozenset(_TEST_IMPORTS.split())


@dataclass(kw_only=True)
class Replay:
    """One test by its name, the calls it was seen to make and the answers they got."""

    source: str
    pick: str
    steps: list[Any] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    passed: bool = False
    failed: str = ""
    line: int | None = None

    @property
    def open(self) -> bool:
        """Whether it is not known yet how the test ends."""
        return not self.passed and not self.failed


def replay(sandbox: Sandbox, program: Program, tests: Sequence[Replay], *, rounds: int = 50) -> None:
    """Run every test to its end, in rounds: all tests in one job, then all calls they need in another."""
    shape = shape_of(program.source)
    for _ in range(rounds):
        waiting = [test for test in tests if test.open]
        if not waiting:
            return
        advance(sandbox, shape, waiting, timeout=program.timeout)
        needy = [test for test in waiting if test.open]
        _answer(needy, ask(sandbox, program, [{"steps": test.steps} for test in needy]))
    for test in tests:
        if test.open:
            test.failed = f"the test makes more than {rounds} calls of the program"


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
