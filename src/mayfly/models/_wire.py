"""A conversation in the terms of pydantic-ai, there and back. Only `_provider` imports this."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from mayfly.models._calls import UnreadableArguments, WrittenCall, read_arguments
from mayfly.models._conversation import TOOL_NAME, Called, Message, SaidText, ToolCall, ToolOffer

# How ids begin that the library makes up by chance where the provider sent none.
_MADE_UP = "pyd_ai_"
# Parts that hold nothing but text: any other could make the library fetch a file.
_CARRIED = ("text", "thinking", "tool-call")
# What of an answer is kept to be sent back, besides text and calls: its parts as they were, and whose they are.
_KEPT = ("parts", "provider_name", "canonical_system")


def messages_to_send(messages: Sequence[Message], system: str) -> list[ModelMessage]:
    """Return *messages* as the library takes them, what comes between two answers in one request."""
    sent: list[ModelMessage] = []
    waiting: list[ModelRequestPart] = []
    for message in messages:
        if isinstance(message, Called) or (isinstance(message, SaidText) and message.role == "assistant"):
            answer = _answer(message)
            if answer is None:
                continue
            sent += [ModelRequest(parts=waiting), answer] if waiting else [answer]
            waiting = []
        elif isinstance(message, SaidText):
            waiting.append(UserPromptPart(content=message.text))
        else:
            waiting.append(
                ToolReturnPart(
                    tool_name=_tool_name(message.name),
                    content=message.text,
                    tool_call_id=message.call_id,
                    outcome="failed" if message.failed else "success",
                )
            )
    return [*sent, ModelRequest(parts=waiting, instructions=system or None)]


def tools_to_send(tools: Sequence[ToolOffer]) -> list[ToolDefinition]:
    """Return *tools* as they are: whoever runs a call checks its arguments, so no provider has to change a schema."""
    return [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.input_schema),
            strict=False,
        )
        for tool in tools
    ]


def written_calls(response: ModelResponse) -> Iterator[WrittenCall]:
    """Yield the calls of *response* as they were written; ids that the library made up are left out."""
    for part in _calls(response.parts):
        id = "" if part.tool_call_id.startswith(_MADE_UP) else part.tool_call_id
        yield WrittenCall(id, part.tool_name, part.args)


def carried(response: ModelResponse, calls: Sequence[ToolCall]) -> dict[str, Any] | None:
    """Return what the provider wants back besides text and calls: thoughts, signatures; mostly there is nothing."""
    if not calls or not any(map(_is_marked, response.parts)):
        return None
    parts = [part for part in response.parts if part.part_kind in _CARRIED]
    for part, call in zip(_calls(parts), calls, strict=True):
        part.tool_call_id = call.id
    kept = ModelResponse(parts=parts, provider_name=response.provider_name, canonical_system=response.canonical_system)
    data = ModelMessagesTypeAdapter.dump_python([kept], mode="json", exclude_none=True)[0]
    return {name: data[name] for name in _KEPT if name in data}


def _answer(message: SaidText | Called) -> ModelResponse | None:
    """Return an answer of the model as it was given; one that said nothing is left out."""
    if isinstance(message, SaidText):
        return ModelResponse(parts=[TextPart(content=message.text)]) if message.text else None
    whole = None if message.carried is None else _carried_answer(message, message.carried)
    if whole is not None:
        return whole
    parts: list[ModelResponsePart] = [TextPart(content=message.text)] if message.text else []
    parts += [
        ToolCallPart(
            tool_name=_tool_name(call.name),
            args=call.malformed if call.arguments is None else call.arguments,
            tool_call_id=call.id,
        )
        for call in message.calls
    ]
    return ModelResponse(parts=parts)


def _carried_answer(message: Called, data: dict[str, Any]) -> ModelResponse | None:
    """Return the answer with all that came with it, if that still is the answer which *message* holds."""
    listed = data.get("parts")
    if not isinstance(listed, list) or any(
        not isinstance(part, dict) or part.get("part_kind") not in _CARRIED for part in listed
    ):
        return None
    try:
        kept = {name: data[name] for name in _KEPT if name in data}
        [answer] = ModelMessagesTypeAdapter.validate_python([{"kind": "response", **kept}])
    except (ValidationError, ValueError):
        return None
    if not isinstance(answer, ModelResponse) or text_of(answer) != message.text:
        return None
    parts = _calls(answer.parts)
    same = len(parts) == len(message.calls) and all(map(_is_same_call, parts, message.calls))
    return answer if same else None


def text_of(response: ModelResponse) -> str:
    """Return all that *response* says."""
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _is_same_call(part: ToolCallPart, call: ToolCall) -> bool:
    try:
        arguments = read_arguments(part.args)
    except UnreadableArguments:
        return False
    return (part.tool_call_id, part.tool_name, arguments) == (call.id, _tool_name(call.name), call.arguments)


def _calls(parts: Sequence[ModelResponsePart]) -> list[ToolCallPart]:
    return [part for part in parts if isinstance(part, ToolCallPart)]


def _is_marked(part: ModelResponsePart) -> bool:
    if isinstance(part, ThinkingPart):
        return True
    return isinstance(part, (TextPart, ToolCallPart)) and bool(part.id or part.provider_details)


def _tool_name(name: str) -> str:
    """Return *name* as providers take it: the model may have made one up, and is told so in the result."""
    return name if TOOL_NAME.match(name) else re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"
