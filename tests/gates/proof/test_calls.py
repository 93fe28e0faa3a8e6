"""Test functions that call the program by its own names, while the program is in another process."""

import ast
from collections.abc import Iterator

import pytest

from mayfly.gates import Suite, Test, find_entry
from mayfly.gates.proof._program import Program, shape_of
from mayfly.gates.proof._prover import Prover
from mayfly.gates.proof._run_tests import run_cases
from mayfly.gates.proof._test_source import cases_of, collect
from mayfly.gates.proof._values import TestResult
from mayfly.sandbox import EPHEMERAL_IMPORTS as SIX_IMPORTS
from mayfly.sandbox import Sandbox

PARSER = '''
from dataclasses import dataclass
from typing import Optional
import re

@dataclass
class Found:
    line: int
    kind: str
    size: Optional[int] = None

class Bad(ValueError):
    pass

class Parser:
    """Find lines about memory."""

    def __init__(self, word: str = "heap") -> None:
        self.word = word
        self.calls = 0

    def invoke(self, text: str) -> list[Found]:
        self.calls += 1
        if not isinstance(text, str):
            raise Bad("text is needed")
        lines = enumerate(text.split("\\n"))
        return [Found(i, "eden" if "eden" in line else "tenured") for i, line in lines if self.word in line]

    def count(self) -> int:
        return self.calls

    def nothing(self) -> None:
        return None

def make(word: str) -> Parser:
    return Parser(word)

def swap(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[1], pair[0]

async def later(n: int) -> int:
    return n + 1
'''


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def run(sandbox: Sandbox, test: str, source: str = PARSER) -> list[TestResult]:
    entry = find_entry(ast.parse(source), "Parser" if source is PARSER else "")
    program = Program(source=source, entry=entry, imports=SIX_IMPORTS)
    suite = Suite(tests=(Test(name="f", kind="function", function=test),))
    return list(run_cases(sandbox, program, cases_of(suite, program.entry)).results)


def passes(sandbox: Sandbox, body: str) -> TestResult:
    (result,) = run(sandbox, "import pytest\ndef test_it():\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    return result


@pytest.mark.first(8)
@pytest.mark.parametrize(
    "body",
    [
        "found = Parser().invoke('x\\nheap')\nassert len(found) == 1\nassert found[0].line == 1",
        "found = Parser(word='eden').invoke('eden')[0]\nassert found['kind'] == 'eden' and found.size is None",
        "assert Parser().invoke('heap') == [Found(0, 'tenured')]",
        "assert Parser().invoke('heap') != [Found(1, 'tenured')]",
        "assert isinstance(Parser().invoke('heap')[0], Found)",
        "parser = Parser()\nparser.invoke('a')\nparser.invoke('b')\nassert parser.count() == 2",
        "one, other = Parser(), Parser()\none.invoke('a')\nassert (one.count(), other.count()) == (1, 0)",
        "assert make('x').invoke('x')[0].line == 0",
        "assert make('x').word == 'x'",
        "assert Parser().nothing() is None",
        "assert swap((1, 2)) == (2, 1)\nassert isinstance(swap((1, 2)), tuple)",
        "with pytest.raises(Bad, match='needed'):\n    Parser().invoke(5)",
        "with pytest.raises(ValueError):\n    Parser().invoke(None)",
        "with pytest.raises(TypeError):\n    Parser(1, 2, 3)",
        "import asyncio\nassert asyncio.run(later(1)) == 2",
        "from anywhere import Parser as P, Found\nassert P().invoke('heap') == [Found(line=0, kind='tenured')]",
        "import anywhere\nassert anywhere.swap([1, 2]) == (2, 1)",
        "assert 0.1 + 0.2 == pytest.approx(0.3)",
        "for n in range(4):\n    assert swap((n, 0))[1] == n",
    ],
)
def test_a_right_test_of_a_right_program_passes(sandbox: Sandbox, body: str) -> None:
    result = passes(sandbox, body)
    assert result.passed, result.error


@pytest.mark.first(4)
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("found = Parser().invoke('heap')\nassert found[0].kind == 'heap'", "but found[0].kind is 'tenured'"),
        ("assert Parser().invoke('heap') == []", "expected [], got [{'line': 0"),
        ("with pytest.raises(Bad):\n    Parser().invoke('fine')", "did not raise"),
        ("Parser().invoke(5)", "Bad: text is needed"),
        ("Parser().vanish()", "vanish"),
        ("pytest.skip('later')", "skipped"),
        ("while True:\n    swap((1, 2))", "more than 50 calls"),
        ("undefined_name", "NameError"),
    ],
)
def test_a_test_that_does_not_hold_fails_with_the_reason(sandbox: Sandbox, body: str, reason: str) -> None:
    result = passes(sandbox, body)
    assert not result.passed
    assert reason in result.error


