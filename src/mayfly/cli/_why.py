"""`mayfly why`: the whole story of a run, from the ledger; of a decision, from the rules."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

from mayfly.cli import _typer as typer
from mayfly.cli._desk import Rules
from mayfly.cli._output import AsJson, answer, answer_json
from mayfly.cli._reasons import DECISIONS, explain_decision, explain_goal
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.store import Event

RECORD = re.compile(r"[a-z]{1,3}-[0-9a-f]{4,}")


def why(
    id: Annotated[
        str,
        typer.Argument(
            help="A run, a promise of it or a decision, such as r-7f3a0b12, r-7f3a0b12/0.2.1 or d-12ab34cd56ef; "
            "or a goal such as 'persona(X)'.",
            metavar="ID|GOAL",
        ),
    ],
    *,
    of: Annotated[
        str | None,
        typer.Option("--of", help="The decision whose facts a goal is asked of; the last one if none.", metavar="ID"),
    ] = None,
    rules: Rules = None,
    as_json: AsJson = False,
) -> None:
    """Say why a run ended as it did, why a decision fell, or why a goal holds or not: every step with its source."""
    from mayfly.operations import has_tree
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    events: list[Event] = []
    if ledger is not None:
        with ledger:
            if has_tree(ledger, id.partition("/")[0]):
                from mayfly.cli._why_tree import why_tree

                why_tree(ledger, id, tell, as_json=as_json)
                return
            events = list(ledger.read(subject=id))
    if any(event.kind in DECISIONS for event in events):
        explain_decision(id, rules, as_json=as_json)
    elif events:
        _show_story(id, events, as_json=as_json)
    elif RECORD.fullmatch(id) or (ledger is None and "(" not in id):
        fix = "see: mayfly log" if ledger else "try: mayfly demo"
        raise InputError(f"nothing is recorded under {one_line(id)}" if ledger else "nothing is recorded yet", fix=fix)
    else:
        explain_goal(id, of, rules, as_json=as_json)


def _show_story(id: str, events: "list[Event]", *, as_json: bool) -> None:
    if as_json:
        steps = [{"at": event.at.isoformat(), "kind": event.kind, **event.payload} for event in events]
        answer_json({"id": id, "steps": steps})
        return
    for line in tell(events):
        answer(line)


def tell(events: Iterable["Event"]) -> Iterator[str]:
    """Yield a line for each thing that happened, fit for a terminal."""
    from mayfly.operations import tell as tell_raw

    for line in tell_raw(events):
        # A reading is said in full, and the ledger keeps as much of one as this.
        said = one_line(line, limit=2100 if line.startswith("  read as: ") else 500)
        yield "  " + said if line.startswith(" ") else said
