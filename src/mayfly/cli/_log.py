"""`mayfly log`: read the ledger."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli import _output
from mayfly.core import Settings, canonical_json

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

POLL = 0.5
WIDTH = 120


def log(
    kind: Annotated[str | None, typer.Option(help="Only events of this kind, such as sandbox.ran.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Only events of this run, promise or tool.")] = None,
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
        after = 0 if limit is None else ledger.before_last(limit, kind=kind, subject=id)
        events = ledger.read(kind=kind, subject=id, after=after, limit=limit)
        try:
            for event in _follow(ledger, kind, id, after) if follow else events:
                _output.answer(_output.to_json(_fields(event)) if json else _as_text(event))
                if follow:
                    _output.flush()
        except KeyboardInterrupt:
            if not follow:
                raise


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
    values = " ".join(f"{_output.harmless(name)}={canonical_json(value)}" for name, value in event.payload.items())
    short = values if len(values) <= WIDTH else values[: WIDTH - 1] + "…"
    when = event.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    return f"{when}  {_output.one_line(event.kind)}  {_output.one_line(event.subject)}  {short}"
