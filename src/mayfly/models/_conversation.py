"""What is said in a conversation with tools: messages, offers of tools, calls of them, and one turn of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

from mayfly.core import Cost, InputError, shown
from mayfly.models._schema import Mismatch, read_value

Role = Literal["user", "assistant"]
# What every provider takes as the name of a tool.
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Stored:
    """A record that is kept as plain data and read again."""

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Return the record that *data* was made from; anything else is an `InputError`."""
        try:
            record: Self = read_value(cls, data, f"what was kept as {cls.__name__}")
        except Mismatch as mismatch:
            raise InputError(str(mismatch)) from None
        return record


@dataclass(frozen=True, kw_only=True)
class ToolCall(Stored):
    """One call of a tool that a model wants.

    `arguments` is None where it wrote no JSON object: then `malformed` is what it wrote instead (its beginning, if that
    is long) and `problem` says in one line what is wrong. The name may be of a tool that nobody offered.
    """

    id: str
    name: str
    arguments: dict[str, Any] | None = None
    malformed: str = ""
    problem: str = ""

    def __post_init__(self) -> None:
        if self.arguments is None and not self.problem:
            object.__setattr__(self, "problem", "no arguments")

    def to_json(self) -> dict[str, Any]:
        """Return the call as plain data."""
        if self.arguments is not None:
            return {"id": self.id, "name": self.name, "arguments": self.arguments}
        return {"id": self.id, "name": self.name, "malformed": self.malformed, "problem": self.problem}


@dataclass(frozen=True, kw_only=True)
class SaidText(Stored):
    """Text of the user or of the model."""

    role: Role
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the message as plain data."""
        return {"kind": "said", "role": self.role, "text": self.text}


@dataclass(frozen=True, kw_only=True)
class Called(Stored):
    """The model's wish to call tools, several of them at once if it likes, with what it said beside it.

    `carried` is what its provider wants to have back with the next request (signed thoughts); nobody else reads it.
    """

    calls: tuple[ToolCall, ...]
    text: str = ""
    carried: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the message as plain data."""
        entry = {"kind": "called", "text": self.text, "calls": [call.to_json() for call in self.calls]}
        return entry if self.carried is None else {**entry, "carried": self.carried}


@dataclass(frozen=True, kw_only=True)
class Returned(Stored):
    """What came of one call, or with *failed* why nothing did."""

    call_id: str
    name: str
    text: str
    failed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the message as plain data."""
        entry = {"kind": "returned", "call_id": self.call_id, "name": self.name, "text": self.text}
        return {**entry, "failed": self.failed}


Message: TypeAlias = SaidText | Called | Returned
_KINDS: dict[str, type[Message]] = {"said": SaidText, "called": Called, "returned": Returned}


@dataclass(frozen=True, kw_only=True)
class ToolOffer(Stored):
    """A tool that the model may call; *input_schema* is the JSON schema of its arguments, which are an object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the offer as plain data."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.input_schema)}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What the model said and wants called; with no calls it is done.

    `truncated` says that it ran into the limit of output tokens, so that text or last call is not whole;
    `money_known` is false where the price is not known and `cost.money` therefore 0.
    """

    text: str
    cost: Cost
    model: str
    calls: tuple[ToolCall, ...] = ()
    truncated: bool = False
    money_known: bool = True
    carried: dict[str, Any] | None = None

    @property
    def message(self) -> SaidText | Called:
        """The turn as the message that is added to the conversation."""
        if self.calls:
            return Called(text=self.text, calls=self.calls, carried=self.carried)
        return SaidText(role="assistant", text=self.text)


def message_from_json(data: object) -> Message:
    """Return the message that *data* was made from; anything else is an `InputError`."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(f"a message is one of {', '.join(_KINDS)}, not {shown(kind)}")
    return _KINDS[kind].from_json(data)


def check_conversation(messages: Sequence[Message], tools: Sequence[ToolOffer]) -> None:
    """Raise `InputError` where providers would refuse: what has no user, no result for a call, or a tool twice.

    Providers differ in what they forgive; here all refuse the same, before anything is sent.
    """
    if not messages or not (isinstance(messages[0], SaidText) and messages[0].role == "user"):
        raise InputError("a conversation begins with what the user says")
    if isinstance(messages[-1], SaidText) and messages[-1].role == "assistant":
        raise InputError("the model spoke last", fix="add what the user says to that")
    _check_results(messages)
    _check_offers(tools)


def _check_results(messages: Sequence[Message]) -> None:
    """Hold that the results of a message's calls follow it, each once and in any order."""
    open_calls: set[str] = set()
    for place, message in enumerate(messages, start=1):
        if isinstance(message, Returned):
            if message.call_id not in open_calls:
                raise InputError(
                    f"message {place} is the result of {shown(message.call_id)}, which was not just called"
                )
            open_calls.remove(message.call_id)
            continue
        if open_calls:
            raise InputError(f"message {place} comes before the result of {shown(min(open_calls))}")
        if isinstance(message, Called):
            open_calls = {call.id for call in message.calls}
            if len(open_calls) != len(message.calls) or not open_calls:
                raise InputError(f"message {place} needs calls, each with an id of its own")
    if open_calls:
        raise InputError(f"there is no result of {shown(min(open_calls))}")


def _check_offers(tools: Sequence[ToolOffer]) -> None:
    seen: set[str] = set()
    for tool in tools:
        if not TOOL_NAME.match(tool.name):
            fix = "use letters, digits, - and _, 64 at most"
            raise InputError(f"a model cannot be offered a tool named {shown(tool.name)}", fix=fix)
        if tool.name in seen:
            raise InputError(f"tool {tool.name} is offered twice")
        if tool.input_schema.get("type") != "object":
            raise InputError(f"the arguments of tool {tool.name} are not an object", fix='its schema needs "type"')
        seen.add(tool.name)


def clean_message(message: Message, clean: Callable[[str], str]) -> Message:
    """Return *message* with every text in it passed through *clean*."""
    if isinstance(message, SaidText):
        return SaidText(role=message.role, text=clean(message.text))
    if isinstance(message, Returned):
        return replace(message, text=clean(message.text), name=clean(message.name))
    calls = tuple(clean_call(call, clean) for call in message.calls)
    # What is signed can only be sent as it came, or not at all.
    carried = message.carried if clean_data(message.carried, clean) == message.carried else None
    return Called(text=clean(message.text), calls=calls, carried=carried)


def clean_call(call: ToolCall, clean: Callable[[str], str]) -> ToolCall:
    """Return *call* with every text in it passed through *clean*."""
    arguments = clean_data(call.arguments, clean)
    return replace(call, name=clean(call.name), arguments=arguments, malformed=clean(call.malformed))


def clean_offer(offer: ToolOffer, clean: Callable[[str], str]) -> ToolOffer:
    """Return *offer* with every text in it passed through *clean*."""
    schema = clean_data(dict(offer.input_schema), clean)
    return replace(offer, description=clean(offer.description), input_schema=schema)


def clean_data(value: Any, clean: Callable[[str], str]) -> Any:
    """Return plain data with every text and name in it passed through *clean*."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_data(item, clean) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_data(item, clean) for item in value]
    return value


def answers_in(messages: Sequence[Message]) -> Iterator[tuple[str, tuple[ToolCall, ...]]]:
    """Yield text and calls of everything that the model has said so far."""
    for message in messages:
        if isinstance(message, Called):
            yield message.text, message.calls
        elif isinstance(message, SaidText) and message.role == "assistant":
            yield message.text, ()
