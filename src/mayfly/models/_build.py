"""Make the pydantic-ai model that a target names; mistakes of the set-up become errors of ours, in one line.

Chat completions of servers that leave out what nobody needs are read all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx2
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from pydantic_ai.profiles import merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from mayfly.core import InputError, MachineError
from mayfly.models._secrets import one_line
from mayfly.models._target import Target

# Providers whose own client can be replaced by ours, which limits what it reads.
_OURS = frozenset({"anthropic", "openai", "openai-chat", "openai-responses", "openrouter", "deepseek", "together"})
# Servers of other people know the older field only.
_PLAIN = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)


def build(target: Target, client: httpx2.AsyncClient) -> Model:
    """Return the model; a missing key is an `InputError`, a missing package a `MachineError`."""
    try:
        return _build(target, client)
    except UserError as error:
        variable = re.search(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`", str(error))
        if variable:
            raise InputError(f"{target.spec} needs a key", fix=f"set {variable.group(1)}") from None
        raise InputError(one_line(str(error), (target.key,))) from None
    except ImportError as error:
        extra = re.search(r"pydantic-ai-slim\[[\w-]+\]", str(error))
        package = extra.group() if extra else "mayfly-agents[models]"
        raise MachineError(
            f"{target.spec} needs a library that is not installed", fix=f"pip install '{package}'"
        ) from None


def _build(target: Target, client: httpx2.AsyncClient) -> Model:
    if target.provider == "ollama":
        return _ollama(target, client)
    if target.address:
        return _compatible(target, client)
    return infer_model(target.spec, lambda name: _provider(name, client))


def _compatible(target: Target, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if target.provider:
        service: Provider[Any] = OpenAIProvider(
            base_url=target.address, api_key=target.key or "not-needed", http_client=client
        )
    else:
        service = OpenAICompatibleProvider(
            "openai-compatible", base_url=target.address, api_key=target.key or None, http_client=client, profile=_PLAIN
        )
    return TolerantChatModel(target.name, provider=service)


def _ollama(target: Target, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(base_url=target.address, api_key=target.key or None, http_client=client)
    profile = merge_profile(provider.model_profile(target.name), _PLAIN)
    return OllamaModel(target.name, provider=provider, profile=profile)


def _provider(name: str, client: httpx2.AsyncClient) -> Provider[Any]:
    if name in _OURS:
        make: Callable[..., Provider[Any]] = infer_provider_class(name)
        return make(http_client=client)
    try:
        return infer_provider(name)
    except ValueError:
        raise UserError(f"unknown provider {name!r}") from None


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
