"""`mayfly trace`: a tree as the ledger has it, finished or not, and the order in which it came about."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, command, harmless, note, one_line
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.cli._tree_rows import Branch, Row
    from mayfly.promise import Promise, Saved
    from mayfly.store import Event, Ledger

# More of the order than this is read by programs only.
ORDER = 200
KINDS = len("effect.unknown")
EFFECTS = ("effect.began", "effect.done", "effect.refused", "effect.unknown", "effect.settled")


def trace(
    id: Annotated[str, typer.Argument(help="A run, or a promise of it such as r-7f3a0b12/0.2.1.", metavar="ID")],
    *,
    as_json: AsJson = False,
) -> None:
    """Print the tree of a run, finished or interrupted.

    States, reasons, proofs, seconds and costs of its promises, and the order in which things happened.
    """
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        raise InputError("nothing has been run yet", fix="try: mayfly demo")
    with ledger:
        run, _, node = id.partition("/")
        if not run:
            raise InputError(f"{one_line(id)!r} names no run", fix="see: mayfly runs")
        if not node and ledger.last(kind="promise.planned", subject=run) is None and _story(ledger, run, as_json):
            return
        traced = Traced(ledger, run, node)
    if as_json:
        answer_json(traced.fields())
    else:
        _show(traced)


def _story(ledger: Ledger, run: str, as_json: bool) -> bool:
    """Tell the story of a run that has no tree; return whether there is one."""
    from mayfly.cli._why import tell

    events = list(ledger.read(subject=run))
    if not events:
        return False
    if as_json:
        answer_json({"id": run, "status": None, "tree": None, "events": [_event_fields(event) for event in events]})
    else:
        for line in tell(events):
            answer(line)
    return True


class Traced:
    """One run, or one promise of it with all below, together with its events."""

    def __init__(self, ledger: Ledger, run: str, node: str = "") -> None:
        from mayfly.promise import saved

        self.saved: Saved = saved(ledger, run)
        self.run = run
        self.node = node
        self.tree = self._find(node)
        own = list(ledger.read(subject=f"{run}/{node}")) if node else []
        effects = [event for event in own if event.kind in EFFECTS]
        self.story = [event for event in own if event.kind not in EFFECTS]
        self.events = sorted((*self._events(ledger), *effects), key=lambda event: event.id)

    def _find(self, node: str) -> Promise[Any]:
        found = next((promise for promise in self.saved.tree.walk() if promise.id == (node or "0")), None)
        if found is None:
            raise InputError(
                f"run {one_line(self.run)} has no promise {one_line(node)}", fix=f"see: mayfly trace {self.run}"
            )
        return found

    def _events(self, ledger: Ledger) -> Iterator[Event]:
        """Yield what happened to the run and to the effects of its promises."""
        below = {promise.id for promise in self.tree.walk()}
        for event in ledger.read(subject=self.run):
            if not self.node or event.payload.get("node") in below:
                yield event
        capable = [promise.id for promise in self.tree.walk() if _kind(promise) == "capability"]
        subjects = [f"{self.run}/{node}" for node in capable if not self.node or node != self.node]
        for kind in EFFECTS if subjects else ():
            yield from ledger.find_many(kind, subjects).values()

    def costs(self) -> dict[str, dict[str, Any]]:
        """Return what each promise took, as it was recorded when it ended."""
        found: dict[str, dict[str, Any]] = {}
        for event in self.events:
            cost, node = event.payload.get("cost"), event.payload.get("node")
            if isinstance(cost, dict) and isinstance(node, str):
                found[node] = cost
        return found

    def fields(self) -> dict[str, object]:
        """Return everything as data."""
        saved = self.saved
        return {
            "id": f"{self.run}/{self.node}" if self.node else self.run,
            "status": saved.status,
            "at": saved.at.isoformat(),
            "cost": asdict(saved.cost),
            "options": dict(saved.options),
            "tree": self._tree_fields(),
            "events": [_event_fields(event) for event in (*self.events, *self.story)],
        }

    def _tree_fields(self) -> dict[str, object]:
        """Return the tree as `plan --json` has it, with how each promise ended."""
        from mayfly.promise.plan import plan_json

        tree: dict[str, Any] = plan_json(self.tree)
        costs = self.costs()
        waiting = [(self.tree, tree)]
        while waiting:
            promise, fields = waiting.pop()
            fields |= {
                "state": promise.state.value,
                "reason": promise.reason,
                "code": promise.code,
                "error": promise.error,
                "proof": promise.proof.to_json() if promise.proof else None,
                "seconds": self.saved.timings.get(promise.id),
                "again": promise.id in self.saved.again,
                "cost": costs.get(promise.id),
            }
            waiting += zip(promise.children, fields["children"], strict=True)
        if self.tree.state.value == "resolved" and self.saved.has_value(self.tree):
            tree["value"] = self.tree.value
        return tree


def _kind(promise: Promise[Any]) -> str:
    return promise.service.kind if promise.service else ""


def _show(traced: Traced) -> None:
    from mayfly.cli._plan import print_rows
    from mayfly.cli._tree_rows import branches

    saved = traced.saved
    calls = f"{saved.cost.model_calls} model call{'s' if saved.cost.model_calls != 1 else ''}"
    spent = f" · ${saved.cost.money:.4f}" if saved.cost.money else ""
    when = saved.at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    answer(f"{one_line(traced.run)}  {one_line(saved.status)}  {when}  {calls}{spent}")
    costs = traced.costs()
    print_rows([_row(branch, traced, costs) for branch in branches(traced.tree)])
    if traced.node:
        _show_node(traced)
    _show_order(traced)
    if saved.status in ("interrupted", "cancelled", "killed"):
        note(f"go on: {command()} resume {one_line(traced.run)}")


def _row(branch: Branch, traced: Traced, costs: dict[str, dict[str, Any]]) -> Row:
    from mayfly.cli._tree_rows import Row
    from mayfly.cli._tree_words import STYLES, proven_words, served_by

    promise = branch.promise
    state = promise.state.value
    middle = f"budget {promise.budget:.2f}  {state:<9}"
    if state in ("collapsed", "failed"):
        return Row(branch, middle, promise.code or "ground", one_line(promise.reason), STYLES[state])
    if state != "resolved":
        return Row(branch, middle, served_by(promise), "", STYLES[state])
    timing = traced.saved.timings.get(promise.id)
    calls = int(costs.get(promise.id, {}).get("model_calls") or 0)
    words = proven_words(promise, timing, again=promise.id in traced.saved.again)
    return Row(branch, middle, f"{f'{calls} model calls · ' if calls else ''}{words}", "", STYLES[state])


def _show_node(traced: Traced) -> None:
    """Print what is known of one promise alone: its value, its proof, and the story of the leaf that did it."""
    from mayfly.cli._output import to_json
    from mayfly.cli._why import tell

    promise = traced.tree
    kept = promise.proof is None or traced.saved.has_value(promise)
    shown = one_line(to_json(promise.value), limit=500) if kept else "it was not kept"
    answer(f"value: {shown}" + ("" if promise.proof else "  (ground)"))
    if promise.proof is not None:
        answer(f"proof: {promise.proof.strength}, confidence {promise.proof.confidence:g}: {promise.proof.check}")
        for line in promise.proof.source.splitlines():
            answer(f"  {harmless(line)}")
    for line in tell(traced.story):
        answer(line)


def _show_order(traced: Traced) -> None:
    from mayfly.cli._tree_rows import columns, cut
    from mayfly.cli._tree_words import how_long

    start, terminal = traced.saved.at, sys.stdout.isatty()
    for event in traced.events[:ORDER]:
        since = (event.at - start).total_seconds()
        node = event.payload.get("node") or event.subject.partition("/")[2]
        happened = event.kind.removeprefix("promise.")
        words = one_line(_words(event), limit=200)
        line = f"{how_long(max(0.0, since)):>9}  {happened:<{KINDS}}  {one_line(str(node or '')):<8}  {words}".rstrip()
        answer(cut(line, columns(sys.stdout)) if terminal else line)
    left = len(traced.events) - ORDER
    if left > 0:
        note(f"and {left:,} more events: {command()} trace {one_line(traced.run)} --json")


def _words(event: Event) -> str:
    """Say what an event is about in the words it was recorded with."""
    payload: Any = event.payload
    if event.kind == "promise.planned":
        return f"{payload['nodes']} promises, by {payload['by']}"
    if event.kind == "promise.began":
        return str(payload["by"])
    if event.kind == "promise.resolved":
        again = "again · " if payload.get("again") else ""
        return again + str((payload.get("evidence") or {}).get("description", ""))
    told = [payload.get(name) for name in ("capability", "target", "verdict", "by", "reason", "error")]
    return " · ".join(str(word) for word in told if word)


def _event_fields(event: Event) -> dict[str, object]:
    return {"at": event.at.isoformat(), "kind": event.kind, "subject": event.subject, **event.payload}
