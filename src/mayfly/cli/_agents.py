"""`mayfly agents`: sessions and the agents they spawned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note, table
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.session import SessionLog


def agents(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those that ended for good too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List sessions and spawned agents, the newest first: how each stands and what it was last asked."""
    from mayfly.session import sessions
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    found: list[SessionLog] = []
    if ledger is not None:
        with ledger:
            found = [log for log in reversed(sessions(ledger)) if all or not _is_over(log)]
    if as_json:
        answer_json([_fields(log) for log in found])
        return
    if not found:
        note(f'no session yet; begin one: {command()} chat, or {command()} do "run the tests"')
        return
    rows = [("id", "kind", "state", "turns", "where", "last asked")]
    rows += [
        (log.id, _kind(log), _state(log), str(len(log.turns)), _where(log), one_line(_last(log), limit=60))
        for log in found
    ]
    for line in table(rows):
        answer(line)


def _is_over(log: SessionLog) -> bool:
    return log.ended is not None and log.ended.status == "ended"


def _kind(log: SessionLog) -> str:
    return (log.began.kind if log.began is not None else "") or "session"


def _where(log: SessionLog) -> str:
    return log.began.workspace if log.began is not None else ""


def _state(log: SessionLog) -> str:
    if log.ended is not None:
        return log.ended.status
    return "at work or interrupted" if log.turn is not None else "open"


def _last(log: SessionLog) -> str:
    return log.turns[-1].text if log.turns else ""


def _fields(log: SessionLog) -> dict[str, object]:
    return {
        "id": log.id,
        "kind": _kind(log),
        "state": _state(log),
        "name": log.began.name if log.began is not None else "",
        "parent": log.began.parent if log.began is not None else "",
        "workspace": _where(log),
        "model": log.began.model if log.began is not None else "",
        "turns": len(log.turns),
        "last": _last(log),
    }
