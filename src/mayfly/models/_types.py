"""The values that pass through the seam: what is asked, what comes back, and what a source of answers has to offer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args

from mayfly.core import Cost, Money
from mayfly.models._conversation import Called, Message, ToolCall, ToolOffer

T = TypeVar("T")

Purpose = Literal["contract", "architect", "tests", "arbiter", "judge", "plan", "reflect", "perceive", "chat"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)

Emit = Callable[[str], Awaitable[None]]

# What a call of a tool takes in any protocol besides its name and its arguments.
_CALL_BYTES = 32
# Tokens around a message or a call: its role, its id, marks of beginning and end. Providers tell of 3 to 7.
_ENVELOPE = 12
# Where tools are offered, providers add instructions of their own; the longest that is published has 530 tokens.
_TOOL_INSTRUCTIONS = 600


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Hold every number of the seam; the settings of the same names are where a user changes them.

    *guard* is called before every attempt at a call, from a thread of its own; what it raises ends the call unmade.
    """

    base_url: str = ""
    api_key_variable: str = "MAYFLY_MODELS_API_KEY"
    attempts: int = 3
    retry_delay: float = 0.5
    retry_factor: float = 2.0
    retry_after: float = 30.0
    timeout: float = 120.0
    max_output: int = 8192
    max_answer: int = 1_000_000
    guard: Callable[[], None] | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """Say what is asked, for which purpose, and how many tokens the answer may have.

    A conversation has *messages*, and no prompt; *tools* are what the model may call in its answer.
    """

    purpose: Purpose
    prompt: str = ""
    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolOffer, ...] = ()
    schema: Mapping[str, object] | None = None
    max_output: int = 8192


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Hold what one attempt brought; `money` is None where nobody knows the price."""

    text: str
    input_tokens: int
    output_tokens: int
    money: Money | None = None
    truncated: bool = False
    calls: tuple[ToolCall, ...] = ()
    carried: dict[str, Any] | None = None

    @property
    def size(self) -> int:
        """How many bytes of text and calls it has; a call counts for itself as well, so that empty ones add up."""
        calls = sum(_CALL_BYTES + len(_encoded(_written(call))) for call in self.calls)
        return len(_encoded(self.text)) + calls


@dataclass(frozen=True, kw_only=True)
class Price:
    """Price a call before it is made, in dollars: what its input costs, and each token of its output."""

    fixed: float = 0.0
    each: float = 0.0

    def of(self, output: float) -> Money:
        """Return what a call with so many tokens of *output* costs."""
        # The last digits of a product are noise, and a limit is met exactly.
        return Money.of(round(self.fixed + self.each * output, 12))


@dataclass(frozen=True, kw_only=True)
class Need:
    """Say what a call may take at most; an *exact* output is known, any other can be cut to what is left."""

    input_tokens: int
    output_tokens: int
    price: Price | None = None
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class Answer(Generic[T]):
    """Carry what a model said, the value read from it where a schema was given, and what it cost.

    `money_known` is false where the price is not known and `cost.money` therefore 0; `truncated` says that the model
    ran into the limit of output tokens, so the text is not whole.
    """

    text: str
    value: T
    cost: Cost
    model: str
    purpose: Purpose
    money_known: bool = True
    truncated: bool = False


class Backend(Protocol):
    """Bring replies from somewhere: a provider, a script, a recording, the model of somebody's MCP client."""

    @property
    def name(self) -> str:
        """The name that answers and records carry."""
        ...

    def serves(self, purpose: Purpose) -> bool:
        """Whether there is a model for *purpose* at all."""
        ...

    def load(self) -> None:
        """Get ready, which may be slow; a mistake in the set-up is an `InputError` or `MachineError` here."""
        ...

    def need(self, call: Call) -> Need:
        """Return what *call* may take at most."""
        ...

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Make one attempt; with *emit* hand over the text piece by piece as well."""
        ...

    async def close(self) -> None:
        """Let go of connections; the next reply may open new ones."""
        ...


def estimate_tokens(*texts: str) -> int:
    """Guess the number of tokens from above: two bytes a token is dense text, four are usual."""
    return sum(len(_encoded(text)) // 2 + 1 for text in texts)


def estimate_input(call: Call, system: str | None = None) -> int:
    """Guess from above how many tokens *call* sends; *system* is what is sent instead of its own system text."""
    asked = estimate_tokens(call.system if system is None else system, call.prompt)
    if not call.messages:
        return asked
    offers = sum(_ENVELOPE + estimate_tokens(json.dumps(tool.to_json())) for tool in call.tools)
    return asked + sum(map(_estimate_message, call.messages)) + offers + (_TOOL_INSTRUCTIONS if call.tools else 0)


def estimate_output(reply_text: str, calls: tuple[ToolCall, ...] = ()) -> int:
    """Guess from above how many tokens an answer has."""
    return estimate_tokens(reply_text) + sum(map(_estimate_call, calls))


def _estimate_message(message: Message) -> int:
    if not isinstance(message, Called):
        return _ENVELOPE + estimate_tokens(message.text)
    carried = 0 if message.carried is None else estimate_tokens(json.dumps(message.carried))
    return _ENVELOPE + carried + estimate_output(message.text, message.calls)


def _estimate_call(call: ToolCall) -> int:
    return _ENVELOPE + estimate_tokens(_written(call))


def _written(call: ToolCall) -> str:
    arguments = call.malformed if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
    return call.id + call.name + arguments


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
