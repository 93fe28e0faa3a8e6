"""`mayfly approve` and `mayfly deny`: a person's word on what waits in the inbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, foreign, note
from mayfly.cli._who import By, Reason, who
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.operations import ApprovalWord
    from mayfly.store import Ledger

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
    if show:
        from mayfly.operations import look_at_approval

        settings = Settings.load()
        with _ledger_with(settings, id) as ledger:
            answer(foreign(look_at_approval(settings, ledger, id).diff, sys.stdout))
        return
    done = _settle(id, approved=True, by=who(by), reason=reason, as_json=as_json)
    if not as_json:
        answer(f"approved: {one_line(done.waiting.asked.summary, limit=200)}: {foreign(done.result, sys.stdout)}")


def deny(id: WaitingId, *, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Say no to what waits under ID; held changes are dropped for good, and the agent is told why."""
    done = _settle(id, approved=False, by=who(by), reason=reason, as_json=as_json)
    if not as_json:
        answer(f"denied: {one_line(done.waiting.asked.summary, limit=200)}")
        note("it is dropped, and the agent is told")


def _settle(id: str, *, approved: bool, by: str, reason: str, as_json: bool) -> ApprovalWord:
    from mayfly.operations import settle_approval

    settings = Settings.load()
    with _ledger_with(settings, id) as ledger:
        done = settle_approval(settings, ledger, id, approved=approved, by=by, reason=reason)
    if as_json:
        answer_json(done.to_json())
    return done


@contextmanager
def _ledger_with(settings: Settings, id: str) -> Iterator[Ledger]:
    """Open the ledger in which something waits; a look makes no store."""
    from mayfly.store import Ledger

    ledger = Ledger.find(settings)
    if ledger is None:
        raise InputError(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")
    with ledger:
        yield ledger
