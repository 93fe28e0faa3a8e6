"""Tools of the library for agents of pydantic-ai: `Agent(…, toolsets=[LibraryToolset(runtime)])`."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from mayfly.adapters._shelf import ShelfTool, shelf_tools

if TYPE_CHECKING:
    from mayfly.runtime import Runtime

__all__ = ["LibraryToolset"]

# A call checks its arguments against the tool's own schema, and says what does not fit.
_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))


class LibraryToolset(AbstractToolset[Any]):
    """Offer what serves in the library; it is asked before every step, so a tool made meanwhile is there in the next.

    A call that fails is told to the model, which may try again with other arguments.
    """

    def __init__(
        self, runtime: Runtime, *, names: Collection[str] = (), intent: str = "", id: str = "mayfly", retries: int = 2
    ) -> None:
        """Offer all tools, those of these *names*, or those that an *intent* may mean."""
        self._runtime = runtime
        self._names = tuple(names)
        self._intent = intent
        self._id = id
        self._retries = retries

    @property
    def id(self) -> str:
        """What the agent knows this toolset by."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return what serves now."""
        found = await asyncio.to_thread(shelf_tools, self._runtime, self._names, intent=self._intent)
        return {one.name: self._offered(one) for one in found}

    def _offered(self, tool: ShelfTool) -> ToolsetTool[Any]:
        definition = ToolDefinition(name=tool.name, description=tool.summary, parameters_json_schema=dict(tool.schema))
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=self._retries, args_validator=_ANY_OBJECT)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> object:
        """Call a tool behind the wall."""
        called = ShelfTool(name=name, summary="", schema={}, runtime=self._runtime)
        answered = await asyncio.to_thread(called.call, tool_args)
        if answered.error:
            raise ModelRetry(answered.error)
        return answered.value
