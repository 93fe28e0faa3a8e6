"""Running tests: where they run, what is compared, and how each way of not passing is told."""

import ast
from collections.abc import Iterator

import pytest

from mayfly.core import shown
from mayfly.gates import Suite, Test, find_entry
from mayfly.gates.proof._program import Program, ask
from mayfly.gates.proof._run_tests import run_cases
from mayfly.gates.proof._test_source import as_data, cases_of
from mayfly.gates.proof._values import TestResult
from mayfly.sandbox import EPHEMERAL_IMPORTS as SIX_IMPORTS
from mayfly.sandbox import Sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def program(source: str, *, timeout: float = 60.0) -> Program:
    return Program(source=source, entry=find_entry(ast.parse(source)), imports=SIX_IMPORTS, timeout=timeout)


def run(sandbox: Sandbox, source: str, *tests: Test, timeout: float = 60.0) -> list[TestResult]:
    made = program(source, timeout=timeout)
    return list(run_cases(sandbox, made, cases_of(Suite(tests=tests), made.entry)).results)


def checked(body: str) -> Test:
    return Test(name="c", kind="property", input=1, check=f"def check(input, output):\n    {body}\n")


SAME = "def same(n: int) -> int:\n    return n\n"


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 1", "returned 1, not True"),
        ("pass", "returned None, not True"),
        ("return False", "returned False, not True"),
        ("raise KeyError('x')", "raised KeyError: 'x'"),
        ("import os, signal; os._exit(3)", "the check ended in died"),
        ("while True: pass", "did not answer within 1 s"),
        ("return )", "does not load"),
    ],
)
def test_a_check_that_does_not_answer_exactly_true_is_not_accepted(sandbox: Sandbox, body: str, reason: str) -> None:
    (result,) = run(sandbox, SAME, checked(body))
    assert not result.passed
    assert reason in result.error


def test_a_check_that_answers_true_is_accepted(sandbox: Sandbox) -> None:
    (result,) = run(sandbox, SAME, checked("return input == output"))
    assert result.passed


def test_the_expected_value_never_enters_the_process_of_the_program(sandbox: Sandbox) -> None:
    source = """
def peek(n: int) -> bool:
    wanted = "expected-" + "secret"
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame.f_back
    while frame is not None:
        if wanted in repr(frame.f_locals) or wanted in repr(frame.f_globals):
            return True
        frame = frame.f_back
    return False
"""
    (result,) = run(sandbox, source, Test(name="s", kind="example", input=1, expected="expected-secret"))
    assert (result.got, result.expected) == ("False", "'expected-secret'")
    (result,) = run(sandbox, source, Test(name="s", kind="example", input="expected-secret", expected=True))
    assert result.passed, "the program would have seen it"


def test_an_object_that_lies_about_equality_is_compared_as_data(sandbox: Sandbox) -> None:
    source = """
class Liar(dict):
    def __eq__(self, other):
        return True

def lie(n: int) -> object:
    return Liar(a=1)
"""
    (result,) = run(sandbox, source, Test(name="l", kind="example", input=1, expected={"a": 2}))
    assert (result.passed, result.got) == (False, "{'a': 1}")


@pytest.mark.later
def test_the_input_that_hangs_is_named_and_the_others_still_count(sandbox: Sandbox) -> None:
    source = "def f(n: int) -> int:\n    while n == 2:\n        pass\n    return n\n"
    tests = [Test(name=str(n), kind="example", input=n, expected=n) for n in (1, 2, 3)]
    results = run(sandbox, source, *tests, timeout=3)
    assert [result.passed for result in results] == [True, False, True]
    assert "timeout" in results[1].error


def test_the_input_that_ends_the_process_is_named(sandbox: Sandbox) -> None:
    leave = "re.enum.sys.modules['os']._exit(1)"
    source = f"import re\ndef f(n: int) -> int:\n    if n == 2:\n        {leave}\n    return n\n"
    tests = [Test(name=str(n), kind="example", input=n, expected=n) for n in (1, 2)]
    results = run(sandbox, source, *tests)
    assert [result.passed for result in results] == [True, False]
    assert "died" in results[1].error


def test_an_error_has_its_type_message_and_line(sandbox: Sandbox) -> None:
    (result,) = run(sandbox, "def f(n: int) -> int:\n    return n // 0\n", Test(name="e", kind="example", expected=1))
    assert result.line == 2
    assert "TypeError" in result.error


def test_an_expected_error_is_met_by_its_class_or_a_subclass(sandbox: Sandbox) -> None:
    source = "def f(n: int) -> int:\n    return [1][n]\n"
    by_name = [
        Test(name=name, kind="example", input=9, raises=name) for name in ("IndexError", "LookupError", "KeyError")
    ]
    assert [result.passed for result in run(sandbox, source, *by_name)] == [True, True, False]


def test_a_result_that_is_no_data_fails_alone(sandbox: Sandbox) -> None:
    source = "def f(n: int) -> object:\n    return {1, 2} if n else [n]\n"
    tests = [
        Test(name="set", kind="example", input=1, expected=[1, 2]),
        Test(name="l", kind="example", input=0, expected=[0]),
    ]
    results = run(sandbox, source, *tests)
    assert [result.passed for result in results] == [False, True]
    assert "type set" in results[0].error


def test_names_of_builtins_may_be_reused_by_the_program(sandbox: Sandbox) -> None:
    source = "list = str = type = isinstance = dict = 5\n\ndef f(n):\n    return [n, {'a': (1, 2)}]\n"
    (result,) = run(sandbox, source, Test(name="n", kind="example", input=1, expected=[1, {"a": [1, 2]}]))
    assert result.passed, result.error


def test_generators_and_records_cross_as_lists_and_objects(sandbox: Sandbox) -> None:
    source = """
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Pair:
    left: int
    right: int

def pairs(n: int):
    for i in range(n):
        yield Pair(i, i + 1)
"""
    entry = find_entry(ast.parse(source), "pairs")
    (answer,) = ask(sandbox, Program(source=source, entry=entry, imports=SIX_IMPORTS), [{"input": 2}])
    assert answer.value == [{"left": 0, "right": 1}, {"left": 1, "right": 2}]


def test_a_program_that_does_not_load_fails_every_test_with_the_reason(sandbox: Sandbox) -> None:
    results = run(sandbox, "X = 1 / 0\ndef f(n):\n    return n\n", *[checked("return True")] * 2)
    assert ["ZeroDivisionError" in result.error for result in results] == [True, True]


def test_expected_values_look_as_after_crossing_the_wall() -> None:
    assert as_data({1: (2, 3)}) == {"1": [2, 3]}


def test_long_values_are_shown_short() -> None:
    assert len(shown("x" * 1000)) == 200
