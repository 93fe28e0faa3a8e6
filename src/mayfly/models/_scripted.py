"""`scripted:FILE`: a model whose answers somebody wrote down beforehand, a JSON object a line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mayfly.core import NO_MONEY, InputError, Money
from mayfly.models._calls import WrittenCall, read_calls
from mayfly.models._conversation import Message, ToolCall, answers_in
from mayfly.models._errors import Failure
from mayfly.models._types import PURPOSES, Call, Emit, Need, Price, Purpose, Reply, estimate_input, estimate_output

NUMBERS = {"input_tokens": int, "output_tokens": int, "money": float, "delay": float}
# What an answer in a conversation has, and what a call in it; a recording has the last of each.
_TURN = {"text", "calls", "carried"}
_CALL = {"id", "name", "arguments", "malformed", "problem"}


def read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object with its place, `FILE:LINE`; blank lines are passed over."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: {reason}") from None
    # Not splitlines: U+2028 may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def checked(entry: dict[str, Any], place: str, *, purposes: tuple[str, ...] = PURPOSES) -> dict[str, Any]:
    """Return *entry* if it has a purpose and either an answer or an error, and numbers where numbers belong."""
    purpose = entry.get("for")
    if purpose not in purposes:
        raise InputError(f'{place}: "for" must be one of {", ".join(purposes)}, not {json.dumps(purpose)}')
    if ("answer" in entry) == ("error" in entry):
        raise InputError(f'{place}: exactly one of "answer" and "error" is needed')
    if not isinstance(entry.get("error", ""), str):
        raise InputError(f'{place}: "error" must be text')
    for name, kind in NUMBERS.items():
        value = entry.get(name)
        fits = isinstance(value, int) or (kind is float and isinstance(value, float))
        if value is not None and (isinstance(value, bool) or not fits or not 0 <= value < float("inf")):
            raise InputError(f'{place}: "{name}" must be a number, 0 or more, not {json.dumps(value)}')
    return entry


def answer_text(entry: dict[str, Any]) -> str:
    """Return the answer of *entry* as a model would write it: text as it is, anything else as JSON."""
    answer = entry["answer"]
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def answer_turn(entry: dict[str, Any], place: str) -> tuple[str, list[WrittenCall]]:
    """Return what the answer of *entry* says and calls in a conversation: an object may have `text` and `calls`."""
    answer = entry["answer"]
    if not isinstance(answer, dict) or not ("calls" in answer or set(answer) == {"text"}):
        return answer_text(entry), []
    unknown = sorted(set(answer) - _TURN)
    if unknown:
        raise InputError(
            f"{place}: unknown key {unknown[0]!r} beside calls", fix=f"known are {', '.join(sorted(_TURN))}"
        )
    text, calls = answer.get("text", ""), answer.get("calls", [])
    if not isinstance(text, str) or not isinstance(calls, list):
        raise InputError(f'{place}: an answer with calls has "text" and a list of "calls"')
    return text, [_call(call, place) for call in calls]


def _call(call: object, place: str) -> WrittenCall:
    """Return a call of a script; arguments that are text are taken as a model may have written them, right or wrong."""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or set(call) - _CALL:
        fix = f"write an object with {', '.join(sorted(_CALL))}"
        raise InputError(f"{place}: not a call: {json.dumps(call)[:60]}", fix=fix)
    arguments = call.get("malformed", call.get("arguments"))
    if not (arguments is None or isinstance(arguments, (str, dict))):
        raise InputError(f"{place}: the arguments of {call['name']!r} must be an object, or text as a model writes it")
    id = call.get("id", "")
    return WrittenCall(id if isinstance(id, str) else "", call["name"], arguments)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise InputError(f"{place}: an object is needed, not {json.dumps(entry)[:60]}")
    return entry


ANY = "*"
# Characters of each piece in which a stored answer is streamed.
_PIECE = 80
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
class ScriptedLine:
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


class Prepared:
    """Give answers that are there beforehand: nothing is loaded or connected, and what an answer takes is known."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The name that answers and records carry."""
        return self._name

    def load(self) -> None:
        """Do nothing: the file was read when it was opened."""

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def prepared(self, call: Call) -> Reply:
        """Return the next answer to *call*."""
        raise NotImplementedError

    def need(self, call: Call) -> Need:
        """Return what the next answer will take, which is known."""
        reply = self.prepared(call)
        price = Price(fixed=reply.money.dollars if reply.money else 0.0)
        return Need(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, price=price, exact=True)

    async def hand_over(self, reply: Reply, emit: Emit | None) -> Reply:
        """Return *reply*, its text piece by piece before that where somebody takes it."""
        if emit is not None:
            for start in range(0, len(reply.text), _PIECE):
                await emit(reply.text[start : start + _PIECE])
        return reply


class Scripted(Prepared):
    """Give the answers of a file in order for each purpose; the last one repeats."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"scripted:{path}")
        self._lines: dict[str, list[ScriptedLine]] = {}
        for place, entry in read_lines(path):
            line = _line(entry, place)
            self._lines.setdefault(entry["for"], []).append(line)
        self._taken: dict[str, int] = {}

    def serves(self, purpose: Purpose) -> bool:
        """Whether the file has a line for *purpose*, or one for any."""
        return bool(self._lines.get(purpose) or self._lines.get(ANY))

    def prepared(self, call: Call) -> Reply:
        """Return the next answer for the purpose of *call*."""
        return self._next(call).reply(call)

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
        return await self.hand_over(reply, emit)

    def _source(self, purpose: Purpose) -> str:
        return purpose if purpose in self._lines else ANY

    def _next(self, call: Call) -> ScriptedLine:
        lines = self._lines[self._source(call.purpose)]
        return lines[min(self._position(call), len(lines) - 1)]

    def _position(self, call: Call) -> int:
        """Return how many lines are spent; a conversation that another process began goes on where it stood."""
        source = self._source(call.purpose)
        if source in self._taken:
            return self._taken[source]
        return spent_before(self._lines[source], call.messages)


def spent_before(lines: Sequence[ScriptedLine], messages: Sequence[Message]) -> int:
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


def _line(entry: dict[str, Any], place: str) -> ScriptedLine:
    entry = checked(entry, place, purposes=(*PURPOSES, ANY))
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise InputError(f"{place}: unknown key {unknown[0]!r}", fix=f"known are {', '.join(sorted(_KEYS))}")
    said, calls = answer_turn(entry, place) if "answer" in entry else ("", [])
    return ScriptedLine(
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
