"""Write down every request with its answer, and `replay:FILE`: answer again what was recorded, and nothing else."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, get_args

from mayfly.core import InputError, Money, StoreError, canonical_json, content_hash, without_secrets
from mayfly.models._conversation import Called, ToolOffer, clean_call, clean_data, message_from_json
from mayfly.models._errors import Failure, Kind, ModelError
from mayfly.models._scripted import Prepared, answer_text, checked, read_lines
from mayfly.models._types import Call, Emit, Purpose, Reply, estimate_input, estimate_output


def request_key(call: Call) -> str:
    """Return the address of a request: what it is for and both texts, or the text, the messages and the tools."""
    if call.messages:
        return content_hash(canonical_json([call.purpose, call.system, *said_in(call).values()]))
    return content_hash(canonical_json([call.purpose, call.system, call.prompt]))


def said_in(call: Call) -> dict[str, list[dict[str, Any]]]:
    """Return messages and tools of a conversation as plain data."""
    messages, tools = ([part.to_json() for part in parts] for parts in (call.messages, call.tools))
    return {"messages": messages, "tools": tools}


def _recorded_answer(call: Call, reply: Reply) -> str | dict[str, Any]:
    """Return what came back without secrets: text, or in a conversation what was said and called."""
    text = without_secrets(reply.text)
    if not call.messages:
        return text
    calls = [clean_call(each, without_secrets).to_json() for each in reply.calls]
    # Whoever sends it back leaves it out where it holds a secret, and so does a replay.
    whole = reply.carried is not None and clean_data(reply.carried, without_secrets) == reply.carried
    return {"text": text, "calls": calls, **({"carried": reply.carried} if whole else {})}


class Recorder:
    """Append one line a request to a file that only its owner can read; a line is there in whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            os.close(self._open())
        except OSError as error:
            raise InputError(f"cannot record to {path}: {error.strerror}") from None

    def answer(self, call: Call, reply: Reply, model: str) -> None:
        """Record what came back."""
        self._append(
            call,
            model,
            {
                "answer": _recorded_answer(call, reply),
                "input_tokens": reply.input_tokens,
                "output_tokens": reply.output_tokens,
                "money": None if reply.money is None else reply.money.dollars,
                "truncated": reply.truncated,
            },
        )

    def error(self, call: Call, error: ModelError, model: str) -> None:
        """Record that nothing usable came back, and why."""
        self._append(call, model, {"error": without_secrets(error.message), "kind": error.kind})

    def _append(self, call: Call, model: str, outcome: dict[str, object]) -> None:
        request = {"for": call.purpose, "key": request_key(call), "model": model}
        texts = said_in(call) if call.messages else {"prompt": call.prompt}
        line = json.dumps({**request, "system": call.system, **texts, **outcome}) + "\n"
        try:
            with self._lock:
                self._write(line.encode("utf-8"))
        except OSError as error:
            raise StoreError(f"{self._path}: the answer could not be recorded: {error.strerror}") from None

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def _write(self, data: bytes) -> None:
        descriptor = self._open()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            # Somebody's last line may lack its end; it must not swallow ours.
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            try:
                written = os.write(descriptor, data)
                while written < len(data):
                    written += os.write(descriptor, data[written:])
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)


class Recorded(NamedTuple):
    """One line of a recording: the request, and the whole entry."""

    call: Call
    entry: dict[str, Any]
    answer: Called


