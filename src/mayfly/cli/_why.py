"""`mayfly why`: the story of a run from the ledger, a decision or a goal from the rules, a tool from its card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._desk import Rules, desk, print_trees
from mayfly.cli._frame import Shown, kept_ledger, opened, shows
from mayfly.cli._output import answer, command, note
from mayfly.cli._watched import short_ending
from mayfly.core import one_line

if TYPE_CHECKING:
    from mayfly.operations import DecisionReasons, Reasons
    from mayfly.promise import Promise
    from mayfly.store import Event

# More lines of one sort than this are read by programs only.
MOST = 50
OPEN = ("running", "interrupted", "cancelled")


@shows
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
) -> Shown:
    """Say why a run ended as it did, why a decision fell, or why a goal holds or not: every step with its source."""
    from mayfly.operations import DecisionReasons, GoalReasons, Reasons
    from mayfly.operations import why as find

    with ExitStack() as stack:
        found = find(
            stack.enter_context(kept_ledger()),
            id,
            desk=lambda: stack.enter_context(desk(rules)),
            tools=lambda: stack.enter_context(opened(brief=True)).tools,
            of=of,
        )
    data = found.to_json
    if isinstance(found, Reasons):
        go_on = found.status in ("interrupted", "cancelled")
        return Shown(data, _tree_lines(found), f"go on: {command()} resume {one_line(found.run)}" if go_on else "")
    if isinstance(found, DecisionReasons):
        return Shown(data, lambda: _show_decision(found))
    if isinstance(found, GoalReasons):
        return Shown(data, lambda: print_trees(found.trees))
    return Shown(data, fit_lines(found.lines()))


def tell(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line for each thing that happened, fit for a terminal."""
    from mayfly.operations import tell as tell_raw

    return fit_lines(tell_raw(events))


def fit_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of a story without control characters and cut to what anybody reads."""
    for line in lines:
        # A reading is said in full, and the ledger keeps as much of one as this.
        said = one_line(line, limit=2100 if line.startswith("  read as: ") else 500)
        yield "  " + said if line.startswith(" ") else said


def _show_decision(reasons: DecisionReasons) -> None:
    found = reasons.found
    answer(f"{found.id}: {found.outcome}")
    for reason in found.because:
        answer(f"  {one_line(reason)}")
    print_trees(reasons.trees)
    for remedy in found.remedies:
        answer(f"would be permitted if {one_line(remedy)}")
    if not found.same_rules:
        note(f"the rules have changed since; by today's it is {found.now}")


def _tree_lines(found: Reasons) -> Iterator[str]:
    """Yield it in words."""
    from mayfly.operations import RUN_ENDS

    yield f"asked: {one_line(found.asked.intent, limit=500)}"
    if found.asked.parent is None:
        ends = [event for event in found.steps if event.kind in RUN_ENDS]
        yield from tell(ends[-1:]) if found.status not in OPEN else [found.status]
    yield from (_promise_line(promise) for promise in found.chain)
    if found.told:
        yield f"how {found.leaf.id} came to it:"
        yield from (f"  {line}" for line in tell(found.told))
    yield from _listed("also ended in ground:", [_promise_line(promise) for promise in found.ground], found.run)
    shown = {promise.id for promise in found.chain}
    proven = [_promise_line(promise) for promise in found.proven if promise.id not in shown]
    yield from _listed("proven:", proven, found.run)
    yield from _listed(
        "the rules were asked:", [_rule_line(event.subject, event.payload) for event in found.decisions], found.run
    )
    yield from _listed("effects:", [_effect_line(effect) for effect in found.sent()], found.run)


def _promise_line(promise: Promise[Any]) -> str:
    from mayfly.operations import reason_of

    code = f" [{promise.code}]" if promise.code else ""
    strength = f"{promise.proof.strength}, " if promise.proof else ""
    reason = f": {strength}{one_line(reason_of(promise), limit=500)}" if reason_of(promise) else ""
    return f"  {promise.id:<6} {short_ending(promise):<9} {one_line(promise.intent, limit=100)}{reason}{code}"


def _rule_line(id: str, payload: Mapping[str, Any]) -> str:
    because = f": {one_line('; '.join(payload['because'][:3]), limit=300)}" if payload["because"] else ""
    return f"  {id} {payload['decision']} {payload['action']} {one_line(payload['target'], limit=200)}{because}"


def _effect_line(effect: Mapping[str, Any]) -> str:
    what = f"{effect['capability']} {effect['target']}"
    return f"  {effect['id']} {one_line(what, limit=300)}, attempt {effect['attempts']}: {one_line(effect['became'])}"


def _listed(head: str, lines: list[str], run: str) -> Iterator[str]:
    """Yield as many of the lines as anybody reads, below their heading."""
    if not lines:
        return
    yield head
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"  and {len(lines) - MOST:,} more: {command()} why {one_line(run)} --json"
