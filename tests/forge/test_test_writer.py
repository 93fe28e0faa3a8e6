"""The test writer: tests follow from the request, before there is any code."""

import json
from pathlib import Path

import pytest

from mayfly.core import Example
from mayfly.forge import Request, TestWriter, hold_out, read_tests
from mayfly.forge._relations import relations
from mayfly.models import open_model
from mayfly.testing import write_script

EXAMPLES = tuple(Example(input=n, output=n * n) for n in range(6))


@pytest.mark.parametrize(("given", "held"), [(0, 0), (1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (9, 3)])
def test_a_third_of_three_or_more_examples_is_held_out(given: int, held: int) -> None:
    shown, hidden = hold_out(tuple(Example(input=n, output=n) for n in range(given)))
    assert (len(shown), len(hidden)) == (given - held, held)


def test_shown_and_held_out_examples_become_tests_of_their_kind() -> None:
    shown, hidden = hold_out(EXAMPLES)
    suite = TestWriter().write(Request(intent="square", examples=shown), held_out=hidden)
    assert [test.kind for test in suite.tests] == ["example"] * 4 + ["held-out"] * 2
    assert [test.expected for test in suite.tests] == [example.output for example in (*shown, *hidden)]


def test_what_is_held_out_does_not_depend_on_the_order_of_the_examples() -> None:
    assert set(map(repr, hold_out(EXAMPLES)[1])) == set(map(repr, hold_out(EXAMPLES[::-1])[1]))


@pytest.mark.parametrize(
    ("intent", "kind"),
    [
        ("Parse the config", "parse"),
        ("Find TODO comments in code", "find"),
        ("Extract the e-mail addresses", "find"),
        ("Convert the table to JSON", "transform"),
        ("Count the lines", ""),
        ("Find the number of words", ""),
        ("Reticulate splines", ""),
    ],
)
def test_the_kind_of_request_decides_the_relation(intent: str, kind: str) -> None:
    assert [relation.kind for relation in relations(intent, {})] == ([kind] if kind else [])


def test_a_schema_in_the_context_is_checked_for_what_is_generated() -> None:
    [relation] = relations("Generate a user", {"schema": {"type": "object", "required": ["name"]}})
    assert "'required': ['name']" in relation.source


def test_cases_written_by_a_model_are_read() -> None:
    answer = 'Here:\n```json\n{"cases": [{"input": 1, "output": 2}], "checks": []}\n```'
    [test] = read_tests(answer, [])
    assert (test.input, test.expected) == (1, 2)


def test_checks_written_by_a_model_run_over_every_input() -> None:
    answer = json.dumps({"cases": [], "checks": [{"source": "def check(input, output):\n    return True"}]})
    assert [test.input for test in read_tests(answer, [1, 2])] == [1, 2]


def test_test_functions_in_python_are_kept_whole() -> None:
    [test] = read_tests("```python\ndef test_it():\n    assert f(1) == 2\n```", [])
    assert test.kind == "function"


def test_brackets_in_python_are_not_taken_for_cases() -> None:
    [test] = read_tests("def test_it():\n    assert f([1])[0] == 2\n", [])
    assert test.kind == "function"


def test_tests_with_parameters_are_functions_too() -> None:
    [test] = read_tests(
        'import pytest\n\n@pytest.mark.parametrize("n", [1, 2])\ndef test_it(n):\n    assert f(n)\n', [1]
    )
    assert test.kind == "function"


def test_a_test_of_the_result_becomes_a_check() -> None:
    [test] = read_tests("def test_parse(result):\n    return isinstance(result, dict)", ["x"])
    assert "def check(input, output)" in test.check


@pytest.mark.parametrize("answer", ["", "no tests today", "[]", "{}", '{"cases": 3}', "def f(:", "42"])
def test_what_is_no_test_counts_as_none(answer: str) -> None:
    assert read_tests(answer, [1]) == []


def test_a_model_that_fails_leaves_the_other_tests(tmp_path: Path) -> None:
    with open_model(write_script(tmp_path / "script.jsonl", ("tests", "nothing"))) as model:
        suite = TestWriter(model).write(Request(intent="square", examples=EXAMPLES))
    assert len(suite.tests) == 6
