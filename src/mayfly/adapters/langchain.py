"""Tools of the library, and the sandbox, as LangChain tools."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from mayfly.adapters._cells import Cells
from mayfly.adapters._shelf import ShelfTool, shelf_tools

if TYPE_CHECKING:
    from mayfly.runtime import Runtime
    from mayfly.sandbox import Sandbox

__all__ = ["code_tool", "library_tools"]

_CODE = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": "Python; the value of its last line is returned."}},
    "required": ["code"],
}


def library_tools(runtime: Runtime, *, names: Collection[str] = (), intent: str = "") -> list[BaseTool]:
    """Return the tools that serve: all, those of these *names*, or those that an *intent* may mean."""
    return [_as_tool(one) for one in shelf_tools(runtime, names, intent=intent)]


def _as_tool(tool: ShelfTool) -> BaseTool:
    def call(**arguments: Any) -> object:
        answered = tool.call(arguments)
        if answered.error:
            raise ToolException(answered.error)
        return answered.value

    return StructuredTool.from_function(
        func=call,
        name=tool.name,
        description=tool.summary,
        args_schema=dict(tool.schema),
        infer_schema=False,
        handle_tool_error=True,
    )


def code_tool(
    sandbox: Sandbox, *, name: str = "python", grants: Collection[str] = (), timeout: float = 30.0
) -> BaseTool:
    """Return a tool that runs Python behind the wall; what one call defines the next ones have."""
    cells = Cells(sandbox, grants=grants, timeout=timeout)

    def run(code: str) -> str:
        outcome = cells.run(code)
        if outcome.error:
            raise ToolException(f"{outcome.output}{outcome.error}")
        return outcome.text

    description = "Run Python in a sandbox and return what it prints and the value of its last line. It has no network."
    return StructuredTool.from_function(
        func=run, name=name, description=description, args_schema=_CODE, infer_schema=False, handle_tool_error=True
    )
