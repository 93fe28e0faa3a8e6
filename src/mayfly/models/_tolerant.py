"""Chat completions of servers that leave fields out; only for such a server is this loaded, and openai with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse


class TolerantChatModel(OpenAIChatModel):
    """Take an answer whose text and calls are there even if its identifiers are not, as small servers send it."""

    def _validate_completion(self, response: ChatCompletion) -> Any:
        _fill(response, id="", object="chat.completion", model=self.model_name)
        for index, choice in enumerate(response.choices or []):
            _fill(choice, index=index)
            _fill(choice.message, role="assistant")
            for call in getattr(choice.message, "tool_calls", None) or []:
                _fill(call, id="", type="function")
                _fill_function(getattr(call, "function", None))
        return super()._validate_completion(response)

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return TolerantStream


@dataclass(kw_only=True)
class TolerantStream(OpenAIStreamedResponse):
    """Keep calls apart that a server sends under one number or under none, and names together that it repeats."""

    _places: dict[int | None, int] = field(default_factory=dict, init=False)
    _begun: list[tuple[str, str]] = field(default_factory=list, init=False)

    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        for piece in choice.delta.tool_calls or []:
            self._put_in_place(piece)
        return super()._map_tool_call_delta(choice)

    def _put_in_place(self, piece: ChoiceDeltaToolCall) -> None:
        name = (piece.function.name if piece.function else None) or ""
        place = self._places.get(piece.index)
        if place is None or self._begins(piece, name, place):
            place = len(self._begun)
            self._places[piece.index] = place
            self._begun.append((piece.id or "", name))
        elif piece.function and name == self._begun[place][1]:
            piece.function.name = None
        piece.index = place

    def _begins(self, piece: ChoiceDeltaToolCall, name: str, place: int) -> bool:
        """Whether *piece* belongs to another call than the one at *place*: it has a name and not the same id."""
        known = self._begun[place][0]
        if piece.id and known:
            return bool(name) and piece.id != known
        # A server that sends neither number nor id sends a call in one piece.
        return bool(name) and piece.index is None


def _fill_function(function: Any) -> None:
    """Write arguments as text where they came as an object, and as nothing where they did not come."""
    arguments = getattr(function, "arguments", None)
    if function is not None and not isinstance(arguments, str):
        function.arguments = "" if arguments is None else json.dumps(arguments)


def _fill(part: object, **defaults: object) -> None:
    for name, value in defaults.items():
        if part is not None and getattr(part, name, None) is None:
            setattr(part, name, value)
