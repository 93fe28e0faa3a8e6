"""`mayfly runs`: which runs there were and how each of them stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.core import Settings, one_line

if TYPE_CHECKING:
    from mayfly.views import RunLine


def runs(
    *,
    last: Annotated[int, typer.Option(min=0, help="Only the last N runs.", metavar="N")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the last runs, the newest first: how each ended, or that it can be taken up again."""
    from mayfly.store import Ledger
    from mayfly.views import runs as find

    ledger = Ledger.find(Settings.load())
    found: list[RunLine] = []
    if ledger is not None:
        with ledger:
            found = find(ledger, last=last)
    if as_json:
        answer_json([line.fields() for line in found])
    elif not found:
        note(f"nothing has been run yet; try: {command()} demo")
    else:
        _show(found)


def _show(found: list[RunLine]) -> None:
    from mayfly.cli._output import table
    from mayfly.views import status_words

    rows = [("id", "at", "status", "promises", "took", "intent")]
    rows += [
        (
            one_line(line.id),
            line.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00"),
            one_line(status_words(line.status)),
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
    from mayfly.cli._tree_words import how_long

    return "" if seconds is None else how_long(seconds)
