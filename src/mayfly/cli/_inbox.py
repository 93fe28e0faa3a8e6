"""`mayfly inbox`: what waits for a person: approvals, tasks that need help, effects nobody can tell the end of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note, table
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.forge import Call
    from mayfly.operations import InboxView
    from mayfly.promise import Unsettled
    from mayfly.session import Waiting


def inbox(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person, oldest first: approvals, calls for help, effects nobody can tell the end of.

    And payments that the chain neither shows nor rules out though their time is over; with --all disputed ones too.
    """
    from mayfly.operations import inbox as look
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    found: InboxView | None = None
    if ledger is not None:
        with ledger:
            found = look(ledger, settled=all)
    if as_json:
        answer_json([row for rows in found.to_json().values() for row in rows] if found is not None else [])
    elif not found:
        note("nothing waits for you")
    else:
        _show(found)


def _show(found: "InboxView") -> None:
    if found.approvals:
        _show_approvals(found.approvals)
    if found.calls:
        _show_calls(found.calls)
    if found.effects:
        _show_effects(found.effects)
    if found.payments:
        from mayfly.cli._market_pnl import payment_line

        for one in found.payments:
            answer(f"payment  {payment_line(one)}")
        note(f"the chain closes them: see that market.rpc_url answers, then {command()} wallet open")


def _show_approvals(approvals: "Sequence[Waiting]") -> None:
    rows = [("approval", "session", "what", "why")]
    rows += [
        (
            one.id,
            one_line(one.asked.session),
            one_line(f"{one.asked.summary} by {one.asked.target}" if one.asked.held else one.asked.summary, limit=80),
            one_line("; ".join(one.asked.reasons), limit=90),
        )
        for one in approvals
    ]
    for line in table(rows):
        answer(line)
    first = one_line(approvals[0].id)
    note(f"look: {command()} approve {first} --show; then: {command()} approve {first}, or deny {first}")


def _show_calls(calls: "Sequence[Call]") -> None:
    rows = [("id", "attempts", "task", "last error")]
    rows += [
        (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
        for call in calls
    ]
    for line in table(rows):
        answer(line)
    note(f'to help: {command()} answer {one_line(calls[0].id)} "…"')


def _show_effects(effects: "Sequence[Unsettled]") -> None:
    """Print the effects that are neither done nor not done, and what to find out about them."""
    rows = [("unknown effect", "capability", "target", "task", "reason")]
    rows += [
        (
            one_line(effect.id),
            one_line(effect.capability, limit=30),
            one_line(effect.target, limit=60),
            one_line(effect.intent, limit=60),
            one_line(effect.reason, limit=90),
        )
        for effect in effects
    ]
    for line in table(rows):
        answer(line)
    note(f"look whether it happened, then: {command()} answer {one_line(effects[0].id)} done|again|failed")
