"""The journal of one run: transitions go to the ledger in groups, in order, each group whole or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from mayfly.core import StoreError, canonical_json
from mayfly.store import JSON, Event, Payload

if TYPE_CHECKING:
    from mayfly.store import Ledger

T = TypeVar("T")
INLINE = 4096
GROUP = 2000
# What fits the numbers of every reader of JSON, and is far shorter than what goes inline.
_LARGEST = 2**53
Sleep = Callable[[float], Awaitable[None]]


class Journal:
    """Write behind: `note` returns at once, `settled` waits until everything noted so far is on disk.

    What was noted in one call is recorded together or not at all. A store that cannot be reached is tried again after
    each of *delays*; then the journal is broken, and whoever waits for it is told.
    """

    def __init__(
        self, ledger: Ledger, run: str, *, delays: Iterable[float] = (), sleep: Sleep = asyncio.sleep, seq: int = 0
    ) -> None:
        self.ledger = ledger
        self.run = run
        self._delays = tuple(delays)
        self._sleep = sleep
        self._seq = seq
        self._waiting: list[list[Event]] = []
        self._noted = 0
        self._kept = 0
        self._broken: BaseException | None = None
        self._large = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None

    def next(self) -> int:
        """Return the number of the next event of this run."""
        self._seq += 1
        return self._seq

    def note(self, *entries: Payload | tuple[Payload, str]) -> None:
        """Record payloads of this run, or pairs of a payload and its own subject, next to each other."""
        if self._broken is not None:
            raise self._broken
        group = []
        for entry in entries:
            payload, subject = entry if isinstance(entry, tuple) else (entry, self.run)
            group.append(Event.of(payload, subject=subject))
        self._waiting.append(group)
        self._noted += 1
        self._start_writer()

    async def settled(self) -> None:
        """Wait until what was noted before this call is on disk; raises what stands in the way of that."""
        wanted = self._noted
        while self._kept < wanted:
            if self._broken is not None:
                raise self._broken
            assert self._writer is not None, "what was noted has a writer"
            await asyncio.wait([self._writer])

    async def keep(self, value: object) -> tuple[JSON, str | None]:
        """Return *value* as it goes into an event: itself while it is small, otherwise nothing and its address."""
        if hasattr(value, "texts"):
            # One at a time: it lies on disk since it is large, and the whole of it goes through memory here.
            async with self._large:
                return await self._kept_text(await asyncio.to_thread(_text, value))
        if value is None or type(value) is bool or (type(value) is int and -_LARGEST <= value <= _LARGEST):
            return value, None  # it is its own JSON, and holds no text that could be a secret
        return await self._kept_text(_text(self.ledger.secrets.data(value)))

    async def _kept_text(self, text: str) -> tuple[JSON, str | None]:
        if len(text) <= INLINE:
            plain: JSON = json.loads(text)
            # An event is written with its names sorted, and a record may be about their order.
            if canonical_json(plain) == text:
                return plain, None
        return None, await self._patiently(lambda _: self.ledger.put_blob(text.encode("ascii")))

    async def keep_tree(self, tree: object) -> str:
        """Put a tree, as plain data, where it is found again; return its address."""
        text = _text(self.ledger.secrets.data(tree))
        return await self._patiently(lambda _: self.ledger.put_blob(text.encode("ascii")))

    async def aclose(self) -> None:
        """Write what is left and stop."""
        if self._broken is None:
            await self.settled()

    def _start_writer(self) -> None:
        if self._waiting and (self._writer is None or self._writer.done()):
            self._writer = asyncio.ensure_future(self._write())
            self._writer.add_done_callback(self._go_on)

    async def _write(self) -> None:
        """Write as many groups as go at once."""
        taken, self._waiting = self._waiting[:GROUP], self._waiting[GROUP:]
        await self._patiently(partial(self._append, [event for group in taken for event in group]))
        self._kept += len(taken)

    def _go_on(self, writer: asyncio.Task[None]) -> None:
        """Write on; a writer that failed, or was cancelled from outside, leaves the journal broken."""
        if writer.cancelled():
            self._broken = StoreError("the run was stopped before everything was written")
        else:
            self._broken = writer.exception()
        if self._broken is None:
            self._start_writer()

    async def _patiently(self, work: Callable[[bool], T]) -> T:
        """Do *work* in a thread, and again after a while where the store could not be reached."""
        for number, delay in enumerate((*self._delays, None)):
            try:
                return await asyncio.to_thread(work, number > 0)
            except StoreError:
                if delay is None:
                    raise
                await self._sleep(delay)
        raise AssertionError("the last delay raises")

    def _append(self, batch: list[Event], again: bool) -> None:
        if not (again and self._there(batch)):
            self.ledger.append_many(batch)

    def _there(self, batch: list[Event]) -> bool:
        """Whether a write that was reported as lost has been kept after all."""
        numbers = [event.payload["seq"] for event in batch if event.subject == self.run and "seq" in event.payload]
        last = self.ledger.before_last(2 * len(numbers), subject=self.run)
        seen = {event.payload.get("seq") for event in self.ledger.read(subject=self.run, after=last)}
        return bool(numbers) and numbers[-1] in seen


def _text(value: object) -> str:
    """Return *value* as JSON; a sequence that lies on disk is copied as the text it is there."""
    texts = getattr(value, "texts", None)
    if texts is not None:
        return f"[{','.join(texts())}]"
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_sequence)


def _sequence(value: object) -> object:
    """Let `json` write a sequence that lives on disk as the list it stands for."""
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
