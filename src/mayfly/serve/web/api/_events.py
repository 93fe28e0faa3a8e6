"""Live events as server-sent events: what the ledger gets, as it gets it, for as long as the reader reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response

from mayfly.core import without_secrets_in
from mayfly.operations import event_fields, event_words
from mayfly.serve.web._answer import BusyError, NotFound
from mayfly.serve.web._served import ServedRuntime, Site

if TYPE_CHECKING:
    from mayfly.serve._door import Receive, Scope, Send
    from mayfly.store import Event

router = APIRouter(tags=["events"])
# Events read from the ledger at once: all that is ever kept for a reader.
_PAGE = 100
# Seconds after which a comment is sent where there is no news, so that a reader that has gone is noticed.
_PULSE = 15.0
# Seconds in which a reader has to take what was sent; one that does not is let go, and can come back.
_PATIENCE = 30.0
# Seconds in which news are gathered: fifty steps at once are one reading of the ledger.
_GATHER = 0.1
# Events of others that are looked through for those that belong to a run when a reader comes back.
_NEAR = 10_000
# Characters of one event; what is longer is read at its own address.
_LONGEST = 64_000


@router.get("/events", summary="Follow a run, a chat or everything", response_class=Response)
async def follow(
    served: Site,
    run: Annotated[
        str, Query(pattern=r"^([a-z]{1,3}-[A-Za-z0-9._-]{1,100})?$", description="A run or a chat; all if empty.")
    ] = "",
    after: Annotated[int | None, Query(ge=0, le=2**62, description="Begin after this event.")] = None,
    last_event_id: Annotated[str | None, Header(description="What the reader saw last, as browsers say it.")] = None,
) -> Response:
    """Stream events as server-sent events, each with its number in the ledger as its id.

    Of a run or chat those from its beginning, or after `after` or `Last-Event-ID`; of everything those that come. The
    stream of a run ends with an event `end`; who comes back after that gets 204. A reader that does not read is let go.
    """
    ledger = served.ledger
    if last_event_id and last_event_id.isdecimal():
        after = min(int(last_event_id[:19]), 2**62)
    newest = await asyncio.to_thread(ledger.last, None, run or None)
    if run and newest is None:
        raise NotFound(f"there is no run {run}", fix="see GET /api/runs")
    seen = after if after is not None else 0 if run else (newest.id if newest else 0)
    if run and after is not None and await asyncio.to_thread(_ended, served, run, after):
        return Response(status_code=204)
    if served.feed.listeners >= served.runtime.settings.web.streams:
        raise BusyError("as many streams as this server takes are open", seconds=5)
    return EventStream(served, run, seen)


class EventStream(Response):
    """One stream: it reads a page of the ledger when there is news, sends it, and keeps nothing else."""

    media_type = "text/event-stream"

    def __init__(self, served: ServedRuntime, run: str, seen: int) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._served, self._run, self._seen = served, run, seen
        self._own_only = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the run ends, the reader leaves or stalls, or the server has to end."""
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        feed = self._served.feed
        with feed.listening(self._run) as news:
            await self._piece(send, "retry: 1000\n\n")
            while not feed.closed:
                news.clear()
                while events := await asyncio.to_thread(self._page):
                    await self._piece(send, "".join(map(_frame, events)))
                ended = await asyncio.to_thread(_ended, self._served, self._run, self._seen) if self._run else ""
                if ended:
                    await self._piece(send, f"event: end\ndata: {json.dumps({'status': ended})}\n\n")
                    break
                try:
                    async with asyncio.timeout(_PULSE):
                        await news.wait()
                    await asyncio.sleep(_GATHER)
                except TimeoutError:
                    await self._piece(send, ": still here\n\n")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _piece(self, send: Send, text: str) -> None:
        body = {"type": "http.response.body", "body": text.encode("ascii", "backslashreplace"), "more_body": True}
        async with asyncio.timeout(_PATIENCE):
            await send(body)

    def _page(self) -> list[Event]:
        """Return the next events of the stream; of a run also those under other subjects that are about it."""
        ledger = self._served.ledger
        if not self._run:
            found = list(ledger.read(after=self._seen, limit=_PAGE))
            self._seen = found[-1].id if found else self._seen
            return found
        newest = ledger.before_last(0)
        if newest - self._seen > _NEAR:
            found = list(ledger.read(subject=self._run, after=self._seen, limit=_PAGE))
            # Where a whole page came there may be more; otherwise all of the run up to now was seen.
            self._seen = found[-1].id if len(found) == _PAGE else newest
            return found
        return list(self._about_run())

    def _about_run(self) -> Iterator[Event]:
        found = 0
        for event in self._served.ledger.read(after=self._seen):
            self._seen = event.id
            if self._wants(event):
                yield event
                found += 1
                if found == _PAGE:
                    return

    def _wants(self, event: Event) -> bool:
        subject = event.subject.partition("/")[0]
        if subject == self._run or subject == f"h-{self._run.removeprefix('r-')}":
            return True
        return self._run in (event.payload.get("run"), event.payload.get("session"))


def _ended(served: ServedRuntime, run: str, seen: int) -> str:
    """Return how a run stands where it has ended and nothing is left to tell; a chat never ends."""
    ledger = served.ledger
    if run.startswith("s-"):
        return ""
    row, newest = ledger.run(run), ledger.last(subject=run)
    if row is None or row.status == "running" or not row.began or (newest is not None and newest.id > seen):
        return ""
    return row.status


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _frame(event: Event) -> str:
    fields: Any = without_secrets_in({"id": event.id, **event_fields(event), "words": event_words(event)})
    data = json.dumps(fields, default=str)
    if len(data) > _LONGEST:
        short = {name: fields[name] for name in ("id", "at", "kind", "subject")}
        data = json.dumps({**short, "cut": True})
    return f"id: {event.id}\nevent: ledger\ndata: {data}\n\n"
