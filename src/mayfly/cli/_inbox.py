"""`mayfly inbox`: what waits for a person: tasks that need help, and effects nobody can tell the end of."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note, table
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.promise import Unsettled


def inbox(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person, oldest first: calls for help, and effects nobody can tell the end of."""
    from mayfly.forge import Inbox
    from mayfly.promise import unknown_effects
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    calls: list[Any] = []
    effects: list[Unsettled] = []
    if ledger is not None:
        with ledger:
            calls = Inbox(ledger).list(answered=all)
            effects = unknown_effects(ledger)
    if as_json:
        answer_json([_fields(call) for call in calls] + [_effect_fields(effect) for effect in effects])
        return
    if not calls and not effects:
        note("nothing waits for you")
    if calls:
        _show_calls(calls)
        note(f'to help: {command()} answer {one_line(calls[0].id)} "…"')
    if effects:
        _show_effects(effects)


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
