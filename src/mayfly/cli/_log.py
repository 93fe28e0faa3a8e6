"""`mayfly log`, `runs`, `cancel`, `resume` and `kill`: the ledger, the runs in it, how one is stopped and resumed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._frame import Shown, kept_ledger, ledger_with, opened, shows
from mayfly.cli._output import (
    AsJson,
    By,
    Reason,
    answer,
    answer_json,
    bare_group,
    busy,
    command,
    group,
    note,
    table,
    to_json,
    who,
)
from mayfly.cli._progress import exit_status
from mayfly.cli._run import ModelOption, Quiet, Verbose, show_outcome
from mayfly.core import InputError, Settings, canonical_json, clipped, harmless, one_line
from mayfly.operations import STATUSES, pick_fields

if TYPE_CHECKING:
    from mayfly.operations import RunLine
    from mayfly.runtime import Runtime
    from mayfly.store import Event, Ledger, Switch

WIDTH = 120
# Events shown where nobody says how many: a ledger of years has millions.
LAST = 1000

app = bare_group()


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
            note(f"nothing is recorded yet; try: {command()} demo")
            return
        if promise is None:
            last = None if everything or id else LAST
            number = last if limit is None else limit
            after = 0 if number is None else ledger.before_last(number, kind=kind, subject=id)
            if after and limit is None:
                note(f"the last {LAST:,} events; all of them: {command()} log --all")
            found = ledger.read(kind=kind, subject=id, after=after, limit=number)
            events = ledger.follow(kind=kind, subject=id, after=after) if follow else found
        else:
            events = _story(ledger, promise, kind, id, limit, follow=follow)
        try:
            for event in events:
                answer(to_json(_fields(event)) if json else _as_text(event))
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
    as_json: AsJson = False,
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
        note(f"nothing is recorded yet; try: {command()} demo")
        return
    if as_json:
        answer_json({"ok": found.ok, **asdict(found)})
    else:
        said = "broken" if found.broken else "whole"
        answer(f"{said}: {found.events:,} events in {found.links:,} links" + (" before it" if found.broken else ""))
        answer(f"head: {found.head}")
    if found.broken:
        note(f"the ledger is not what was appended: {one_line(found.broken, limit=500)}")
        raise typer.Exit(1)


@app.command("archive")
def archive(
    *,
    before: Annotated[str, typer.Option(help=f"Runs that ended before this moment, {MOMENT}.", metavar="MOMENT")],
    as_json: AsJson = False,
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
                answer(f"{one.file}: {one.events:,} events of {one.runs:,} runs")
    if as_json:
        answer_json([pick_fields(one, "file runs events") for one in done])
    elif not done:
        note(f"no run ended before {moment.isoformat(timespec='seconds')} that is not archived")


_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
# A number that a span of days can hold: about 2,700 years.
_AGO = re.compile(r"([0-9]{1,6})([mhdw])")
MOMENT = "such as 2026-01-31, 2026-01-31T08:00, or 90d for 90 days ago (m, h, d, w)"


def moment_of(text: str) -> datetime:
    """Return the moment that *text* names; one without a zone is in UTC, as everything in the ledger."""
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago:
            return datetime.now(UTC) - int(ago[1]) * _UNITS[ago[2]]
        found = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise InputError(f"{one_line(text, limit=60)!r} is no moment", fix=f"say one {MOMENT}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@shows
def runs(
    *,
    last: Annotated[int, typer.Option("--limit", "--last", min=0, help="Only the last N runs.", metavar="N")] = 20,
    status: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Only runs that stand so; may be said several times: {', '.join(STATUSES)}.", metavar="STATUS"
        ),
    ] = None,
    since: Annotated[str, typer.Option(help=f"Only runs that began then or later, {MOMENT}.", metavar="MOMENT")] = "",
    after: Annotated[str, typer.Option(help="Go on after this run: the next page of the list.", metavar="ID")] = "",
) -> Shown:
    """List the last runs, the newest first: how each ended, or that it can be taken up again."""
    from mayfly.operations import RunPage, run_number, search_runs

    wrong = next((one for one in status or () if one not in STATUSES), None)
    if wrong is not None:
        raise InputError(f"no run is {one_line(wrong, limit=60)!r}", fix=f"say one of {', '.join(STATUSES)}")
    moment = moment_of(since) if since else None
    found = RunPage([], None)
    with kept_ledger() as ledger:
        if ledger is not None:
            before = run_number(ledger, after) if after else None
            found = search_runs(ledger, last=last, status=status or (), since=moment, before=before)
    if not found.runs:
        narrowed = status or since or after
        return Shown([], hint="no such run" if narrowed else f"nothing has been run yet; try: {command()} demo")
    hints = []
    open = next((line.id for line in found.runs if line.status in ("interrupted", "cancelled", "killed")), None)
    if open is not None:
        hints.append(f"go on with one that was stopped: {command()} resume {open}")
    if found.next is not None:
        hints.append(f"older ones: {command()} runs --after {one_line(found.runs[-1].id)}")
    rows = [("id", "at", "status", "promises", "took", "intent"), *map(_row, found.runs)]
    return Shown([line.to_json() for line in found.runs], table(rows), "\n".join(hints))


def _row(line: RunLine) -> tuple[str, ...]:
    from mayfly.operations import how_long

    return (
        one_line(line.id),
        line.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00"),
        line.ending,
        _promises(line),
        "" if line.seconds is None else how_long(line.seconds),
        one_line(line.intent, limit=80),
    )


def _promises(line: RunLine) -> str:
    """Say how much of a tree is proven, and how much of it ended in ground."""
    if not line.nodes:
        return "1"
    ground = line.collapsed + line.failed
    return f"{line.resolved:,}/{line.nodes:,}" + (f", {ground:,} ground" if ground else "")


@shows
def cancel(
    id: Annotated[str, typer.Argument(help="The run, as `mayfly runs` shows it.", metavar="ID")],
    *,
    reason: Reason = "",
    by: By = None,
) -> Shown:
    """Ask a run to stop, on whatever machine it is.

    Its open promises get their ground; what is proven stays proven, and `mayfly resume` goes on from there.
    """
    from mayfly.promise import cancel as ask

    name = who(by)
    with ledger_with() as ledger:
        ask(ledger, id, by=name, reason=reason)
    data = {"id": id, "cancelled": True, "by": name, "reason": reason}
    return Shown(data, f"asked {id} to stop", f"see how it ends: {command()} trace {id}")


def resume(
    id: Annotated[str, typer.Argument(help="The run, as `mayfly runs` shows it.", metavar="ID")],
    *,
    model: ModelOption = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Go on with an interrupted run: what is proven is used again, the rest is resolved."""
    from mayfly.cli._tree_progress import TreeProgress

    with ledger_with():
        pass  # where nothing was run, no store is made either
    progress = TreeProgress(quiet=quiet, verbose=verbose)
    with progress, opened(observer=progress) as runtime:
        progress.again = _proven(runtime, id)
        outcome = runtime.resume(id, model=model)
        progress.close()
        show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_status(outcome))


