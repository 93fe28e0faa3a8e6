"""The models that are reached over a network, all of them through pydantic-ai. Only `_remote` imports this."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from genai_prices import Usage, calc_price
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, ModelResponse, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from mayfly.core import MayflyError, Money
from mayfly.models._build import build
from mayfly.models._errors import Failure
from mayfly.models._faults import failure
from mayfly.models._http import WATCH, Watch, new_client
from mayfly.models._target import Target
from mayfly.models._types import Call, Emit, ModelOptions, Need, Price, Reply, estimate_tokens

_INSTRUCTIONS = (Path(__file__).parent / "schema.txt").read_text(encoding="utf-8")


class Provider:
    """Make one attempt at a time with a model of pydantic-ai; retrying is not its business, nor its library's."""

    def __init__(self, target: Target, options: ModelOptions) -> None:
        self._target = target
        self._options = options
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begin()

    def need(self, call: Call) -> Need:
        """Return an estimate of the input and the most the output may have."""
        tokens = estimate_tokens(_system(call), call.prompt) + 16
        fixed, whole = self._price(tokens, 0), self._price(tokens, call.max_output)
        price = None
        if fixed is not None and whole is not None:
            price = Price(fixed=fixed, each=(whole - fixed) / call.max_output if call.max_output else 0.0)
        return Need(input_tokens=tokens, output_tokens=call.max_output, price=price)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Send *call* once; whatever goes wrong is a `Failure` or an error of ours."""
        await self._bind()
        watch = Watch(max_answer=self._options.max_answer)
        token = WATCH.set(watch)
        try:
            response = await (self._whole(call) if emit is None else self._streamed(call, emit))
        except (MayflyError, Failure):
            raise
        except Exception as error:
            secrets = (self._target.key,)
            variable = self._target.key_variable or "the key"
            raise failure(error, watch, key_variable=variable, secrets=secrets) from None
        finally:
            WATCH.reset(token)
        return self._read(response, call, unmarked=emit is not None and not watch.marked)

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

    async def _whole(self, call: Call) -> ModelResponse:
        return await model_request(
            self._model,
            [_request(call)],
            model_settings=_settings(call),
            model_request_parameters=self._parameters(call),
            instrument=False,
        )

    async def _streamed(self, call: Call, emit: Emit) -> ModelResponse:
        async with model_request_stream(
            self._model,
            [_request(call)],
            model_settings=_settings(call),
            model_request_parameters=self._parameters(call),
            instrument=False,
        ) as stream:
            async for event in stream:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    await emit(event.part.content)
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    await emit(event.delta.content_delta)
            return stream.get()

    def _parameters(self, call: Call) -> ModelRequestParameters:
        """Ask for the schema in the provider's own way where it is known to have one."""
        known = self._target.provider and self._model.profile.get("supports_json_schema_output", False)
        if call.schema is None or not known or call.schema.get("type") != "object":
            return ModelRequestParameters()
        wanted = OutputObjectDefinition(json_schema=dict(call.schema), name="answer")
        return ModelRequestParameters(output_mode="native", output_object=wanted)

    def _read(self, response: ModelResponse, call: Call, *, unmarked: bool) -> Reply:
        details = response.provider_details or {}
        if unmarked and not details.get("finish_reason"):
            raise Failure("the stream broke off before its end", kind="cut", retry=True, billed=True)
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        if not text:
            raise _empty(response, call)
        usage = response.usage
        return Reply(
            text=text,
            input_tokens=usage.input_tokens or estimate_tokens(_system(call), call.prompt),
            output_tokens=usage.output_tokens or estimate_tokens(text),
            money=_money(response),
            truncated=response.finish_reason == "length",
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


def _request(call: Call) -> ModelRequest:
    return ModelRequest.user_text_prompt(call.prompt, instructions=_system(call) or None)


def _settings(call: Call) -> ModelSettings:
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
