"""`scripted:FILE`: a model whose answers somebody wrote down beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mayfly.core import NO_MONEY, InputError, Money
from mayfly.models._calls import WrittenCall, read_calls
from mayfly.models._conversation import Message, ToolCall, answers_in
from mayfly.models._errors import Failure
from mayfly.models._lines import NUMBERS, answer_text, answer_turn, checked, read_lines
from mayfly.models._types import PURPOSES, Call, Emit, Need, Price, Purpose, Reply, estimate_input, estimate_output

ANY = "*"
# What a recording has on its lines besides, so that one can be used as a script.
_KEYS = {
    "for",
    "answer",
    "error",
    "kind",
    "key",
    "model",
    "prompt",
    "system",
    "messages",
    "tools",
    "truncated",
    *NUMBERS,
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One prepared answer."""

    text: str = ""
    said: str = ""
    calls: tuple[WrittenCall, ...] = ()
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    money: Money = NO_MONEY
    delay: float = 0.0
    truncated: bool = False

    def reply(self, call: Call) -> Reply:
        """Return the answer with its use of tokens, estimated where the line does not say."""
        text = self.said if call.messages else self.text
        calls = read_calls(self.calls if call.messages else (), call.messages, cut=self.truncated)
        asked = estimate_input(call) if self.input_tokens is None else self.input_tokens
        said = estimate_output(text, calls) if self.output_tokens is None else self.output_tokens
        return Reply(
            text=text,
            calls=calls,
            input_tokens=asked,
            output_tokens=said,
            money=self.money,
            truncated=self.truncated,
        )

    def is_answer(self, text: str, calls: tuple[ToolCall, ...]) -> bool:
        """Whether that is what this line says in a conversation, whatever ids its calls got."""
        mine = read_calls(self.calls, (), cut=self.truncated)
        return self.said == text and [_content(call) for call in mine] == [_content(call) for call in calls]


class Scripted:
    """Give the answers of a file in order for each purpose; the last one repeats."""

    def __init__(self, path: Path) -> None:
        self._name = f"scripted:{path}"
        self._lines: dict[str, list[Line]] = {}
        for place, entry in read_lines(path):
            line = _line(entry, place)
            self._lines.setdefault(entry["for"], []).append(line)
        self._taken: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The name that answers and records carry."""
        return self._name

    def serves(self, purpose: Purpose) -> bool:
        """Whether the file has a line for *purpose*, or one for any."""
        return bool(self._lines.get(purpose) or self._lines.get(ANY))

    def load(self) -> None:
        """Do nothing: the file was read when it was opened."""

    def need(self, call: Call) -> Need:
        """Return what the next answer will take, which is known."""
        reply = self._next(call).reply(call)
        price = Price(fixed=reply.money.dollars if reply.money else 0.0)
        return Need(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, price=price, exact=True)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Take the next answer for the purpose of *call*."""
        line = self._next(call)
        source = self._source(call.purpose)
        self._taken[source] = self._position(call) + 1
        if line.delay:
            await asyncio.sleep(line.delay)
        if line.error:
            raise Failure(line.error, kind="refused")
        reply = line.reply(call)
        if call.messages and not (reply.calls or reply.text.strip()):
            raise Failure("the answer is empty", kind="malformed")
        if emit is not None:
            for piece in pieces(reply.text):
                await emit(piece)
        return reply

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _source(self, purpose: Purpose) -> str:
        return purpose if purpose in self._lines else ANY

    def _next(self, call: Call) -> Line:
        lines = self._lines[self._source(call.purpose)]
        return lines[min(self._position(call), len(lines) - 1)]

    def _position(self, call: Call) -> int:
        """Return how many lines are spent; a conversation that another process began goes on where it stood."""
        source = self._source(call.purpose)
        if source in self._taken:
            return self._taken[source]
        return spent_before(self._lines[source], call.messages)


def spent_before(lines: Sequence[Line], messages: Sequence[Message]) -> int:
    """Return how many of *lines* a conversation has had: none unless all the model's answers in it are theirs."""
    position = 0
    for text, calls in answers_in(messages):
        # An error leaves no answer behind, and the last line repeats.
        while position < len(lines) and lines[position].error:
            position += 1
        if not lines[min(position, len(lines) - 1)].is_answer(text, calls):
            return 0
        position += 1
    return position


def _content(call: ToolCall) -> tuple[str, object, str]:
    return call.name, call.arguments, call.malformed


def pieces(text: str, size: int = 80) -> Iterator[str]:
    """Cut *text* into the pieces in which a stored answer is streamed."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _line(entry: dict[str, Any], place: str) -> Line:
    entry = checked(entry, place, purposes=(*PURPOSES, ANY))
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise InputError(f"{place}: unknown key {unknown[0]!r}", fix=f"known are {', '.join(sorted(_KEYS))}")
    said, calls = answer_turn(entry, place) if "answer" in entry else ("", [])
    return Line(
        text=answer_text(entry) if "answer" in entry else "",
        said=said,
        calls=tuple(calls),
        truncated=entry.get("truncated") is True,
        error=entry.get("error", ""),
        input_tokens=entry.get("input_tokens"),
        output_tokens=entry.get("output_tokens"),
        money=Money.of(entry.get("money") or 0),
        delay=float(entry.get("delay") or 0.0),
    )
