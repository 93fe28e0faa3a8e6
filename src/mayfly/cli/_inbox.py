"""`mayfly inbox`: what waits for a person: approvals, tasks that need help, effects nobody can tell the end of."""

import time
from typing import TYPE_CHECKING, Annotated, Any

from mayfly.cli import _typer as typer
from mayfly.cli._output import AsJson, answer, answer_json, command, note, table
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
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
    from mayfly.forge import Inbox
    from mayfly.operations import payments_to_look_at
    from mayfly.promise import unknown_effects
    from mayfly.session import waiting_in
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    calls: list[Any] = []
    effects: list[Unsettled] = []
    approvals: list[Waiting] = []
    payments: list[dict[str, Any]] = []
    if ledger is not None:
        with ledger:
            calls = Inbox(ledger).list(answered=all)
            effects = unknown_effects(ledger)
            approvals = waiting_in(ledger, settled=all)
            # A disputed one is over unless its seller answers after all: nobody has to do anything about it.
            payments = [
                one for one in payments_to_look_at(ledger, now=time.time()) if all or one["state"] != "disputed"
            ]
    if as_json:
        fields = [_approval_fields(one) for one in approvals] + [_fields(call) for call in calls]
        fields += [_effect_fields(effect) for effect in effects]
        answer_json(fields + [{**one, "kind": "payment"} for one in payments])
        return
    if not calls and not effects and not approvals and not payments:
        note("nothing waits for you")
    if approvals:
        _show_approvals(approvals)
    if calls:
        _show_calls(calls)
        note(f'to help: {command()} answer {one_line(calls[0].id)} "…"')
    if effects:
        _show_effects(effects)
    if payments:
        from mayfly.cli._market_pnl import payment_line

        for one in payments:
            answer(f"payment  {payment_line(one)}")
        note(f"the chain closes them: see that market.rpc_url answers, then {command()} wallet open")


def _show_approvals(approvals: "list[Waiting]") -> None:
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


def _approval_fields(one: "Waiting") -> dict[str, object]:
    settled = one.settled
    return {
        "kind": "approval",
        "id": one.id,
        "at": one.at.isoformat(),
        "session": one.asked.session,
        "decision": one.asked.decision,
        "action": one.asked.action,
        "target": one.asked.target,
        "payload": one.asked.payload,
        "summary": one.asked.summary,
        "reasons": list(one.asked.reasons),
        "approved": None if settled is None else settled.approved,
        "by": "" if settled is None else settled.by,
    }


def _show_calls(calls: list[Any]) -> None:
    rows = [("id", "attempts", "task", "last error")]
    rows += [
        (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
        for call in calls
    ]
    for line in table(rows):
        answer(line)


def _show_effects(effects: "list[Unsettled]") -> None:
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


def _fields(call: Any) -> dict[str, object]:
    return {
        "kind": "call",
        "id": call.id,
        "at": call.at.isoformat(),
        "run": call.run,
        "task": call.task,
        "attempts": call.attempts,
        "last_error": call.last_error,
        "context": call.context,
        "answer": call.answer,
    }


def _effect_fields(effect: "Unsettled") -> dict[str, object]:
    return {
        "kind": "effect",
        "id": effect.id,
        "at": effect.at.isoformat(),
        "run": effect.run,
        "task": effect.intent,
        "capability": effect.capability,
        "target": effect.target,
        "reason": effect.reason,
    }
