"""`mayfly runs`: which runs there were and how each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._moment import HELP as MOMENT
from mayfly.cli._moment import moment_of
from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import STATUSES

if TYPE_CHECKING:
    from mayfly.operations import RunLine


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
        _show(found.runs)
        if found.next is not None:
            note(f"older ones: {command()} runs --after {one_line(found.runs[-1].id)}")


def _statuses(given: Sequence[str]) -> tuple[str, ...]:
    wrong = [status for status in given if status not in STATUSES]
    if wrong:
        raise InputError(f"no run is {one_line(wrong[0], limit=60)!r}", fix=f"say one of {', '.join(STATUSES)}")
    return tuple(given)


def _show(found: list[RunLine]) -> None:
    from mayfly.cli._output import table

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
    for text in table(rows):
        answer(text)
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
