"""The models that are reached over a network, all of them through pydantic-ai. Only `_open` imports this."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from genai_prices import Usage, calc_price
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from mayfly.core import MayflyError, Money
from mayfly.models._build import build
from mayfly.models._calls import read_calls
from mayfly.models._errors import Failure, too_large
from mayfly.models._http import WATCH, RequestWatch, failure, new_client
from mayfly.models._target import ModelTarget
from mayfly.models._types import Call, Emit, ModelOptions, Need, Price, Reply, estimate_input, estimate_output
from mayfly.models._wire import carried, messages_to_send, text_of, tools_to_send, written_calls

_INSTRUCTIONS = (Path(__file__).parent / "schema.txt").read_text(encoding="utf-8")


class Provider:
    """Make one attempt at a time with a model of pydantic-ai; retrying is not its business, nor its library's."""

    def __init__(self, target: ModelTarget, options: ModelOptions) -> None:
        self._target = target
        self._options = options
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begin()

    def need(self, call: Call) -> Need:
        """Return an estimate of the input and the most the output may have."""
        tokens = estimate_input(call, _system(call)) + 16
        fixed, whole = self._price(tokens, 0), self._price(tokens, call.max_output)
        price = None
        if fixed is not None and whole is not None:
            price = Price(fixed=fixed, each=(whole - fixed) / call.max_output if call.max_output else 0.0)
        return Need(input_tokens=tokens, output_tokens=call.max_output, price=price)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Send *call* once; whatever goes wrong is a `Failure` or an error of ours."""
        await self._bind()
        watch = RequestWatch(max_answer=self._options.max_answer)
        token = WATCH.set(watch)
        try:
            asked = self._request(call)
            response = await (model_request(**asked) if emit is None else self._streamed(asked, emit))
            return self._read(response, call, unmarked=emit is not None and not watch.marked)
        except (MayflyError, Failure):
            raise
        except Exception as error:
            secrets = (self._target.key,)
            variable = self._target.key_variable or "the key"
            raise failure(error, watch, key_variable=variable, secrets=secrets) from None
        finally:
            WATCH.reset(token)

    async def close(self) -> None:
        """Close the connections; the next call makes new ones."""
        if self._loop is asyncio.get_running_loop():
            await self._model.__aexit__(None, None, None)
            await self._client.aclose()

    def _begin(self) -> None:
        self._client = new_client(self._target.address, timeout=self._options.timeout)
        self._model: Model = build(self._target, self._client)

    async def _bind(self) -> None:
        """Make sure that the connections belong to this loop: after a fork or a close there is another one."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        if self._loop is not None:
            self._begin()
        self._loop = loop
        await self._model.__aenter__()

    def _request(self, call: Call) -> dict[str, Any]:
        return {
            "model": self._model,
            "messages": _messages(call),
            "model_settings": _settings(call),
            "model_request_parameters": self._parameters(call),
            "instrument": False,
        }

    async def _streamed(self, asked: dict[str, Any], emit: Emit) -> ModelResponse:
        async with model_request_stream(**asked) as stream:
            called = 0
            async for event in stream:
                part = event.part if isinstance(event, PartStartEvent) else None
                delta = event.delta if isinstance(event, PartDeltaEvent) else None
                if isinstance(part, TextPart):
                    await emit(part.content)
                elif isinstance(delta, TextPartDelta):
                    await emit(delta.content_delta)
                called += _written(part or delta)
                if called > self._options.max_answer:
                    raise too_large(self._options.max_answer)
            return stream.get()

    def _parameters(self, call: Call) -> ModelRequestParameters:
        """Ask for the schema in the provider's own way where it is known to have one."""
        if call.messages:
            return ModelRequestParameters(function_tools=tools_to_send(call.tools))
        known = self._target.provider and self._model.profile.get("supports_json_schema_output", False)
        if call.schema is None or not known or call.schema.get("type") != "object":
            return ModelRequestParameters()
        wanted = OutputObjectDefinition(json_schema=dict(call.schema), name="answer")
        return ModelRequestParameters(output_mode="native", output_object=wanted)

    def _read(self, response: ModelResponse, call: Call, *, unmarked: bool) -> Reply:
        details = response.provider_details or {}
        if unmarked and not details.get("finish_reason"):
            raise Failure("the stream broke off before its end", kind="cut", retry=True, billed=True)
        truncated = response.finish_reason == "length"
        text = text_of(response)
        calls = read_calls(written_calls(response), call.messages, cut=truncated) if call.messages else ()
        if not calls and not (text.strip() if call.messages else text):
            raise _empty(response, call)
        usage = response.usage
        return Reply(
            text=text,
            calls=calls,
            carried=carried(response, calls),
            input_tokens=usage.input_tokens or estimate_input(call, _system(call)),
            output_tokens=usage.output_tokens or estimate_output(text, calls),
            money=_money(response),
            truncated=truncated,
        )

    def _price(self, input_tokens: int, output_tokens: int) -> float | None:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            price = calc_price(usage, self._model.model_name, provider_id=self._model.system)
        except (LookupError, ValueError):
            return None
        return float(price.total_price)


def _system(call: Call) -> str:
    if call.schema is None:
        return call.system
    asked = _INSTRUCTIONS.format(schema=json.dumps(call.schema, ensure_ascii=False))
    return f"{call.system}\n\n{asked}".strip()


def _messages(call: Call) -> list[ModelMessage]:
    if call.messages:
        return messages_to_send(call.messages, call.system)
    return [ModelRequest.user_text_prompt(call.prompt, instructions=_system(call) or None)]


def _written(piece: object) -> int:
    """Return how much of a call's arguments a piece of a stream holds."""
    arguments: object = None
    if isinstance(piece, ToolCallPart):
        arguments = piece.args
    elif isinstance(piece, ToolCallPartDelta):
        arguments = piece.args_delta
    return 0 if arguments is None else len(arguments if isinstance(arguments, str) else json.dumps(arguments))


def _settings(call: Call) -> ModelSettings:
    if call.tools:
        # Every call of a tool sends the conversation again; providers that can be asked to remember it take a tenth.
        return ModelSettings(max_tokens=call.max_output, max_retries=0, cache=True)
    return ModelSettings(max_tokens=call.max_output, max_retries=0)


def _empty(response: ModelResponse, call: Call) -> Failure:
    if response.finish_reason == "content_filter":
        return Failure("the model refused to answer", kind="refused", billed=True)
    if response.finish_reason == "length":
        limit = f"no text within {call.max_output} output tokens"
        return Failure(limit, kind="refused", billed=True, fix="raise MAYFLY_MODELS_MAX_OUTPUT")
    return Failure("the answer is empty", kind="malformed", retry=True, billed=True)


def _money(response: ModelResponse) -> Money | None:
    """Return what the provider or the price list says; None where neither knows."""
    try:
        known = response.usage.cost
        return Money.of(response.cost().total_price if known is None else known)
    except (LookupError, ValueError, AssertionError):
        return None