def test_the_document_s_own_pair_is_caught(sandbox: Sandbox) -> None:
    test = """
def test_stack_trace_parser():
    parser = Parser()
    sample_log = '''
    Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
        at com.example.App.allocate(App.java:42)
    '''
    patterns = parser.invoke(sample_log)
    assert len(patterns) == 1
    assert patterns[0].kind == "heap"
"""
    (result,) = run(sandbox, test)
    assert (result.passed, result.line) == (False, 10)


def test_each_function_and_each_row_is_a_test(sandbox: Sandbox) -> None:
    test = """
import pytest

@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 4)])
def test_rows(a, b):
    assert swap((a, b)) == (b, a)

@pytest.mark.parametrize("a", [1, 2])
def test_single(a):
    assert swap((a, 0)) == (0, 1)

class TestGroup:
    def test_inside(self):
        assert swap((1, 2))[0] == 2
"""
    results = {result.name: result.passed for result in run(sandbox, test)}
    assert results == {"test_rows": True, "test_single": False, "TestGroup.test_inside": True}


def test_a_source_without_tests_fails(sandbox: Sandbox) -> None:
    (result,) = run(sandbox, "def helper():\n    pass\n")
    assert "holds no test" in result.error


def test_a_test_cannot_reach_the_program_and_the_program_cannot_reach_the_test(sandbox: Sandbox) -> None:
    source = """
class Liar:
    def __eq__(self, other):
        return True
    def __len__(self):
        return 1

def lie(n: int) -> object:
    return Liar()
"""
    (result,) = run(sandbox, "def test_lie():\n    found = lie(1)\n    assert found == [1]\n", source)
    assert not result.passed


def test_plain_asserts_of_the_entry_become_examples() -> None:
    source = "def double(n: int) -> int:\n    return 2 * n\n"
    test = Test(name="f", kind="function", function="assert double(2) == 4\ndef test_a():\n    assert double(1) == 2\n")
    found = collect(test, find_entry(ast.parse(source)))
    claims = {name: [tuple(claim) for claim in claims] for name, claims in found.claims.items()}
    assert claims == {"test_a": [(1, 2)], "test_at_the_top": [(2, 4)]}
    assert found.picks == ()


def test_a_test_with_more_than_plain_asserts_is_run() -> None:
    entry = find_entry(ast.parse("def double(n: int) -> int:\n    return 2 * n\n"))
    body = "def test_a():\n    x = 1\n    assert double(x) == 2\n"
    assert collect(Test(name="f", kind="function", function=body), entry).picks == ("test_a",)


def test_the_shape_of_a_program_says_what_can_be_called() -> None:
    shape = shape_of(PARSER)
    assert shape["functions"] == {"make": False, "swap": False, "later": True}
    assert shape["classes"]["Found"]["data"]
    assert shape["classes"]["Bad"]["error"]
    assert set(shape["classes"]["Parser"]["methods"]) == {"invoke", "count", "nothing"}


def test_mutants_are_tried_with_test_functions_too(sandbox: Sandbox) -> None:
    source = "def both(a: int, b: int) -> int:\n    return a * 10 + b\n"
    test = "def test_it():\n    x = both(1, 2)\n    assert x == 12\n    assert both(x, 5) == 125\n"
    report = Prover(sandbox).prove(
        source,
        find_entry(ast.parse(source)),
        Suite(tests=(Test(name="f", kind="function", function=test),)),
        imports=SIX_IMPORTS,
    )
    assert report.proof.mutants > 5
    assert report.proof.mutants_killed >= report.proof.mutants - 1
