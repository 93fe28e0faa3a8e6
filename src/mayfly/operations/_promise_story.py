"""Everything the ledger holds about one run or one promise of it: its own events, and those under other subjects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, canonical_json

if TYPE_CHECKING:
    from mayfly.promise import Promise
    from mayfly.store import Event, Ledger

# Beyond every event.
_LARGEST = 2**63
_OVER = ("run.resolved", "run.collapsed")
ENDED = ("promise.resolved", "promise.collapsed", "promise.failed")


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
        self._until = own[-1].id if own[-1].kind in _OVER else _LARGEST
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
