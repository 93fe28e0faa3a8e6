"""Why a tree of promises ended as it did: the chain of reasons down to the leaf, proofs, rules and effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError
from mayfly.operations._promise_story import PromiseStory
from mayfly.operations._trace import find_promise

if TYPE_CHECKING:
    from mayfly.promise import Promise
    from mayfly.store import Event, Ledger

GROUND = ("collapsed", "failed")
_BECAME = {
    "effect.began": "sent, and nothing more is known",
    "effect.done": "done",
    "effect.refused": "did not happen",
    "effect.unknown": "nobody can tell whether it happened",
}


class Reasons:
    """What is known of how one promise, or the root of a run, came to its end."""

    def __init__(self, ledger: Ledger, id: str) -> None:
        from mayfly.promise import saved

        self.id = id
        self.run, _, node = id.partition("/")
        found = saved(ledger, self.run)
        self.status = found.status
        asked = find_promise(found, node)
        self.asked = asked
        self.chain = chain_of(asked, found.tree)
        linked = {promise.id for promise in self.chain}
        below = [promise for promise in asked.walk() if promise is not asked]
        self.ground = [promise for promise in below if promise.state in GROUND and promise.id not in linked]
        self.proven = [promise for promise in asked.walk() if promise.proof is not None]
        self._read(ledger, id if node else self.run)

    def _read(self, ledger: Ledger, id: str) -> None:
        self.leaf = self.chain[-1]
        self.steps: list[Event] = []
        self.decisions: list[Event] = []
        self.effects: dict[str, list[Event]] = {}
        try:
            story = PromiseStory(ledger, id)
        except InputError:  # a promise of which nothing is recorded is one that was not begun
            self.told = []
            return
        self.steps = story.own
        self.decisions = story.decisions(self.asked.walk() if story.node else None)
        self.effects = story.effects()
        told = ledger.read(subject=f"{self.run}/{self.leaf.id}")
        self.told = [event for event in told if not event.kind.startswith("effect.")]

    def fields(self) -> dict[str, object]:
        """Return everything as data."""
        return {
            "id": self.id,
            "status": self.status,
            "state": self.asked.state.value,
            "intent": self.asked.intent,
            "reason": reason_of(self.asked),
            "chain": [_fields(promise) for promise in self.chain],
            "ground": [_fields(promise) for promise in self.ground],
            "proven": [_fields(promise) for promise in self.proven],
            "decisions": [
                {
                    "id": event.subject,
                    **{name: event.payload[name] for name in ("action", "target", "decision", "because")},
                }
                for event in self.decisions
            ],
            "effects": self.sent(),
            "story": [_event(event) for event in self.told],
            "steps": [_event(event) for event in self.steps],
        }

    def sent(self) -> list[dict[str, Any]]:
        """Return each effect that was sent, with what became of it."""
        return [effect_of(subject, events) for subject, events in self.effects.items()]


def chain_of(asked: Promise[Any], tree: Promise[Any]) -> list[Promise[Any]]:
    """Return *asked* and, link by link, what it gave its ground for: a child, or what that child needed."""
    siblings = {child.id: parent.children for parent in tree.walk() for child in parent.children}
    found: dict[str, Promise[Any]] = {}
    link: Promise[Any] | None = asked
    while link is not None and link.id not in found:
        found[link.id] = link
        link = _cause(link, siblings.get(link.id, []))
    return list(found.values())


def _cause(promise: Promise[Any], siblings: list[Promise[Any]]) -> Promise[Any] | None:
    if promise.state.value == "resolved":
        return None
    needed = [sibling for sibling in siblings if sibling.name in promise.needs and sibling.state in GROUND]
    if needed and promise.state.value == "collapsed":
        return needed[0]
    grounded = [child for child in promise.children if child.state in GROUND]
    named = [child for child in grounded if promise.reason.startswith(f"{child.intent[:200]}: {child.reason}"[:2000])]
    open = [child for child in promise.children if child.state.value == "resolving"]
    candidates = named or grounded if promise.state in GROUND else grounded or open
    return candidates[0] if candidates else None


def effect_of(subject: str, events: list[Event]) -> dict[str, Any]:
    """Say of one effect what it was, how often it was sent and what became of it."""
    began: Mapping[str, Any] = next(event.payload for event in reversed(events) if event.kind == "effect.began")
    last: Any = events[-1].payload
    if events[-1].kind == "effect.settled":
        became = f"{last['verdict']}, as {last['by']} says"
    else:
        became = _BECAME[events[-1].kind]
    return {
        "id": subject,
        **{name: began[name] for name in ("capability", "effect", "action", "target")},
        "attempts": began["attempt"],
        "state": events[-1].kind.removeprefix("effect."),
        "became": became + (f": {last['reason']}" if last.get("reason") else ""),
    }


def _fields(promise: Promise[Any]) -> dict[str, object]:
    return {
        "node": promise.id,
        "intent": promise.intent,
        "state": promise.state.value,
        "reason": reason_of(promise),
        "code": promise.code,
        "served_by": promise.by,
        "proof": promise.proof.to_json() if promise.proof else None,
    }


def reason_of(promise: Promise[Any]) -> str:
    """Return what proved a promise, or why it was not kept."""
    return promise.proof.description if promise.proof else promise.reason


def _event(event: Event) -> dict[str, object]:
    return {"at": event.at.isoformat(), "kind": event.kind, **event.payload}
