"""The parts of pages that need no browser: forms out of schemas, diffs, moments, and large trees."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import FormData

from mayfly.core import InputError
from mayfly.operations import places
from mayfly.promise import Promise
from mayfly.serve.web.pages._frame import diff_lines, for_pages, model_name, pretty, took
from mayfly.serve.web.pages._library import arguments_in, examples_in, fields_of
from mayfly.serve.web.pages._run import promise_rows, shape_of_tree

SCHEMA = {
    "type": "object",
    "required": ["text", "times", "tags"],
    "properties": {
        "text": {"type": "string"},
        "times": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mode": {"enum": ["a", "b"]},
        "loud": {"type": "boolean", "default": True},
        "other": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
}


def form(**typed: str) -> FormData:
    return FormData({f"argument.{name}": text for name, text in typed.items()})


def test_a_schema_becomes_a_form_with_a_field_for_each_argument() -> None:
    fields = {one.argument: one for one in fields_of(SCHEMA)}

    assert [one.kind for one in fields.values()] == ["text", "number", "json", "choice", "choice", "json"]
    assert fields["tags"].type == "list of string"
    assert fields["loud"].choices == ("true", "false")
    assert not fields["mode"].is_required


def test_what_is_typed_becomes_arguments_of_the_right_types() -> None:
    typed = form(text='a "b"\r\nc', times="2", tags='["x"]', mode='"b"', loud="", other="")

    assert arguments_in(SCHEMA, typed) == {"text": 'a "b"\nc', "times": 2, "tags": ["x"], "mode": "b"}


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"times": "two", "tags": "[]"}, "times is not integer"),
        ({"times": "1", "tags": "[" * 200_000}, "tags is not list of string"),
        ({"times": "1", "tags": ""}, "tags is missing"),
    ],
)
def test_what_does_not_fit_is_named(typed: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        arguments_in(SCHEMA, form(text="x", **typed))


@pytest.mark.parametrize(
    "schema", [{}, {"properties": None}, {"properties": {"a": 1}}, {"properties": {"a": {"type": []}}}]
)
def test_any_schema_makes_a_form(schema: dict[str, Any]) -> None:
    assert [one.name for one in fields_of(schema)] == [f"argument.{name}" for name in schema.get("properties") or {}]


def test_examples_are_lines_with_an_arrow_or_json() -> None:
    assert examples_in("MCMXC -> 1990\nIV -> 4") == (
        {"input": "MCMXC", "output": 1990},
        {"input": "IV", "output": 4},
    )
    assert examples_in('[{"input": "a", "output": "b"}]') == ({"input": "a", "output": "b"},)
    for wrong in ("no arrow", "[1]", "[{", "[[[["):
        with pytest.raises(InputError):
            examples_in(wrong)


def test_the_lines_of_a_diff_are_told_apart_and_a_long_one_is_cut() -> None:
    kinds = [kind for kind, _ in diff_lines("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same")]

    assert kinds == ["file", "file", "place", "removed", "added", "same"]
    assert len(diff_lines("+x\n" * 100_000)) < 2000


def test_a_large_value_is_cut() -> None:
    assert len(pretty(["x" * 100] * 100_000)) < 100_000


def test_times_are_said_as_short_as_they_are_meant() -> None:
    assert [took(one) for one in (None, 0.0421, 3.21, 61, 7321)] == ["", "42 ms", "3.2 s", "1 min 1 s", "2 h 2 min"]


def test_a_page_names_no_options_of_the_command_line_and_no_files_of_the_server() -> None:
    assert for_pages("say examples (--examples), or a model (--model)") == "say examples, or a model"
    assert model_name("scripted:/home/ada/script.jsonl") == "scripted"
    assert model_name("openai:gpt-9") == "openai:gpt-9"


def test_a_tree_of_twenty_thousand_promises_is_a_page_of_a_hundred() -> None:
    root: Promise[Any] = Promise("all", ground=None)
    for number in range(200):
        child = root.add(Promise(f"part {number}", ground=None))
        for item in range(99):
            child.add(Promise(f"item {item}", ground=None))
    saved = SimpleNamespace(id="r-1", status="running", timings={}, again=frozenset())
    read: Any = SimpleNamespace(saved=saved, places=tuple(places(root)))

    began = time.process_time()
    first = promise_rows(read)
    last = promise_rows(read, skip=20_000)
    below = promise_rows(read, under="0.200")
    assert (first["total"], len(first["rows"]), first["next"]) == (20_001, 100, 100)
    assert (len(last["rows"]), last["next"]) == (1, 0)
    assert below["matching"] == 99
    assert first["counts"] == [("pending", 20_001)]
    assert "level 2: 19,800" in shape_of_tree(read)
    # Far more than it takes, and far less than anybody would wait.
    assert time.process_time() - began < 5
