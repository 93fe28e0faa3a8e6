"""`scripted:FILE`: a model whose answers somebody wrote down beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mayfly.core import NO_MONEY, InputError, Money
from mayfly.models._errors import Failure
from mayfly.models._lines import NUMBERS, answer_text, checked, read_lines
from mayfly.models._types import PURPOSES, Call, Emit, Need, Price, Purpose, Reply, estimate_tokens

ANY = "*"
# What a recording has on its lines besides, so that one can be used as a script.
_KEYS = {"for", "answer", "error", "kind", "key", "model", "prompt", "system", "truncated", *NUMBERS}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One prepared answer."""

    text: str = ""
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    money: Money = NO_MONEY
    delay: float = 0.0

    def reply(self, call: Call) -> Reply:
        """Return the answer with its use of tokens, estimated where the line does not say."""
        asked = estimate_tokens(call.system, call.prompt) if self.input_tokens is None else self.input_tokens
        said = estimate_tokens(self.text) if self.output_tokens is None else self.output_tokens
        return Reply(text=self.text, input_tokens=asked, output_tokens=said, money=self.money)


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
        reply = self._next(call.purpose).reply(call)
        price = Price(fixed=reply.money.dollars if reply.money else 0.0)
        return Need(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, price=price, exact=True)

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        """Take the next answer for the purpose of *call*."""
        line = self._next(call.purpose)
        source = self._source(call.purpose)
        self._taken[source] = self._taken.get(source, 0) + 1
        if line.delay:
            await asyncio.sleep(line.delay)
        if line.error:
            raise Failure(line.error, kind="refused")
        if emit is not None:
            for piece in pieces(line.text):
                await emit(piece)
        return line.reply(call)

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    def _source(self, purpose: Purpose) -> str:
        return purpose if purpose in self._lines else ANY

    def _next(self, purpose: Purpose) -> Line:
        source = self._source(purpose)
        lines = self._lines[source]
        return lines[min(self._taken.get(source, 0), len(lines) - 1)]


def pieces(text: str, size: int = 80) -> Iterator[str]:
    """Cut *text* into the pieces in which a stored answer is streamed."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _line(entry: dict[str, Any], place: str) -> Line:
    entry = checked(entry, place, purposes=(*PURPOSES, ANY))
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise InputError(f"{place}: unknown key {unknown[0]!r}", fix=f"known are {', '.join(sorted(_KEYS))}")
    return Line(
        text=answer_text(entry) if "answer" in entry else "",
        error=entry.get("error", ""),
        input_tokens=entry.get("input_tokens"),
        output_tokens=entry.get("output_tokens"),
        money=Money.of(entry.get("money") or 0),
        delay=float(entry.get("delay") or 0.0),
    )
