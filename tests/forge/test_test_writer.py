"""The test writer: tests follow from the request, before there is any code."""

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Contract, Example, Side
from mayfly.forge import Request, read_tests
from mayfly.forge._relations import relations
from mayfly.forge._test_writer import TestWriter, hold_out
from mayfly.gates import Suite
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


def written(
    tmp_path: Path, *answers: str, request: Request | None = None, held_out: tuple[Example, ...] = ()
) -> tuple[Suite, list[dict[str, Any]]]:
    """Return the suite that is written with these answers of a model, and what the model was asked."""
    record = tmp_path / "record.jsonl"
    name = write_script(tmp_path / "script.jsonl", *(("tests", answer) for answer in answers))
    with open_model(name, record=record) as model:
        suite = TestWriter(model).write(request or Request(intent="square the number"), held_out=held_out)
    return suite, [json.loads(line) for line in record.read_text().splitlines()]


def cases(*pairs: tuple[object, object], words: str = "") -> str:
    rows = [{"input": given, "output": wanted} | ({"words": words} if words else {}) for given, wanted in pairs]
    return json.dumps({"cases": rows})


@pytest.mark.parametrize(
    "answer",
    [
        "I am sorry, there is nothing to test here.",
        "",
        '{"cases": []}',
        '{"cases": [{"input": 1}]}',
        "```python\nx = 1\n```",
    ],
    ids=["prose", "nothing", "no cases", "a case without an output", "a program"],
)
def test_an_answer_without_tests_gives_none_and_is_asked_for_once(tmp_path: Path, answer: str) -> None:
    suite, asked = written(tmp_path, answer)
    assert (suite.tests, suite.author, len(asked)) == ((), "request", 1)


def test_a_writer_that_gives_hundreds_is_cut_short(tmp_path: Path) -> None:
    suite, _ = written(tmp_path, cases(*((number, number * number) for number in range(500))))
    assert len(suite.tests) == 50
    assert len({test.name for test in suite.tests}) == 50


def test_whoever_wrote_the_tests_is_named(tmp_path: Path) -> None:
    suite, _ = written(tmp_path, cases((2, 4)))
    assert suite.author == f"scripted:{tmp_path / 'script.jsonl'}"
    assert [test.kind for test in suite.tests] == ["intent"]


def test_a_test_that_contradicts_an_example_is_dropped_whether_it_was_shown_or_not(tmp_path: Path) -> None:
    request = Request(intent="square the number", examples=(Example(input=2, output=4),))
    held_out = (Example(input=3, output=9),)
    suite, _ = written(tmp_path, cases((2, 5), (3, 6), (4, 16), (2, 4.0)), request=request, held_out=held_out)
    kept = [(test.input, test.expected) for test in suite.tests if test.kind == "intent"]
    assert kept == [(4, 16), (2, 4.0)]


def test_the_writer_is_not_shown_what_is_held_out(tmp_path: Path) -> None:
    request = Request(intent="square the number", examples=(Example(input=11, output=121),))
    _, [asked] = written(tmp_path, cases((2, 4)), request=request, held_out=(Example(input=123, output=15129),))
    assert "121" in asked["prompt"]
    assert "15129" not in asked["prompt"]


def test_what_was_agreed_on_is_told_and_its_pattern_kept(tmp_path: Path) -> None:
    contract = Contract(input=Side(type="str", pattern="[a-z]+"), edges={"empty": "gives nothing"})
    suite, [asked] = written(tmp_path, cases(("a", "A")), request=Request(intent="shout", contract=contract))
    assert "- empty: gives nothing" in asked["prompt"]
    assert suite.pattern == "[a-z]+"


def test_words_without_a_test_are_asked_for_once_more(tmp_path: Path) -> None:
    request = Request(intent="sum the prices of red apples without tax")
    first, second = cases(([1], 1), words="sum prices"), cases(([1], 1), ([2], 2), words="apples")
    suite, asked = written(tmp_path, first, second, request=request)
    assert len(asked) == 2
    assert "have no test yet" not in asked[0]["prompt"]
    missing = asked[1]["prompt"].partition("write cases for them: ")[2]
    assert {"red", "apples", "tax"} <= set(missing.replace(",", " ").split())
    assert "prices" not in missing
    # What came again for other words is another test of them; nothing is asked a third time.
    assert [(test.input, test.words) for test in suite.tests] == [
        ([1], "sum prices"),
        ([1], "apples"),
        ([2], "apples"),
    ]


@pytest.mark.parametrize("words", ["", "sum the prices of red apples"], ids=["no words are named", "all have one"])
def test_words_are_not_asked_for_where_nothing_is_known_to_be_missing(tmp_path: Path, words: str) -> None:
    _, asked = written(tmp_path, cases(([1], 1), words=words), request=Request(intent="sum the prices of red apples"))
    assert len(asked) == 1


def test_the_same_test_written_twice_counts_once(tmp_path: Path) -> None:
    request = Request(intent="sum the prices of red apples without tax")
    suite, asked = written(tmp_path, cases(([1], 1), words="sum"), request=request)
    assert (len(asked), len(suite.tests)) == (2, 1)
