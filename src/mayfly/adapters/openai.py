"""Tools of the library as OpenAI functions, for chat completions and for responses; the client is not needed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal

from mayfly.adapters._shelf import Answered, ShelfTool, shelf_tools

if TYPE_CHECKING:
    from mayfly.runtime import Runtime

__all__ = ["answer_call", "function_schemas"]

Api = Literal["chat", "responses"]


def function_schemas(
    runtime: Runtime, *, names: Collection[str] = (), intent: str = "", api: Api = "chat"
) -> list[dict[str, Any]]:
    """Return what goes into `tools=` of `chat.completions.create`, or of `responses.create`."""
    functions = [
        {"name": tool.name, "description": tool.summary, "parameters": dict(tool.schema)}
        for tool in shelf_tools(runtime, names, intent=intent)
    ]
    if api == "responses":
        # Strict mode wants every parameter required, which tools with defaults are not.
        return [{"type": "function", **function, "strict": False} for function in functions]
    return [{"type": "function", "function": function} for function in functions]


def answer_call(runtime: Runtime, call: Any, *, names: Collection[str] = ()) -> dict[str, Any]:
    """Do what a model asked for and return the message that answers it; whatever goes wrong is said in it.

    *call* is a tool call of either API, as an object of the client or as plain data. Only tools of these *names* are
    called, where some are given.
    """
    function = _field(call, "function") or call
    name, text = str(_field(function, "name") or ""), _field(function, "arguments")
    answered = _answered(runtime, name, text, names)
    if _field(call, "call_id"):
        return {"type": "function_call_output", "call_id": _field(call, "call_id"), "output": answered.text}
    return {"role": "tool", "tool_call_id": str(_field(call, "id") or ""), "content": answered.text}


def _answered(runtime: Runtime, name: str, text: object, names: Collection[str]) -> Answered:
    if names and name not in names:
        return Answered(None, f"refused: {name} is none of the tools that were offered")
    try:
        arguments: object = json.loads(text) if isinstance(text, str) and text.strip() else text or {}
    except ValueError as error:
        return Answered(None, f"refused: the arguments are not JSON: {error}")
    if not isinstance(arguments, Mapping):
        return Answered(None, "refused: the arguments are not an object")
    return ShelfTool(name=name, summary="", schema={}, runtime=runtime).call(arguments)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
