"""A tree as the ledger has it, finished or not, and the order in which it came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved
    from mayfly.store import Event, Ledger

EFFECTS = ("effect.began", "effect.done", "effect.refused", "effect.unknown", "effect.settled")


class Trace:
    """One run, or one promise of it with all below, together with its events."""

    def __init__(self, ledger: Ledger, run: str, node: str = "") -> None:
        from mayfly.promise import saved

        self.saved: Saved = saved(ledger, run)
        self.run = run
        self.node = node
        self.tree = find_promise(self.saved, node)
        own = list(ledger.read(subject=f"{run}/{node}")) if node else []
        effects = [event for event in own if event.kind in EFFECTS]
        self.story = [event for event in own if event.kind not in EFFECTS]
        self.events = sorted((*self._events(ledger), *effects), key=lambda event: event.id)

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
            "cost": saved.cost.to_json(),
            "options": dict(saved.options),
            "tree": self._tree_fields(),
            "events": [event_fields(event) for event in (*self.events, *self.story)],
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


def find_promise(saved: Saved, node: str) -> Promise[Any]:
    """Return the promise called *node* of a run, its root where no node is named."""
    found = next((promise for promise in saved.tree.walk() if promise.id == (node or "0")), None)
    if found is None:
        raise InputError(f"run {saved.id} has no promise {node}", fix=f"see: mayfly trace {saved.id}")
    return found


def has_tree(ledger: Ledger, run: str) -> bool:
    """Whether *run* is recorded as a tree of promises."""
    return bool(run) and ledger.last(kind="promise.planned", subject=run) is not None


def _kind(promise: Promise[Any]) -> str:
    return "capability" if promise.capability else promise.work.kind if promise.work else "children"


def event_fields(event: Event) -> dict[str, object]:
    """Return an event as data, its payload among its own fields."""
    return {"at": event.at.isoformat(), "kind": event.kind, "subject": event.subject, **event.payload}


def event_words(event: Event) -> str:
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
