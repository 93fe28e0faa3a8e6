"""`replay:FILE`: answer again what a recording answered, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from mayfly.core import InputError, Money
from mayfly.models._errors import Failure, Kind
from mayfly.models._lines import answer_text, checked, read_lines
from mayfly.models._record import request_key
from mayfly.models._scripted import pieces
from mayfly.models._types import Call, Emit, Need, Price, Purpose, Reply, estimate_tokens


class Replay:
    """Give each recorded answer to the request it was given to, in order; the last one repeats."""

    def __init__(self, path: Path) -> None:
        self._name = f"replay:{path}"
        self._entries: dict[str, list[dict[str, Any]]] = {}
        for place, entry in read_lines(path):
            _require_texts(checked(entry, place), place)
            self._entries.setdefault(request_key(_call(entry)), []).append(entry)
        self._taken: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The name that answers and records carry."""
        return self._name

    def serves(self, purpose: Purpose) -> bool:
        """Whether anything was recorded for *purpose*."""
        return any(entries[0]["for"] == purpose for entries in self._entries.values())

    def load(self) -> None:
        """Do nothing: the file was read when it was opened."""

    def need(self, call: Call) -> Need:
        """Return what the recorded answer took, which is known."""
        reply = self._reply(self._next(call), call)
        price = Price(fixed=reply.money.dollars if reply.money else 0.0)
        return Need(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, price=price, exact=True)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Give the next recorded answer to *call*, or fail as the recorded model did."""
        entry = self._next(call)
        key = request_key(call)
        self._taken[key] = self._taken.get(key, 0) + 1
        if "error" in entry:
            kind: Kind = entry["kind"] if entry.get("kind") in get_args(Kind) else "refused"
            raise Failure(entry["error"], kind=kind)
        reply = self._reply(entry, call)
        if emit is not None:
            for piece in pieces(reply.text):
                await emit(piece)
        return reply

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _next(self, call: Call) -> dict[str, Any]:
        entries = self._entries.get(request_key(call))
        if entries is None:
            raise self._not_recorded(call)
        return entries[min(self._taken.get(request_key(call), 0), len(entries) - 1)]

    def _reply(self, entry: dict[str, Any], call: Call) -> Reply:
        text = answer_text(entry) if "answer" in entry else ""
        asked, said = entry.get("input_tokens"), entry.get("output_tokens")
        return Reply(
            text=text,
            input_tokens=estimate_tokens(call.system, call.prompt) if asked is None else asked,
            output_tokens=estimate_tokens(text) if said is None else said,
            money=None if entry.get("money") is None else Money.of(entry["money"]),
            truncated=entry.get("truncated") is True,
        )

    def _not_recorded(self, call: Call) -> Failure:
        same_purpose = [entries[0] for entries in self._entries.values() if entries[0]["for"] == call.purpose]
        path = self._name.removeprefix("replay:")
        message = f"{path} has no recorded answer to this request for {call.purpose!r}"
        if same_purpose:
            message += f"; the nearest one differs in its {_difference(call, same_purpose)}"
        return Failure(message, kind="not-recorded", fix="record it again")


def _difference(call: Call, entries: Iterable[dict[str, Any]]) -> str:
    """Say where the recorded request that agrees longest with *call* leaves it."""
    entry = max(entries, key=lambda entry: _agreement(call, entry))
    field = "prompt" if _system(entry) == call.system else "system text"
    ours, theirs = (call.prompt, entry["prompt"]) if field == "prompt" else (call.system, _system(entry))
    at = _shared(ours, theirs)
    line = ours.count("\n", 0, at) + 1
    return f"{field}, line {line}: recorded {theirs[at : at + 40]!r}, asked {ours[at : at + 40]!r}"


def _agreement(call: Call, entry: dict[str, Any]) -> tuple[bool, int, int]:
    """Rank a recorded request: the same system text before any that is only alike, then the longest same beginning."""
    same = call.system == _system(entry)
    return same, _shared(call.system, _system(entry)), _shared(call.prompt, entry["prompt"])


def _shared(ours: str, theirs: str) -> int:
    """Return how many characters both texts begin with."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((at for at, (mine, other) in pairs if mine != other), min(len(ours), len(theirs)))


def _system(entry: dict[str, Any]) -> str:
    return str(entry.get("system", ""))


def _call(entry: dict[str, Any]) -> Call:
    return Call(purpose=entry["for"], prompt=entry["prompt"], system=_system(entry))


def _require_texts(entry: dict[str, Any], place: str) -> None:
    if not isinstance(entry.get("prompt"), str) or not isinstance(entry.get("system", ""), str):
        raise InputError(f'{place}: a recording needs "prompt" and "system" as text', fix="a script is scripted:FILE")
