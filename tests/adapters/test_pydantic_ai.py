"""The library as a toolset of a real pydantic-ai agent, whose model is a function."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from mayfly.adapters.pydantic_ai import LibraryToolset
from mayfly.runtime import Runtime


@pytest.fixture(autouse=True)
def own_loop() -> Iterator[None]:
    """Give `run_sync` an event loop that is closed again: it leaves one of its own open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


def agent_that_calls(runtime: Runtime, *calls: dict[str, Any]) -> tuple[Agent, list[AgentInfo]]:
    """Return an agent that makes these calls one after the other and says what the last one gave."""
    left, seen = list(calls), []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        if left:
            return ModelResponse(parts=[ToolCallPart("roman_to_int", left.pop(0))])
        last = messages[-1].parts[-1]
        assert isinstance(last, ToolReturnPart | RetryPromptPart)
        return ModelResponse(parts=[TextPart(str(last.content))])

    return Agent(FunctionModel(answer), toolsets=[LibraryToolset(runtime)]), seen


def test_an_agent_sees_the_tool_and_gets_its_value(runtime: Runtime) -> None:
    agent, seen = agent_that_calls(runtime, {"text": "MCMXC"})
    assert agent.run_sync("What is MCMXC?").output == "1990"
    [tool] = seen[0].function_tools
    assert tool.name == "roman_to_int"
    assert tool.parameters_json_schema["properties"]["text"]["type"] == "string"


def test_a_failed_call_is_told_to_the_model_which_may_try_again(runtime: Runtime) -> None:
    agent, _ = agent_that_calls(runtime, {"text": 7}, {"text": "VII"})
    assert agent.run_sync("What is VII?").output == "7"


def test_a_tool_that_is_made_meanwhile_is_there_in_the_next_step(runtime: Runtime) -> None:
    source = 'def twice_of(number: int) -> int:\n    """Double a number."""\n    return number * 2\n'
    agent, seen = agent_that_calls(runtime, {"text": "II"})
    agent.run_sync("What is II?")
    examples = [{"input": number, "output": number * 2} for number in (1, 2, 5, 9)]
    made = runtime.tools.write("double a number", name="twice_of", source=source, examples=examples)
    assert made.decision == "accept", made.reason
    try:
        agent, seen = agent_that_calls(runtime, {"text": "II"})
        agent.run_sync("What is II?")
        assert {tool.name for tool in seen[0].function_tools} == {"roman_to_int", "twice_of"}
    finally:
        runtime.tools.delete("twice_of")
