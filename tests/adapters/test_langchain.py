"""The library and the sandbox as real LangChain tools."""

import pytest
from langchain_core.messages import ToolCall
from langchain_core.utils.function_calling import convert_to_openai_tool

from mayfly.adapters.langchain import code_tool, library_tools
from mayfly.runtime import Runtime


def test_a_tool_of_the_library_is_called(runtime: Runtime) -> None:
    [tool] = library_tools(runtime, names=["roman_to_int"])
    assert tool.invoke({"text": "XIV"}) == 14
    assert convert_to_openai_tool(tool)["function"]["parameters"]["required"] == ["text"]


def test_a_call_that_fails_is_told_and_does_not_end_the_chain(runtime: Runtime) -> None:
    [tool] = library_tools(runtime)
    told = tool.invoke(ToolCall(name=tool.name, args={"text": "ABC"}, id="1", type="tool_call"))
    assert told.status == "error"
    assert "error" in told.content


async def _later(tool: object) -> object:
    return await tool.ainvoke({"text": "IX"})  # type: ignore[attr-defined]


def test_a_tool_can_be_awaited(runtime: Runtime) -> None:
    import asyncio

    [tool] = library_tools(runtime)
    assert asyncio.run(_later(tool)) == 9


def test_code_runs_behind_the_wall_and_keeps_its_state(runtime: Runtime) -> None:
    tool = code_tool(runtime.parts.sandbox)
    assert tool.invoke({"code": "import math\nx = {1, 2}\nprint('hi')\nmath.prod(x)"}) == "hi\n2"
    assert tool.invoke({"code": "x"}) == "{1, 2}"


@pytest.mark.parametrize("code", ["1 / 0", "def (", "open('/etc/passwd').read()", "import socket; socket.socket()"])
def test_code_that_fails_or_reaches_out_is_told(runtime: Runtime, code: str) -> None:
    told = code_tool(runtime.parts.sandbox).invoke(
        ToolCall(name="python", args={"code": code}, id="1", type="tool_call")
    )
    assert told.status == "error"
    assert "Error" in told.content
