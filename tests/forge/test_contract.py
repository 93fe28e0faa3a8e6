"""Contracts: what follows from what was given, and what a model may add to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Contract, Example, Side
from mayfly.forge import Request
from mayfly.forge._contract import ContractWriter, contract_of
from mayfly.models import open_model
from mayfly.testing import write_script

DATES = tuple(
    Example(input=given, output=wanted) for given, wanted in [("2024-01-31", 31), ("2023-12-01", 1), ("2024-02-29", 29)]
)
REQUEST = Request(intent="day of the month", examples=DATES)


def test_types_and_formats_follow_from_the_examples() -> None:
    known = contract_of(REQUEST)
    assert (known.input, known.output) == (
        Side(type="str", format='like "2024-01-31"'),
        Side(type="int", format="like 1"),
    )
    assert (known.edges, known.assumptions) == ({}, ())


@pytest.mark.parametrize(
    ("inputs", "kind"),
    [
        ([1, 2], "int"),
        ([1, 2.5], "int | float"),
        (["a", None], "str | None"),
        ([[1], []], "list[int]"),
        ([{"a": [1.5]}], "dict[str, list[float]]"),
        ([[[[[[[1]]]]]]], "list[list[list[list[list[object]]]]]"),
        ([[]], "list[object]"),
    ],
)
def test_a_side_has_the_type_of_all_its_values(inputs: list[object], kind: str) -> None:
    request = Request(intent="x", examples=tuple(Example(input=value, output=1) for value in inputs))
    assert contract_of(request).input.type == kind


def test_lines_are_a_list_of_what_the_sample_holds() -> None:
    assert contract_of(Request(intent="x", sample=("a", "b"), lines=True)).input.type == "list[str]"


@pytest.mark.parametrize("empty", ["", [], {}])
def test_an_example_of_nothing_says_what_nothing_gives(empty: object) -> None:
    request = Request(intent="x", examples=(Example(input=empty, output=0), Example(input="a", output=1)))
    assert contract_of(request).edges == {"empty": "gives 0"}


def agreed(tmp_path: Path, answer: str, request: Request = REQUEST) -> tuple[Contract, list[dict[str, Any]]]:
    """Return what is agreed on where a model answers so, and what it was asked."""
    record = tmp_path / "record.jsonl"
    with open_model(write_script(tmp_path / "script.jsonl", ("contract", answer)), record=record) as model:
        found = ContractWriter(model).write(request, contract_of(request))
    return found, [json.loads(line) for line in record.read_text().splitlines()]


def contract(**fields: object) -> str:
    return json.dumps(fields)


def test_a_model_adds_edges_formats_and_assumptions_in_one_call(tmp_path: Path) -> None:
    said = contract(
        input={"type": "str", "format": "a date as YYYY-MM-DD", "pattern": r"\d{4}-\d\d-\d\d"},
        output={"type": "int", "format": "1 to 31"},
        edges={"malformed": "raise ValueError"},
        assumptions=["dates are Gregorian"],
    )
    found, [asked] = agreed(tmp_path, f"Here it is:\n```json\n{said}\n```\nI hope this helps.")
    assert found.input == Side(type="str", format="a date as YYYY-MM-DD")
    assert found.output == Side(type="int", format="1 to 31")
    assert (found.edges, found.assumptions) == ({"malformed": "raise ValueError"}, ("dates are Gregorian",))
    assert "day of the month" in asked["prompt"]
    assert 'input: str: like "2024-01-31"' in asked["prompt"]


def test_types_that_the_examples_show_are_not_a_models_to_say(tmp_path: Path) -> None:
    found, _ = agreed(tmp_path, contract(input="datetime.date", output="str"))
    assert (found.input.type, found.output.type) == ("str", "int")


def test_where_nothing_was_given_a_model_says_the_types(tmp_path: Path) -> None:
    found, _ = agreed(tmp_path, contract(input="datetime", output="int"), Request(intent="day of the month"))
    assert (found.input.type, found.output.type) == ("datetime", "int")


def test_what_an_example_says_of_an_edge_wins(tmp_path: Path) -> None:
    request = Request(intent="length", examples=(Example(input="", output=0), Example(input="ab", output=2)))
    found, _ = agreed(tmp_path, contract(edges={"empty": "raise ValueError", "case": "kept"}), request)
    assert found.edges == {"empty": "gives 0", "case": "kept"}


@pytest.mark.parametrize(
    "answer",
    [
        "It takes a date and returns its day.",
        "",
        "{",
        "}{",
        "[1, 2]",
        "[" * 100_000 + "{" + "}",
        contract(edges={"overflow": "wraps"}),
        contract(edges=["empty"]),
        contract(assumptions="none"),
        contract(input=3),
        contract(input={"type": "str", "regex": "x"}),
        contract(input={"pattern": "("}),
        contract(returns="int"),
    ],
    ids=[
        "prose",
        "nothing",
        "cut off",
        "the wrong way round",
        "a list",
        "too deep",
        "an edge that there is not",
        "edges that are a list",
        "assumptions that are a text",
        "a side that is a number",
        "a side with another key",
        "a pattern that is none",
        "another key",
    ],
)
def test_an_answer_that_is_no_contract_adds_nothing(tmp_path: Path, answer: str) -> None:
    found, asked = agreed(tmp_path, answer)
    assert found == contract_of(REQUEST)
    assert len(asked) == 1


def test_a_pattern_that_a_model_wrote_is_not_tried_on_the_host(tmp_path: Path) -> None:
    said = contract(input={"format": "a date", "pattern": r"(\d+)+x"}, edges={"malformed": "raise ValueError"})
    found, _ = agreed(tmp_path, said)
    assert found.input == Side(type="str", format="a date")
    assert found.edges == {"malformed": "raise ValueError"}


def test_without_a_model_what_is_known_stays_as_it_is(tmp_path: Path) -> None:
    known = contract_of(REQUEST)
    assert ContractWriter(None).write(REQUEST, known) is known
    with open_model(write_script(tmp_path / "script.jsonl", ("tests", "x"))) as model:
        assert ContractWriter(model).write(REQUEST, known) is known


def test_a_contract_is_the_same_after_it_was_written_down() -> None:
    made = Contract(
        input=Side(type="str", format="a date", pattern="[0-9-]+"),
        output=Side(type="int"),
        edges={"empty": "gives 0"},
        assumptions=("dates are Gregorian",),
    )
    assert Contract.from_json(json.loads(json.dumps(made.to_json()))) == made
