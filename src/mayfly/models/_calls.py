"""Read the calls that a model wrote: what is no JSON object is kept as it is, and every call has an id of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mayfly.core import clipped, load_json, shown, utf8
from mayfly.models._conversation import Called, Message, ToolCall

# Ids as the providers make them; what is outside of this one of them refuses when it is sent back.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
# As deep as a result of the sandbox may be; every reader of JSON after this one is recursive.
_DEEPEST = 100
# Enough to see what went wrong; it is sent again with every later request.
_LONGEST_MALFORMED = 2000
# Four times what any provider allows.
_LONGEST_NAME = 256
CUT = "it was cut off at the limit of output tokens"


class WrittenCall(NamedTuple):
    """A call as a model wrote it: arguments as JSON text, or already read by the provider's library."""

    id: str
    name: str
    arguments: str | Mapping[str, Any] | None


class UnreadableArguments(ValueError):
    """Arguments that are no JSON object; the message says why."""


def read_calls(written: Iterable[WrittenCall], before: Sequence[Message], *, cut: bool) -> tuple[ToolCall, ...]:
    """Return the calls of an answer to the conversation *before*; with *cut* the last of them may not be whole."""
    every = list(written)
    ids = _ids(every, before)
    last = len(every) - 1
    return tuple(
        _read(call, id, cut=cut and place == last) for place, (call, id) in enumerate(zip(every, ids, strict=True))
    )


def read_arguments(written: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments as an object, or raise `Unreadable`; a tool that takes none may be called with nothing."""
    value: object = written
    if isinstance(written, str):
        try:
            value = load_json(written) if written.strip() else {}
        except RecursionError:
            raise UnreadableArguments(f"the arguments are nested more than {_DEEPEST} deep") from None
        except ValueError as error:
            raise UnreadableArguments(f"the arguments are not JSON: {error}") from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UnreadableArguments("the arguments are JSON, but not an object")
    _require_plain(value)
    return dict(value)


def _read(call: WrittenCall, id: str, *, cut: bool) -> ToolCall:
    name = clipped(utf8(call.name), _LONGEST_NAME)
    try:
        # Nothing at all is a call without arguments only if there was room for some.
        if cut and not call.arguments:
            raise UnreadableArguments(CUT)
        return ToolCall(id=id, name=name, arguments=read_arguments(call.arguments))
    except UnreadableArguments as error:
        text = call.arguments if isinstance(call.arguments, str) else _shown(call.arguments)
        problem = CUT if cut else str(error)
        return ToolCall(id=id, name=name, malformed=clipped(utf8(text), _LONGEST_MALFORMED), problem=problem)


def _shown(arguments: object) -> str:
    """Return what a provider's library read where it should have left text, as far as that can be shown."""
    return shown(arguments, _LONGEST_MALFORMED) if arguments else ""


def _ids(calls: Sequence[WrittenCall], before: Sequence[Message]) -> Iterator[str]:
    """Yield an id for each call: its own if nobody else has it, otherwise one that follows from what was before."""
    used = {call.id for message in before if isinstance(message, Called) for call in message.calls}
    wanted = {call.id for call in calls}
    number = len(used)
    for call in calls:
        id = call.id
        while not _ID.match(id) or id in used or (id != call.id and id in wanted):
            number += 1
            id = f"call_{number}"
        used.add(id)
        yield id


def _require_plain(value: object) -> None:
    """Raise `Unreadable` for what later readers of JSON or UTF-8 would stumble over."""
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if depth > _DEEPEST:
            raise UnreadableArguments(f"the arguments are nested more than {_DEEPEST} deep")
        if isinstance(item, Mapping):
            waiting += [(part, depth + 1) for pair in item.items() for part in pair]
        elif isinstance(item, (list, tuple)):
            waiting += [(part, depth + 1) for part in item]
        elif isinstance(item, float) and not math.isfinite(item):
            raise UnreadableArguments("the arguments hold a number that JSON does not have")
        elif isinstance(item, str) and utf8(item) != item:
            raise UnreadableArguments("the arguments hold half a character")
