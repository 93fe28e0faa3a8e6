"""One rule for structured answers, whatever they come from."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, NamedTuple, TypedDict, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mayfly.core import InputError
from mayfly.models import ModelError, json_schema
from mayfly.models._schema import Mismatch, read_answer

from .conftest import Script


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int = 0


class Options(TypedDict, total=False):
    loud: bool


@dataclass(frozen=True, kw_only=True)
class Leaf:
    name: str


@dataclass(frozen=True, kw_only=True)
class Tree:
    leaf: Leaf
    children: tuple[Tree, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    kind: Literal["oak", "elm"] = "oak"
    note: str | None = None


class Pet(BaseModel):
    name: str
    legs: int = 4


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (str, '"x"', "x"),
        (int, "3", 3),
        (int, "3.0", 3),
        (float, "3", 3.0),
        (bool, "true", True),
        (None, "null", None),
        (Any, "[1, {}]", [1, {}]),
        (list[int], "[1, 2]", [1, 2]),
        (Sequence[int], "[1]", [1]),
        (tuple[int, ...], "[1, 2]", (1, 2)),
        (tuple[int, str], '[1, "a"]', (1, "a")),
        (frozenset[str], '["a", "a"]', frozenset({"a"})),
        (dict[str, list[int]], '{"a": [1]}', {"a": [1]}),
        (int | None, "null", None),
        (Union[int, str], '"a"', "a"),  # noqa: UP007
        (int | float, "1.0", 1.0),
        (Literal["a", 1], "1", 1),
        (Colour, '"red"', Colour.RED),
        (Point, '{"x": 1}', Point(1, 0)),
        (Options, '{"loud": true}', {"loud": True}),
        (Leaf, '{"name": "a", "extra": 1}', Leaf(name="a")),
        (
            Tree,
            '{"leaf": {"name": "a"}, "children": [{"leaf": {"name": "b"}}], "scores": {"s": 1}, "note": null}',
            Tree(leaf=Leaf(name="a"), children=(Tree(leaf=Leaf(name="b")),), scores={"s": 1.0}),
        ),
        (Pet, '{"name": "Rex"}', Pet(name="Rex")),
        (list[Pet], '[{"name": "Rex", "legs": 3}]', [Pet(name="Rex", legs=3)]),
    ],
)
def test_a_value_is_read_as_its_type(kind: Any, text: str, value: object) -> None:
    found = read_answer(kind, text)
    assert found == value
    assert type(found) is type(value)
    json.dumps(json_schema(kind))


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (str, "3", "the answer must be a string, not 3"),
        (int, "true", "the answer must be an integer, not true"),
        (int, "3.5", "the answer must be an integer, not 3.5"),
        (bool, "1", "the answer must be a boolean, not 1"),
        (float, '"1"', "the answer must be a number"),
        (list[int], '{"a": 1}', "the answer must be an array"),
        (list[int], '[1, "b"]', "the answer[1] must be an integer"),
        (tuple[int, str], "[1]", "an array of 2"),
        (dict[str, int], '{"a": "b"}', "the answer.a must be an integer"),
        (Literal["a", "b"], '"c"', "one of a, b"),
        (Colour, '"green"', "one of red, blue"),
        (int | None, '"x"', "must be an integer, not"),
        (Leaf, "{}", "the answer has no 'name'"),
        (Tree, '{"leaf": {"name": "a"}, "children": [{"leaf": {}}]}', "the answer.children[0].leaf has no 'name'"),
        (Pet, '{"legs": 2}', "the answer.name: Field required"),
        (int, "NaN", "no JSON"),
        (int, "I would rather not.", "no JSON"),
        (int, "", "no JSON"),
        (Any, "[" * 100_000, "no JSON"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(kind: Any, text: str, problem: str) -> None:
    with pytest.raises(Mismatch) as caught:
        read_answer(kind, text)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a"}',
        '  \n{"name": "a"}\n',
        '```json\n{"name": "a"}\n```',
        '```\n{"name": "a"}\n```',
        'Here it is:\n\n```JSON\n{"name": "a"}\n```\nI hope it helps.',
        'Wrong: ```json\n{"nam": 1}\n```\nbetter:\n```json\n{"name": "a"}\n```',
        'The value is {"name": "a"}, as asked.',
        'Set {x} aside; the value is {"name": "a"}.',
    ],
)
def test_json_is_found_alone_in_a_fence_or_among_words(text: str) -> None:
    assert read_answer(Leaf, text) == Leaf(name="a")


def test_many_brackets_take_no_time() -> None:
    with pytest.raises(Mismatch):
        read_answer(Leaf, "{[" * 400_000)


def test_a_schema_lists_what_is_required() -> None:
    schema = json_schema(Leaf)
    assert schema["required"] == ["name"]
    assert schema["properties"] == {"name": {"type": "string"}}
    assert schema["additionalProperties"] is False


def test_a_type_that_contains_itself_has_a_schema() -> None:
    schema = json_schema(Tree)
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert set(schema["$defs"]) == {"Tree", "Leaf"}


@pytest.mark.parametrize("kind", [bytes, complex, dict[int, str], object()])
def test_a_type_that_json_cannot_carry_is_refused_before_anything_is_asked(script: Script, kind: Any) -> None:
    model = script({"for": "chat", "answer": "1"})
    with pytest.raises(InputError, match="cannot be asked for"):
        model.ask("chat", "?", schema=kind)


def test_a_model_gives_the_value(script: Script) -> None:
    answer = script({"for": "plan", "answer": {"name": "a"}}).ask("plan", "?", schema=Leaf)
    assert answer.value == Leaf(name="a")


def test_a_model_without_a_schema_gives_text_only(script: Script) -> None:
    assert script({"for": "plan", "answer": "[1]"}).ask("plan", "?").value is None


def test_an_answer_that_does_not_fit_keeps_its_text(script: Script) -> None:
    with pytest.raises(ModelError, match="does not fit") as caught:
        script({"for": "plan", "answer": "no"}).ask("plan", "?", schema=Leaf)
    assert (caught.value.kind, caught.value.text) == ("schema", "no")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=8))
def test_any_json_is_read_as_it_is(value: object) -> None:
    assert read_answer(Any, json.dumps(value)) == value
    assert read_answer(Any, f"```json\n{json.dumps(value, indent=1)}\n```") == value


@given(st.text(max_size=200))
def test_any_text_is_a_value_or_a_mismatch(text: str) -> None:
    with suppress(Mismatch):
        assert isinstance(read_answer(Leaf, text), Leaf)


@pytest.mark.parametrize("said", ["", "here it is: "])
def test_an_answer_nested_without_end_is_no_answer_where_a_library_has_lifted_the_limit_of_recursion(said: str) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 100_000))
    try:
        with pytest.raises(Mismatch):
            read_answer(list[int], said + "[" * 100_000)
    finally:
        sys.setrecursionlimit(before)