def _proven(runtime: Runtime, id: str) -> frozenset[str]:
    """Return the nodes that were proven before; a run that cannot be read is named here, in one line."""
    from mayfly.promise import saved

    tree = saved(runtime.parts.ledger, id).tree
    return frozenset(promise.id for promise in tree.walk() if promise.state.value == "resolved")


kill_app = group("Stop everything: no model call, no effect and no run while the switch is on.")


@kill_app.command("on")
@shows
def turn_on(*, reason: Reason = "", by: By = None) -> Shown:
    """Turn the switch on; whatever is running stops at its next step."""
    shown = _turn_switch(True, by=who(by), reason=reason)
    note(f"to go on: {command()} kill off")
    return shown


@kill_app.command("off")
@shows
def turn_off(*, reason: Reason = "", by: By = None) -> Shown:
    """Turn the switch off; runs that it stopped can be resumed."""
    return _turn_switch(False, by=who(by), reason=reason)


@kill_app.command("status")
@shows
def status() -> Shown:
    """Say whether the switch is on, and who turned it."""
    from mayfly.store import KillSwitch

    with kept_ledger() as ledger:
        return _switch_shown(None if ledger is None else KillSwitch(ledger, cache=0).state())


def _turn_switch(on: bool, *, by: str, reason: str) -> Shown:
    from mayfly.store import KillSwitch, Ledger

    with Ledger.open(Settings.load()) as ledger:
        switch = KillSwitch(ledger, cache=0)
        (switch.turn_on if on else switch.turn_off)(by=by, reason=reason)
        return _switch_shown(switch.state())


def _switch_shown(switch: Switch | None) -> Shown:
    """Return what is said of the switch; one that nobody has ever turned is off."""
    if switch is None:
        return Shown({"on": False, "by": None, "reason": "", "at": None}, "off")
    at, word = switch.at, "on" if switch.on else "off"
    data = {"on": switch.on, "by": switch.by or None, "reason": switch.reason, "at": at.isoformat() if at else None}
    if at is None and not switch.reason:
        return Shown(data, word)
    by = f" by {one_line(switch.by, limit=100)}" if switch.by else ""
    when = f" at {at.isoformat(sep=' ', timespec='seconds').removesuffix('+00:00')}" if at else ""
    why = f": {one_line(switch.reason, limit=300)}" if switch.reason else ""
    return Shown(data, word, f"{word}{by}{when}{why}")
