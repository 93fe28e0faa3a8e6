"""What the ledger knows of runs: how each tree stands, what it has used, and which effects a person has to look at."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mayfly.core import ConflictError, Cost, InputError, Money
from mayfly.promise._combine import combine
from mayfly.promise._events import EffectSettled, EffectUnknown, RunCancelled
from mayfly.promise._promise import Evidence, Promise, State
from mayfly.promise._promise_json import from_json
from mayfly.promise._values import Value, stored
from mayfly.store import JSON

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger


VERDICTS = ("done", "again", "failed")
_STATES = {
    "promise.began": State.RESOLVING,
    "promise.resolved": State.RESOLVED,
    "promise.collapsed": State.COLLAPSED,
    "promise.failed": State.FAILED,
}


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A run as the ledger has it: the tree with every state applied, and what is needed to go on with it."""

    id: str
    tree: Promise[Any]
    plan: Mapping[str, Any]
    options: Mapping[str, Any]
    at: datetime
    status: str
    values: Mapping[str, Value]
    timings: Mapping[str, float]
    again: frozenset[str]
    used: Mapping[str, float]
    seq: int
    cost: Cost = field(default_factory=Cost)

    def fresh(self) -> Promise[Any]:
        """Return the tree as it was planned, with what is proven in its place and everything else yet to be tried."""
        root = from_json(self.plan)
        proven = {one.id: one for one in self.tree.walk() if self.has_value(one)}
        for promise in root.walk():
            known = proven.get(promise.id)
            if known is not None and known.proof is not None:
                promise.begin()
                promise.resolve(known.value, known.proof)
                promise.account = known.account
        return root

    @property
    def answered(self) -> bool:
        """Whether the run is resolved and its value is at hand, so that nothing is left to be done."""
        return self.status == "resolved" and self.has_value(self.tree)

    def has_value(self, promise: Promise[Any]) -> bool:
        """Whether *promise* is resolved and its value at hand: kept by itself, or made of its children's."""
        if promise.state is not State.RESOLVED:
            return False
        made = bool(promise.children or promise.template) and promise.combine not in ("merge", "compiled")
        return promise.id in self.values or (made and all(map(self._counts, promise.children)))

    def _counts(self, promise: Promise[Any]) -> bool:
        grounded = promise.optional and promise.state.ended and promise.state is not State.RESOLVED
        return grounded or self.has_value(promise)


@dataclass(frozen=True, kw_only=True)
class Unsettled(EffectUnknown):
    """An effect of which nobody can tell whether it happened, and when that was recorded."""

    id: str
    at: datetime


def saved(ledger: Ledger, run: str) -> Saved:
    """Return the tree of a run as far as it has come."""
    planned = ledger.last(kind="promise.planned", subject=run)
    if planned is None:
        known = ledger.last(subject=run)
        reason = f"run {run} has no tree" if known else f"there is no run {run}"
        raise InputError(reason, fix="see: mayfly runs")
    told: Any = planned.payload
    plan = json.loads(ledger.get_blob(str(told["tree"])))
    marks = _Marks()
    marks.spent.take(planned)
    for event in ledger.read(subject=run, after=planned.id):
        marks.take(event)
    marks.spent.add_cut_off(ledger, run)
    for node, (address, how) in marks.grown.items():
        _attach(plan, node, json.loads(ledger.get_blob(address)), how)
    tree = from_json(plan)
    values = _values(ledger, marks.keys)
    for promise in reversed(list(tree.walk())):
        marks.apply(promise, values)
    row = ledger.run(run)
    return Saved(
        id=run,
        tree=tree,
        plan=plan,
        options=told["options"],
        at=planned.at,
        status=row.status if row else "interrupted",
        values=values,
        timings=marks.seconds,
        again=frozenset(marks.again),
        used=marks.spent.used,
        seq=marks.seq,
        cost=Cost.of(marks.spent.used),
    )


def _attach(plan: dict[str, Any], node: str, children: list[Any], how: str) -> None:
    """Put children that were planned later below the promise they belong to; its path is the way there."""
    place = plan
    for number in node.split(".")[len(str(plan["id"]).split(".")) :]:
        place = place["children"][int(number) - 1]
    place["children"] = children
    place["combine"] = how or place["combine"]


class _Marks:
    """Read the events of a run into where each node stands; a later attempt overrides an earlier one."""

    def __init__(self) -> None:
        self.last: dict[str, Event] = {}
        self.keys: dict[str, str] = {}
        self.grown: dict[str, tuple[str, str]] = {}
        self.seconds: dict[str, float] = {}
        self.again: set[str] = set()
        self.spent = Spent()
        self.seq = 0

    def take(self, event: Event) -> None:
        payload: Any = event.payload
        if event.kind == "promise.grown":
            self.grown[str(payload["node"])] = str(payload["tree"]), str(payload.get("combine", ""))
            self.seq = max(self.seq, int(payload["seq"]))
        if event.kind not in _STATES:
            return
        node = str(payload["node"])
        self.last[node] = event
        self.seq = max(self.seq, int(payload["seq"]))
        self.spent.take(event)
        if event.kind == "promise.resolved":
            self.seconds[node] = float(payload.get("seconds", 0.0))
            if payload["key"]:
                self.keys[node] = str(payload["key"])
            if payload.get("again"):
                self.again.add(node)

    def apply(self, promise: Promise[Any], values: Mapping[str, Value]) -> None:
        """Bring *promise* to where the ledger says it stands; children come before their parents."""
        event = self.last.get(promise.id)
        if event is None or promise.state.ended:
            return
        payload: Any = event.payload
        state = _STATES[event.kind]
        if promise.state is State.PENDING and state is not State.COLLAPSED:
            promise.begin()
        if state is State.COLLAPSED:
            promise.collapse(str(payload["reason"]), str(payload["code"]))
        elif state is State.FAILED:
            promise.fail(str(payload["error"]), str(payload["code"]))
        elif state is State.RESOLVED:
            promise.resolve(_value(promise, values), Evidence.from_json(payload["evidence"]))
            promise.account = values[promise.id].account if promise.id in values else None


