"""A run as the ledger has it: its tree, finished or not, the order in which it came about, and its whole story."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, canonical_json, ending_of, one_line
from mayfly.operations._runs import RUN_ENDS, RunLine, no_run, run_line
from mayfly.operations._story import event_fields, tell

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved
    from mayfly.store import Event, Ledger

# Events of a run without a tree that are told with it; a tree has pages of its own.
_STORY = 500
EFFECTS = ("effect.began", "effect.done", "effect.refused", "effect.unknown", "effect.settled")
# Beyond every event.
_LARGEST = 2**63
ENDED = ("promise.resolved", "promise.collapsed", "promise.failed")


class Trace:
    """One run, or one promise of it with all below, together with its events."""

    def __init__(self, ledger: Ledger, run: str, node: str = "") -> None:
        from mayfly.promise import saved

        self.saved: Saved = saved(ledger, run)
        self.line = run_line(ledger, run)
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

    @property
    def ending(self) -> str:
        """How the run stands in the words that every face shows."""
        return self.line.ending if self.line is not None else ending_of(self.saved.status, self.saved.tree.code)

    def costs(self) -> dict[str, dict[str, Any]]:
        """Return what each promise took, as it was recorded when it ended."""
        found: dict[str, dict[str, Any]] = {}
        for event in self.events:
            cost, node = event.payload.get("cost"), event.payload.get("node")
            if isinstance(cost, dict) and isinstance(node, str):
                found[node] = cost
        return found

    def to_json(self) -> dict[str, object]:
        """Return everything as data."""
        saved = self.saved
        return {
            "id": f"{self.run}/{self.node}" if self.node else self.run,
            "status": saved.status,
            "ending": self.ending,
            "run": self.line.to_json() if self.line is not None else None,
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
                "ending": ending_of(promise.state.value, promise.code),
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


@dataclass(frozen=True, kw_only=True)
class StoryTrace:
    """What is recorded under a run, a compilation or a session that has no tree."""

    id: str
    line: RunLine | None
    events: Sequence[Event]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, in the shape of a trace."""
        line = self.line
        return {
            "id": self.id,
            "status": line.status if line is not None else None,
            "ending": line.ending if line is not None else None,
            "run": line.to_json() if line is not None else None,
            "tree": None,
            "events": [event_fields(event) for event in self.events],
        }


def trace(ledger: Ledger, id: str) -> Trace | StoryTrace:
    """Return the trace of a run, or of one promise of it such as `r-7f3a0b12/0.2.1`."""
    run, _, node = id.partition("/")
    if not run:
        raise InputError(f"{one_line(id)!r} names no run", fix="see: mayfly runs")
    if not node and not has_tree(ledger, run):
        events = list(ledger.read(subject=run))
        if events:
            return StoryTrace(id=run, line=run_line(ledger, run), events=events)
    return Trace(ledger, run, node)


@dataclass(frozen=True, kw_only=True)
class RunView:
    """The first look at a run: its line in the list, its story in words and steps, how it ended and what it asked.

    A run that is a tree has neither story nor steps here: its promises, reasons and events have pages of their own.
    """

    id: str
    line: RunLine | None
    is_tree: bool
    events: Sequence[Event]
    ended: Mapping[str, Any]
    help: Mapping[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "id": self.id,
            "run": self.line.to_json() if self.line is not None else None,
            "tree": self.is_tree,
            "story": list(tell(self.events)),
            "steps": [{"id": event.id, **event_fields(event)} for event in self.events],
            "ended": dict(self.ended) or None,
            "help": None if self.help is None else dict(self.help),
        }


def run_view(ledger: Ledger, id: str) -> RunView:
    """Return the first look at a run."""
    is_tree = has_tree(ledger, id)
    events = list(ledger.read(subject=id, limit=1 if is_tree else _STORY))
    if not events:
        raise no_run(id)
    last = ledger.last(subject=id)
    waiting = ledger.last(kind="help.needed", subject=f"h-{id.removeprefix('r-')}")
    return RunView(
        id=id,
        line=run_line(ledger, id),
        is_tree=is_tree,
        events=() if is_tree else events,
        ended=dict(last.payload) if last is not None and last.kind in RUN_ENDS else {},
        help=None if waiting is None else {"id": waiting.subject, **waiting.payload},
    )


