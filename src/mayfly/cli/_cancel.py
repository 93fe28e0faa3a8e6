"""`mayfly cancel`: ask one run to stop."""

from __future__ import annotations

from typing import Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.cli._who import By, Reason, who
from mayfly.core import InputError, Settings


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
