"""`mayfly approve`: a person agrees to what waits in the inbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, foreign
from mayfly.cli._who import By, Reason, who
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.session import Approvals

WaitingId = Annotated[str, typer.Argument(help="The id that `mayfly inbox` shows.", metavar="ID")]


def approve(
    id: WaitingId,
    *,
    show: Annotated[bool, typer.Option("--show", help="Print what would be done, and do nothing.")] = False,
    reason: Reason = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Agree to exactly what waits under ID: held changes are committed, a push is made.

    Your word is signed and recorded. Anything else, even one byte, would need another.
    """
    with open_inbox(id) as approvals:
        waiting = approvals.get(id)
        if show:
            answer(foreign(approvals.diff(waiting), sys.stdout))
            return
        result = approvals.approve(id, by=who(by), reason=reason)
    if as_json:
        answer_json({"id": waiting.id, "approved": True, "result": result})
    else:
        answer(f"approved: {one_line(waiting.asked.summary, limit=200)}: {foreign(result, sys.stdout)}")


@contextmanager
def open_inbox(id: str) -> Iterator[Approvals]:
    """Open what waits, by the rules in force where it was asked for."""
    from mayfly.runtime import Desk, open_approvals
    from mayfly.session import SessionLog
    from mayfly.store import Ledger

    settings = Settings.load()
    ledger = Ledger.find(settings)
    if ledger is None:
        raise InputError(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")
    with ledger:
        asked = open_approvals(settings, Desk(settings, ledger=ledger), ledger).get(id).asked
        began = SessionLog(ledger, asked.session).began
        workspace = Path(began.workspace) if began is not None else None
        yield open_approvals(settings, Desk(settings, ledger=ledger, workspace=workspace), ledger)