class PromiseStory:
    """Gather what happened to a run, or to one promise of it with all below."""

    def __init__(self, ledger: Ledger, id: str) -> None:
        self.ledger = ledger
        self.id = id
        self.run, _, node = id.partition("/")
        self.node = "" if node == "0" else node  # the root is the run
        own = list(ledger.read(subject=self.run)) if self.run else []
        self.own = [event for event in own if not self.node or self._below(event.payload.get("node"))]
        if not self.own:
            raise InputError(f"nothing is recorded under {id}", fix="see: mayfly runs")
        self._first = own[0].id
        # What a run that has ended was about lies between its first event and its last; of one that has not, up to now.
        self._until = own[-1].id if own[-1].kind in RUN_ENDS else _LARGEST
        self._last = {str(event.payload["node"]): event.id for event in own if event.kind in ENDED}

    def _below(self, node: object) -> bool:
        return isinstance(node, str) and (not self.node or node == self.node or node.startswith(f"{self.node}."))

    @property
    def subjects(self) -> list[str]:
        """The subjects of the leaves that did any work."""
        nodes = dict.fromkeys(str(event.payload["node"]) for event in self.own if event.kind == "promise.began")
        return [f"{self.run}/{node}" for node in nodes]

    def events(self) -> list[Event]:
        """Return all of it in the order in which it was recorded."""
        found = {event.id: event for part in self._parts() for event in part}
        return [found[number] for number in sorted(found)]

    def _parts(self) -> Iterator[Iterable[Event]]:
        ledger, subjects = self.ledger, self.subjects
        yield self.own
        for subject in subjects:
            yield ledger.read(subject=subject)
        resolved: list[Any] = [event.payload for event in self.own if event.kind == "promise.resolved"]
        yield ledger.find_many("promise.proven", {row["key"] for row in resolved if row["key"]}).values()
        proofs = {row["evidence"].get("id") for row in resolved} - {None, *subjects}
        for proof in proofs:
            yield ledger.read(kind="proof.made", subject=proof)
        # A call for help has the name of the run or leaf that needs it.
        calls = [f"h-{subject.removeprefix('r-')}" for subject in (self.run, *subjects)]
        for call in ledger.find_many("help.needed", calls):
            yield ledger.read(subject=call)
        yield from self._ruled()
        switched = ledger.read(kind="kill.switched", after=self.own[0].id)
        yield takewhile(lambda event: event.id < self.own[-1].id, switched)

    def _ruled(self) -> Iterator[list[Event]]:
        asked = self.decisions(self._leaves() if self.node else None)
        known = {event.subject for event in asked}
        yield asked
        approved = self.ledger.read(kind="policy.overridden", after=self._first)
        yield [event for event in approved if event.payload["decision"] in known]

    def _leaves(self) -> list[Promise[Any]]:
        from mayfly.promise import saved

        nodes = saved(self.ledger, self.run).tree.walk()
        return [promise for promise in nodes if not promise.children and self._below(promise.id)]

    def decisions(self, promises: Iterable[Promise[Any]] | None = None) -> list[Event]:
        """Return what the rules were asked during the run; of *promises*, where given, what is about one of them."""
        found = takewhile(
            lambda event: event.id <= self._until, self.ledger.read(kind="policy.decided", after=self._first)
        )
        asked = [event for event in found if event.payload.get("session") == self.run]
        if promises is None:
            return asked
        leaves = [promise for promise in promises if not promise.children]
        return [event for event in asked if any(self._concerns(event, leaf) for leaf in leaves)]

    def _concerns(self, event: Event, leaf: Promise[Any]) -> bool:
        """Whether the rules were asked for a leaf: before it ended, for something that it speaks of."""
        if not leaf.capability:
            return False
        if event.id > self._last.get(leaf.id, event.id):
            return False
        target = os.path.basename(str(event.payload["target"]).rstrip("/"))
        return target in f"{leaf.intent} {_text(leaf.argument)} {leaf.reason}"

    def effects(self) -> dict[str, list[Event]]:
        """Return the effects that were sent, each with everything that is known of it, by run and node."""
        sent = self.ledger.find_many("effect.began", self.subjects)
        return {
            subject: [event for event in self.ledger.read(subject=subject) if event.kind.startswith("effect.")]
            for subject in sent
        }

    def wants(self, event: Event) -> bool:
        """Whether an event that came later belongs to the story."""
        payload, subject = event.payload, event.subject
        if subject == self.run:
            return not self.node or self._below(payload.get("node"))
        run, _, node = subject.removeprefix("h-").partition("/")
        if self.run.removeprefix("r-") == run.removeprefix("r-"):
            return self._below(node)
        if payload.get("run") == self.run:
            return self._below(payload.get("node"))
        return not self.node and (payload.get("session") == self.run or event.kind == "kill.switched")


def _text(argument: object) -> str:
    try:
        return canonical_json(argument)
    except (TypeError, ValueError, RecursionError):
        return ""
