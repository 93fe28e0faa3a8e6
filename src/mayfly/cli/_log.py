"""`mayfly log`: read the ledger."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli import _output
from mayfly.core import Settings, canonical_json, clipped, harmless, one_line

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

POLL = 0.5
WIDTH = 120


def log(
    kind: Annotated[str | None, typer.Option(help="Only events of this kind, such as sandbox.ran.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Only events of this run, promise or tool.")] = None,
    promise: Annotated[
        str | None,
        typer.Option(
            help="The whole story of a run or of one of its promises, such as r-7f3a0b12/0.2: also what its leaves "
            "did, the values that were proven, effects, and what the rules were asked.",
            metavar="ID",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Only the last N events.", metavar="N")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more and print them as they come.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Print what the ledger holds, oldest first."""
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        _output.note(f"nothing is recorded yet; try: {_output.command()} demo")
        return
    with ledger:
        if promise is None:
            after = 0 if limit is None else ledger.before_last(limit, kind=kind, subject=id)
            found = ledger.read(kind=kind, subject=id, after=after, limit=limit)
            events = _follow(ledger, kind, id, after) if follow else found
        else:
            events = _story(ledger, promise, kind, id, limit, follow=follow)
        try:
            for event in events:
                _output.answer(_output.to_json(_fields(event)) if json else _as_text(event))
                if follow:
                    _output.flush()
        except KeyboardInterrupt:
            if not follow:
                raise


def _story(
    ledger: Ledger, promise: str, kind: str | None, subject: str | None, limit: int | None, *, follow: bool
) -> Iterator[Event]:
    """Return the story of a run or promise, and what comes to it while somebody waits."""
    from mayfly.views import PromiseStory

    after = ledger.before_last(0)
    story = PromiseStory(ledger, promise)
    wanted = [event for event in story.events() if kind in (None, event.kind) and subject in (None, event.subject)]
    last = wanted if limit is None else wanted[len(wanted) - min(limit, len(wanted)) :]
    if not follow:
        return iter(last)
    known = {event.id for event in wanted}
    more = _follow(ledger, kind, subject, after)
    return chain(last, (event for event in more if event.id not in known and story.wants(event)))


def _follow(ledger: Ledger, kind: str | None, subject: str | None, after: int) -> Iterator[Event]:
    while True:
        for event in ledger.read(kind=kind, subject=subject, after=after):
            after = event.id
            yield event
        time.sleep(POLL)


def _fields(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "subject": event.subject,
        "writer": event.writer,
        "payload": event.payload,
    }


def _as_text(event: Event) -> str:
    """Write an event on one line; control characters come out escaped, since not all text is ours."""
    rest = dict(event.payload)
    # How a request was read and which lines were used is said first and never cut.
    first = [f"reading={canonical_json(reading)} " for reading in [rest.pop("reading", None)] if reading]
    account = rest.pop("account", None)
    if isinstance(account, dict):
        from mayfly.views import account_words

        first.append(f"lines={canonical_json(account_words(account))} ")
    values = " ".join(f"{harmless(name)}={canonical_json(value)}" for name, value in rest.items())
    short = "".join(first) + clipped(values, WIDTH)
    when = event.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    return f"{when}  {one_line(event.kind)}  {one_line(event.subject)}  {short}"
