"""`mayfly runs`, `cancel`, `resume` and `kill`: which runs there were, and how one is stopped and taken up again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, By, Reason, answer, answer_json, answer_table, command, group, note, who
from mayfly.cli._run import ModelOption, Quiet, Verbose, show_outcome
from mayfly.cli._words import exit_status
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import STATUSES

if TYPE_CHECKING:
    from mayfly.operations import RunLine
    from mayfly.runtime import Runtime
    from mayfly.store import Switch

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
    as_json: AsJson = False,
) -> None:
    """List the last runs, the newest first: how each ended, or that it can be taken up again."""
    from mayfly.operations import RunPage, run_number, search_runs
    from mayfly.store import Ledger

    wanted = _statuses(status or ())
    moment = moment_of(since) if since else None
    ledger = Ledger.find(Settings.load())
    found = RunPage([], None)
    if ledger is not None:
        with ledger:
            before = run_number(ledger, after) if after else None
            found = search_runs(ledger, last=last, status=wanted, since=moment, before=before)
    if as_json:
        answer_json([line.to_json() for line in found.runs])
    elif not found.runs:
        narrowed = wanted or since or after
        note("no such run" if narrowed else f"nothing has been run yet; try: {command()} demo")
    else:
        _show_runs(found.runs)
        if found.next is not None:
            note(f"older ones: {command()} runs --after {one_line(found.runs[-1].id)}")


def _statuses(given: Sequence[str]) -> tuple[str, ...]:
    wrong = [status for status in given if status not in STATUSES]
    if wrong:
        raise InputError(f"no run is {one_line(wrong[0], limit=60)!r}", fix=f"say one of {', '.join(STATUSES)}")
    return tuple(given)


def _show_runs(found: list[RunLine]) -> None:

    rows = [("id", "at", "status", "promises", "took", "intent")]
    rows += [
        (
            one_line(line.id),
            line.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00"),
            line.ending,
            _promises(line),
            _took(line.seconds),
            one_line(line.intent, limit=80),
        )
        for line in found
    ]
    answer_table(rows)
    open = next((line.id for line in found if line.status in ("interrupted", "cancelled", "killed")), None)
    if open is not None:
        note(f"go on with one that was stopped: {command()} resume {open}")


def _promises(line: RunLine) -> str:
    """Say how much of a tree is proven, and how much of it ended in ground."""
    if not line.nodes:
        return "1"
    ground = line.collapsed + line.failed
    return f"{line.resolved:,}/{line.nodes:,}" + (f", {ground:,} ground" if ground else "")


def _took(seconds: float | None) -> str:
    from mayfly.operations import how_long

    return "" if seconds is None else how_long(seconds)


def cancel(
    id: Annotated[str, typer.Argument(help="The run, as `mayfly runs` shows it.", metavar="ID")],
    *,
    reason: Reason = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Ask a run to stop, on whatever machine it is.

    Its open promises get their ground; what is proven stays proven, and `mayfly resume` goes on from there.
    """
    from mayfly.promise import cancel as ask
    from mayfly.store import Ledger

    name = who(by)
    ledger = Ledger.find(Settings.load())
    if ledger is None:
        raise InputError("nothing has been run yet", fix="try: mayfly demo")
    with ledger:
        ask(ledger, id, by=name, reason=reason)
    if as_json:
        answer_json({"id": id, "cancelled": True, "by": name, "reason": reason})
    else:
        answer(f"asked {id} to stop")
        note(f"see how it ends: {command()} trace {id}")


def resume(
    id: Annotated[str, typer.Argument(help="The run, as `mayfly runs` shows it.", metavar="ID")],
    *,
    model: ModelOption = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Go on with an interrupted run: what is proven is used again, the rest is resolved."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.runtime import Runtime
    from mayfly.store import Ledger

    settings = Settings.load()
    ledger = Ledger.find(settings)
    if ledger is None:
        raise InputError("nothing has been run yet", fix="try: mayfly demo")
    ledger.close()
    progress = TreeProgress(quiet=quiet, verbose=verbose)
    with progress, Runtime(settings, observer=progress) as runtime:
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
def turn_on(*, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Turn the switch on; whatever is running stops at its next step."""
    _turn_switch(True, by=who(by), reason=reason, as_json=as_json)
    note(f"to go on: {command()} kill off")


@kill_app.command("off")
def turn_off(*, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Turn the switch off; runs that it stopped can be resumed."""
    _turn_switch(False, by=who(by), reason=reason, as_json=as_json)


@kill_app.command("status")
def status(*, as_json: AsJson = False) -> None:
    """Say whether the switch is on, and who turned it."""
    from mayfly.store import KillSwitch, Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        _show_switch(None, as_json=as_json)
        return
    with ledger:
        _show_switch(KillSwitch(ledger, cache=0).state(), as_json=as_json)


def _turn_switch(on: bool, *, by: str, reason: str, as_json: bool) -> None:
    from mayfly.store import KillSwitch, Ledger

    with Ledger.open(Settings.load()) as ledger:
        switch = KillSwitch(ledger, cache=0)
        (switch.turn_on if on else switch.turn_off)(by=by, reason=reason)
        _show_switch(switch.state(), as_json=as_json)


def _show_switch(switch: Switch | None, *, as_json: bool) -> None:
    """Print the switch; one that nobody has ever turned is off."""
    on = switch is not None and switch.on
    at = switch.at if switch is not None else None
    if as_json:
        by, reason = (switch.by, switch.reason) if switch is not None else (None, "")
        answer_json({"on": on, "by": by or None, "reason": reason, "at": at.isoformat() if at else None})
        return
    answer("on" if on else "off")
    if switch is not None and (at is not None or switch.reason):
        by = f" by {one_line(switch.by, limit=100)}" if switch.by else ""
        when = f" at {at.isoformat(sep=' ', timespec='seconds').removesuffix('+00:00')}" if at else ""
        why = f": {one_line(switch.reason, limit=300)}" if switch.reason else ""
        note(f"{'on' if on else 'off'}{by}{when}{why}")
