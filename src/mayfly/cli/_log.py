"""`mayfly log`: read the ledger, look whether it is whole, and move old runs out of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli import _output
from mayfly.cli._frame import kept_ledger
from mayfly.cli._output import busy
from mayfly.cli._runs import MOMENT, moment_of
from mayfly.core import canonical_json, clipped, harmless, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

WIDTH = 120
# Events shown where nobody says how many: a ledger of years has millions.
LAST = 1000

app = _output.bare_group()


@app.callback(invoke_without_command=True)
def log(
    # Filled in by typer; who calls this as a function has none.
    context: typer.Context = None,  # type: ignore[assignment]
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
    everything: Annotated[bool, typer.Option("--all", help=f"Every event, not only the last {LAST:,}.")] = False,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more and print them as they come.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Print what the ledger holds, oldest first: the last events, or all of a run that is named."""
    if context is not None and context.invoked_subcommand is not None:
        return
    with kept_ledger() as ledger:
        if ledger is None:
            _output.note(f"nothing is recorded yet; try: {_output.command()} demo")
            return
        if promise is None:
            last = None if everything or id else LAST
            number = last if limit is None else limit
            after = 0 if number is None else ledger.before_last(number, kind=kind, subject=id)
            if after and limit is None:
                _output.note(f"the last {LAST:,} events; all of them: {_output.command()} log --all")
            found = ledger.read(kind=kind, subject=id, after=after, limit=number)
            events = ledger.follow(kind=kind, subject=id, after=after) if follow else found
        else:
            events = _story(ledger, promise, kind, id, limit, follow=follow)
        try:
            for event in events:
                _output.answer(_output.to_json(_fields(event)) if json else _as_text(event))
                if follow:
                    sys.stdout.flush()
        except KeyboardInterrupt:
            if not follow:
                raise


def _story(
    ledger: Ledger, promise: str, kind: str | None, subject: str | None, limit: int | None, *, follow: bool
) -> Iterator[Event]:
    """Return the story of a run or promise, and what comes to it while somebody waits."""
    from mayfly.operations import PromiseStory

    after = ledger.before_last(0)
    story = PromiseStory(ledger, promise)
    wanted = [event for event in story.events() if kind in (None, event.kind) and subject in (None, event.subject)]
    last = wanted if limit is None else wanted[len(wanted) - min(limit, len(wanted)) :]
    if not follow:
        return iter(last)
    known = {event.id for event in wanted}
    more = ledger.follow(kind=kind, subject=subject, after=after)
    return chain(last, (event for event in more if event.id not in known and story.wants(event)))


def _fields(event: Event) -> dict[str, object]:
    return {**pick_fields(event, "id kind subject writer payload"), "at": event.at.isoformat()}


def _as_text(event: Event) -> str:
    """Write an event on one line; control characters come out escaped, since not all text is ours."""
    rest = dict(event.payload)
    # How a request was read and which lines were used is said first and never cut.
    first = [f"reading={canonical_json(reading)} " for reading in [rest.pop("reading", None)] if reading]
    account = rest.pop("account", None)
    if isinstance(account, dict):
        from mayfly.operations import account_words

        first.append(f"lines={canonical_json(account_words(account))} ")
    values = " ".join(f"{harmless(name)}={canonical_json(value)}" for name, value in rest.items())
    short = "".join(first) + clipped(values, WIDTH)
    when = event.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    return f"{when}  {one_line(event.kind)}  {one_line(event.subject)}  {short}"


@app.command("verify")
def verify(
    *,
    head: Annotated[
        str,
        typer.Option(
            help="A head that was printed before and kept elsewhere: its end must still be there.", metavar="ID:HASH"
        ),
    ] = "",
    as_json: _output.AsJson = False,
) -> None:
    """Look whether the ledger is what was appended, and name the first place where it is not.

    Events that were changed, deleted, inserted or put in another order, rows of runs that do not follow from their
    events, blobs and archives. Who rewrites everything up to the last link, or cuts the end off, is found out with the
    head alone: keep it where the ledger's owner cannot write.
    """
    from dataclasses import asdict

    with kept_ledger() as ledger, busy("looking at every event"):
        found = None if ledger is None else ledger.verify(head=head)
    if found is None:
        _output.note(f"nothing is recorded yet; try: {_output.command()} demo")
        return
    if as_json:
        _output.answer_json({"ok": found.ok, **asdict(found)})
    else:
        said = "broken" if found.broken else "whole"
        _output.answer(
            f"{said}: {found.events:,} events in {found.links:,} links" + (" before it" if found.broken else "")
        )
        _output.answer(f"head: {found.head}")
    if found.broken:
        _output.note(f"the ledger is not what was appended: {one_line(found.broken, limit=500)}")
        raise typer.Exit(1)


@app.command("archive")
def archive(
    *,
    before: Annotated[str, typer.Option(help=f"Runs that ended before this moment, {MOMENT}.", metavar="MOMENT")],
    as_json: _output.AsJson = False,
) -> None:
    """Move runs that ended long ago into compressed files beside the ledger.

    `trace`, `why` and `log --id` read them as before, `runs` and `metrics` still count them, and `log verify` goes
    through them; lists of all events leave them out.
    """
    moment = moment_of(before)
    done = []
    with kept_ledger() as ledger:
        for one in ledger.archive(before=moment) if ledger is not None else ():
            done.append(one)
            if not as_json:
                _output.answer(f"{one.file}: {one.events:,} events of {one.runs:,} runs")
    if as_json:
        _output.answer_json([pick_fields(one, "file runs events") for one in done])
    elif not done:
        _output.note(f"no run ended before {moment.isoformat(timespec='seconds')} that is not archived")