def _value(promise: Promise[Any], values: Mapping[str, Value]) -> object:
    if promise.id in values:
        return values[promise.id].value
    kind = promise.combined
    if (promise.children or promise.template) and kind in ("last", "record", "list", "concat"):
        return combine(kind, [child.name for child in promise.children], [child.value for child in promise.children])
    return None


def _values(ledger: Ledger, keys: Mapping[str, str]) -> dict[str, Value]:
    found = ledger.find_many("promise.proven", set(keys.values()))
    values: dict[str, Value] = {}
    for node, key in keys.items():
        if key in found:
            values[node] = stored(found[key].payload, ledger, key)
    return values


def cancel(ledger: Ledger, run: str, *, by: str, reason: str = "") -> None:
    """Ask a run to stop, on whatever machine it is; what is proven stays proven."""
    row = ledger.run(run)
    if row is None or not row.began:
        raise InputError(f"there is no run {run}", fix="see: mayfly runs")
    if row.status != "running":
        raise ConflictError(f"run {run} is not running: it is {row.status}")
    ledger.append(RunCancelled(by=by, reason=reason), subject=run)


def unknown_effects(ledger: Ledger) -> list[Unsettled]:
    """Return the effects of which nobody can tell whether they happened, oldest first."""
    # One that is unknown once more is listed once, as it stands last.
    ends = ("effect.unknown", "effect.settled", "effect.done")
    names = ("run", "node", "capability", "target", "intent", "reason")
    return [
        Unsettled(id=event.subject, at=event.at, **{name: str(event.payload[name]) for name in names})
        for event in ledger.waiting("effect.unknown", ended_by=ends, later=True)
    ]


def settle_effect(ledger: Ledger, id: str, *, verdict: str, by: str, value: JSON = None) -> Unsettled:
    """Record what a person found out: it is done (with its value), is to be sent again, or is given up."""
    if verdict not in VERDICTS:
        raise InputError(f"{verdict!r} is no verdict", fix=f"say one of {', '.join(VERDICTS)}")
    found = next((effect for effect in unknown_effects(ledger) if effect.id == id), None)
    if found is None:
        raise InputError(f"there is no unknown effect {id}", fix="see: mayfly inbox")
    ledger.append(EffectSettled(verdict=verdict, by=by, value=value), subject=id)
    return found


AMOUNTS = ("input_tokens", "output_tokens", "money")


class Spent:
    """Add up what attempts at promises have used.

    One that ended tells it with its end. Of one that was cut off, the calls of models are known that were noted before
    they were made: each counts with what it took, or with what it could have taken where no answer was noted.
    """

    def __init__(self) -> None:
        self.used: dict[str, float] = defaultdict(float)
        # Of each promise the events with which attempts at it began, and those of them that were not seen to end.
        self._began: dict[str, list[int]] = defaultdict(list)
        self._open: dict[str, set[int]] = defaultdict(set)

    def take(self, event: Event) -> None:
        """Count one event of the run: the plan, or the beginning or end of a promise."""
        payload: Any = event.payload
        self._add(payload.get("cost") or {})
        if event.kind == "promise.planned":
            return
        node = str(payload["node"])
        if event.kind == "promise.began":
            self._began[node].append(event.id)
            self._open[node].add(event.id)
        elif self._began[node] and not payload.get("cut_off"):
            self._open[node].discard(self._began[node][-1])

    def add_cut_off(self, ledger: Ledger, run: str) -> None:
        """Count the calls of the attempts that did not end."""
        for node, cut_off in self._open.items():
            if cut_off:
                self._add_calls(ledger, f"{run}/{node}", self._began[node], cut_off)

    def _add_calls(self, ledger: Ledger, subject: str, began: list[int], cut_off: set[int]) -> None:
        calls: dict[int, Mapping[str, Any]] = {}
        for event in ledger.read(subject=subject, after=min(cut_off)):
            if event.kind == "model.asked" and began[bisect_right(began, event.id) - 1] in cut_off:
                calls[event.id] = event.payload
            elif event.kind == "model.answered" and event.payload["asked"] in calls:
                calls[int(str(event.payload["asked"]))] = event.payload
        for call in calls.values():
            self._add({"model_calls": 1, **{kind: call[kind] for kind in AMOUNTS}})

    def _add(self, amounts: Mapping[str, Any]) -> None:
        for kind, amount in amounts.items():
            if kind == "money":
                self.used[kind] = (Money.of(self.used[kind]) + Money.of(amount)).dollars
            else:
                self.used[kind] += float(amount)


def spent_json(cost: Cost, *, sandbox_seconds: float = 0.0) -> dict[str, Any] | None:
    """Return a cost as an event has it; None where it is nothing."""
    spent = {
        "model_calls": cost.model_calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "money": cost.money.dollars,
        "sandbox_seconds": round(sandbox_seconds, 6),
    }
    return {kind: amount for kind, amount in spent.items() if amount} or None