class RecordedAnswers(Prepared):
    """Give each recorded answer to the request it was given to, in order; the last one repeats."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"replay:{path}")
        self._entries: dict[str, list[Recorded]] = {}
        for place, entry in read_lines(path):
            recorded = _recorded(checked(entry, place), place)
            self._entries.setdefault(request_key(recorded.call), []).append(recorded)
        self._taken: dict[str, int] = {}

    def serves(self, purpose: Purpose) -> bool:
        """Whether anything was recorded for *purpose*."""
        return any(entries[0].call.purpose == purpose for entries in self._entries.values())

    def prepared(self, call: Call) -> Reply:
        """Return the recorded answer to *call*."""
        return self._reply(self._next(call), call)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Give the next recorded answer to *call*, or fail as the recorded model did."""
        recorded = self._next(call)
        key = request_key(call)
        self._taken[key] = self._taken.get(key, 0) + 1
        if "error" in recorded.entry:
            kind: Kind = recorded.entry["kind"] if recorded.entry.get("kind") in get_args(Kind) else "refused"
            raise Failure(recorded.entry["error"], kind=kind)
        return await self.hand_over(self._reply(recorded, call), emit)

    def _next(self, call: Call) -> Recorded:
        key = request_key(call)
        entries = self._entries.get(key)
        if entries is None:
            raise self._not_recorded(call)
        return entries[min(self._taken.get(key, 0), len(entries) - 1)]

    def _reply(self, recorded: Recorded, call: Call) -> Reply:
        entry, answer = recorded.entry, recorded.answer
        asked, said = entry.get("input_tokens"), entry.get("output_tokens")
        return Reply(
            text=answer.text,
            calls=answer.calls,
            carried=answer.carried,
            input_tokens=estimate_input(call) if asked is None else asked,
            output_tokens=estimate_output(answer.text, answer.calls) if said is None else said,
            money=None if entry.get("money") is None else Money.of(entry["money"]),
            truncated=entry.get("truncated") is True,
        )

    def _not_recorded(self, call: Call) -> Failure:
        same_purpose = [
            entries[0].call for entries in self._entries.values() if entries[0].call.purpose == call.purpose
        ]
        path = self._name.removeprefix("replay:")
        message = f"{path} has no recorded answer to this request for {call.purpose!r}"
        if same_purpose:
            message += f"; the nearest one differs in its {_difference(call, same_purpose)}"
        return Failure(message, kind="not-recorded", fix="record it again")


def _difference(call: Call, recorded: Iterable[Call]) -> str:
    """Say where the recorded request that agrees longest with *call* leaves it."""
    ours = _parts(call)
    theirs = max(map(_parts, recorded), key=lambda theirs: _agreement(ours, theirs))
    what = next((what for what in ours if ours[what] != theirs.get(what)), "prompt")
    mine, other = ours[what], theirs.get(what, "")
    at = _shared(mine, other)
    line = mine.count("\n", 0, at) + 1
    return f"{what}, line {line}: recorded {other[at : at + 40]!r}, asked {mine[at : at + 40]!r}"


def _parts(call: Call) -> dict[str, str]:
    """Return the texts of a request under what they are called; of a conversation each message is a line."""
    if not call.messages:
        return {"system text": call.system, "prompt": call.prompt}
    messages, tools = ("\n".join(canonical_json(each.to_json()) for each in all) for all in (call.messages, call.tools))
    return {"system text": call.system, "tools": tools, "messages": messages}


def _agreement(ours: dict[str, str], theirs: dict[str, str]) -> tuple[bool, list[int]]:
    """Rank a recorded request: the same system text before any that is only alike, then the longest same beginnings."""
    return ours["system text"] == theirs["system text"], [_shared(ours[what], theirs.get(what, "")) for what in ours]


def _shared(ours: str, theirs: str) -> int:
    """Return how many characters both texts begin with."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((at for at, (mine, other) in pairs if mine != other), min(len(ours), len(theirs)))


def _recorded(entry: dict[str, Any], place: str) -> Recorded:
    try:
        return Recorded(_call(entry), entry, _answer(entry))
    except InputError as error:
        raise InputError(f"{place}: {error.message}", fix=error.fix) from None


def _call(entry: dict[str, Any]) -> Call:
    system, prompt = entry.get("system", ""), entry.get("prompt")
    messages, tools = entry.get("messages"), entry.get("tools", [])
    if isinstance(messages, list) and messages and isinstance(tools, list) and isinstance(system, str):
        return Call(
            purpose=entry["for"],
            system=system,
            messages=tuple(map(message_from_json, messages)),
            tools=tuple(map(ToolOffer.from_json, tools)),
        )
    if not isinstance(prompt, str) or not isinstance(system, str):
        raise InputError('a recording needs "prompt" and "system" as text', fix="a script is scripted:FILE")
    return Call(purpose=entry["for"], prompt=prompt, system=system)


def _answer(entry: dict[str, Any]) -> Called:
    """Return what was said and called; outside of a conversation nothing is called."""
    if isinstance(entry.get("answer"), dict) and entry.get("messages"):
        return Called.from_json({"calls": [], **entry["answer"]})
    return Called(text=answer_text(entry) if "answer" in entry else "", calls=())
