"""Tools of the library as OpenAI functions: schemas that the real client's types take, and calls of both APIs."""

import json

import pytest
from openai.types.chat import ChatCompletionMessageToolCall

from mayfly.adapters.openai import answer_call, function_schemas
from mayfly.core import InputError
from mayfly.runtime import Runtime


def a_call(name: str = "roman_to_int", arguments: str = '{"text": "XLII"}') -> ChatCompletionMessageToolCall:
    return ChatCompletionMessageToolCall.model_validate(
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    )


def test_the_schema_is_that_of_the_tool(runtime: Runtime) -> None:
    [chat] = function_schemas(runtime)
    assert chat["type"] == "function"
    function = chat["function"]
    assert function["name"] == "roman_to_int"
    assert function["parameters"]["required"] == ["text"]
    assert not [name for name in function["parameters"]["properties"]["text"] if name.startswith("x-")]
    [flat] = function_schemas(runtime, api="responses")
    assert (flat["name"], flat["parameters"]) == (function["name"], function["parameters"])


def test_a_call_of_the_client_is_answered(runtime: Runtime) -> None:
    assert answer_call(runtime, a_call()) == {"role": "tool", "tool_call_id": "call_1", "content": "42"}


def test_a_call_of_the_responses_api_is_answered(runtime: Runtime) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "roman_to_int", "arguments": '{"text": "IV"}'}
    assert answer_call(runtime, call) == {"type": "function_call_output", "call_id": "c", "output": "4"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("roman_to_int", '{"text": 5}'),
        ("roman_to_int", "{"),
        ("roman_to_int", "[1]"),
        ("roman_to_int", '{"text": "ABC"}'),
        ("no_such_tool", "{}"),
        ("", ""),
    ],
)
def test_what_goes_wrong_is_told_to_the_model(runtime: Runtime, name: str, arguments: str) -> None:
    content = answer_call(runtime, a_call(name, arguments))["content"]
    assert content.startswith(("refused: ", "error: ", "unknown: "))
    assert "Traceback" not in content


def test_a_tool_that_was_not_offered_is_not_called(runtime: Runtime) -> None:
    told = answer_call(runtime, a_call(), names=["another"])["content"]
    assert told == "refused: roman_to_int is none of the tools that were offered"


def test_a_name_that_does_not_serve_is_one_line_with_the_next_command(runtime: Runtime) -> None:
    with pytest.raises(InputError, match="no tool nothing serves"):
        function_schemas(runtime, names=["nothing"])


def test_tools_can_be_chosen_by_what_they_do(runtime: Runtime) -> None:
    assert function_schemas(runtime, intent="convert a roman numeral")
    assert function_schemas(runtime, intent="zebra") == []
    json.dumps(function_schemas(runtime))
