"""Why a tree of promises ended as it did: the chain of reasons down to the leaf, proofs, rules and effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mayfly.cli._output import answer, answer_json, command, note
from mayfly.cli._tree_words import state_word
from mayfly.core import one_line
from mayfly.operations import Reasons, reason_of

if TYPE_CHECKING:
    from mayfly.promise import Promise
    from mayfly.store import Event, Ledger

Tell = Callable[[Iterable["Event"]], Iterable[str]]

# More lines of one sort than this are read by programs only.
MOST = 50
ENDS = ("run.resolved", "run.collapsed")
OPEN = ("running", "interrupted", "cancelled")


def why_tree(ledger: Ledger, id: str, tell: Tell, *, as_json: bool) -> None:
    """Say why the run or promise called *id* ended as it did."""
    reasons = Reasons(ledger, id)
    if as_json:
        answer_json(reasons.fields())
        return
    for line in _lines(reasons, tell):
        answer(line)
    if reasons.status in ("interrupted", "cancelled"):
        note(f"go on: {command()} resume {one_line(reasons.run)}")


def _lines(found: Reasons, tell: Tell) -> Iterator[str]:
    """Yield it in words."""
    yield f"asked: {one_line(found.asked.intent, limit=500)}"
    if found.asked.parent is None:
        ends = [event for event in found.steps if event.kind in ENDS]
        yield from tell(ends[-1:]) if found.status not in OPEN else [found.status]
    yield from (_line(promise) for promise in found.chain)
    if found.told:
        yield f"how {found.leaf.id} came to it:"
        yield from (f"  {line}" for line in tell(found.told))
    yield from _some("also ended in ground:", [_line(promise) for promise in found.ground], found.run)
    shown = {promise.id for promise in found.chain}
    proven = [_line(promise) for promise in found.proven if promise.id not in shown]
    yield from _some("proven:", proven, found.run)
    yield from _some(
        "the rules were asked:", [_ruled(event.subject, event.payload) for event in found.decisions], found.run
    )
    yield from _some("effects:", [_effect(effect) for effect in found.sent()], found.run)


def _line(promise: Promise[Any]) -> str:
    code = f" [{promise.code}]" if promise.code else ""
    strength = f"{promise.proof.strength}, " if promise.proof else ""
    reason = f": {strength}{one_line(reason_of(promise), limit=500)}" if reason_of(promise) else ""
    return f"  {promise.id:<6} {state_word(promise.state.value):<9} {one_line(promise.intent, limit=100)}{reason}{code}"


def _ruled(id: str, payload: Mapping[str, Any]) -> str:
    because = f": {one_line('; '.join(payload['because'][:3]), limit=300)}" if payload["because"] else ""
    return f"  {id} {payload['decision']} {payload['action']} {one_line(payload['target'], limit=200)}{because}"


def _effect(effect: Mapping[str, Any]) -> str:
    what = f"{effect['capability']} {effect['target']}"
    return f"  {effect['id']} {one_line(what, limit=300)}, attempt {effect['attempts']}: {one_line(effect['became'])}"


def _some(head: str, lines: list[str], run: str) -> Iterator[str]:
    """Yield as many of the lines as anybody reads, below their heading."""
    if not lines:
        return
    yield head
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield f"  and {len(lines) - MOST:,} more: {command()} why {one_line(run)} --json"
