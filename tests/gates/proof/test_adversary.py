"""Inputs on which a program does not end: held against it only within reasonable sizes."""

import ast
from collections.abc import Iterator

import pytest

from mayfly.gates import ProofOptions, find_entry
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._program import Answer, Program
from mayfly.gates.proof._properties import convict, suspects
from mayfly.sandbox import EPHEMERAL_IMPORTS, Sandbox

OPTIONS = ProofOptions(total_seconds=1.0)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def program(body: str) -> Program:
    source = f"def f(n):\n    {body}\n"
    return Program(source=source, entry=find_entry(ast.parse(source)), imports=EPHEMERAL_IMPORTS)


def given(value: object, *, inside: bool = True) -> Given:
    return Given(value, 1, inside)


def test_only_inputs_of_reasonable_size_are_suspected() -> None:
    late = Answer(errors=("timeout",))
    asked = [given(1), given(10**9, inside=False), given(3)]
    assert suspects(asked, [late, late, Answer(value=1)]) == [asked[0]]


def test_a_suspect_that_fails_again_with_all_the_time_there_is_is_refused(sandbox: Sandbox) -> None:
    (verdict,) = convict(sandbox, program("while True: pass"), [given(7)], OPTIONS)
    assert (verdict.code, verdict.decision, verdict.measured) == ("ADVERSARIAL", "reject", "timeout")
    assert "7" in verdict.message


def test_a_suspect_that_only_needs_more_time_is_let_go(sandbox: Sandbox) -> None:
    assert not list(convict(sandbox, program("return n"), [given(7)], OPTIONS))
