"""Why: a run, a promise, a decision, a goal or a tool, with the reasons down to where each of them comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, ending_of, one_line
from mayfly.operations._runs import reason_of, run_line
from mayfly.operations._story import tell
from mayfly.operations._trace import PromiseStory, find_promise, has_tree
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.library import Card, Tools
    from mayfly.mangle import Why, WhyNot
    from mayfly.persona import Desk
    from mayfly.policy import Explanation
    from mayfly.promise import Promise
    from mayfly.store import Event, Ledger

GROUND = ("collapsed", "failed")
# Ids as the store makes them, with the promise of a run where one is named.
_RECORD = re.compile(r"[a-z]{1,3}-[0-9a-f]{4,}(/[\w.]+)?")
_DECISIONS = ("policy.decided", "policy.routed")
# Longer than any id.
_LONGEST = 256
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
        line = run_line(ledger, self.run)
        self.status = found.status
        self.ending = line.ending if line is not None else ending_of(found.status, found.tree.code)
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

    def to_json(self) -> dict[str, object]:
        """Return everything as data."""
        return {
            "id": self.id,
            "status": self.status,
            "ending": self.ending,
            "state": self.asked.state.value,
            "intent": self.asked.intent,
            "reason": reason_of(self.asked),
            "chain": [_fields(promise) for promise in self.chain],
            "ground": [_fields(promise) for promise in self.ground],
            "proven": [_fields(promise) for promise in self.proven],
            "decisions": [
                {name: event.payload[name] for name in ("action", "target", "decision", "because")}
                | {"id": event.subject}
                for event in self.decisions
            ],
            "effects": self.sent(),
            "story": [_step(event) for event in self.told],
            "steps": [_step(event) for event in self.steps],
        }

    def lines(self) -> list[str]:
        """Return the chain of reasons in words."""
        chain = [f"{one.id} {ending_of(one.state.value, one.code)}: {one.intent}: {one.reason}" for one in self.chain]
        return [f"asked: {self.asked.intent}", self.ending, *chain]

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
        **pick_fields(promise, "intent code"),
        "state": promise.state.value,
        "ending": ending_of(promise.state.value, promise.code),
        "reason": reason_of(promise),
        "served_by": promise.by,
        "proof": promise.proof.to_json() if promise.proof else None,
    }


def _step(event: Event) -> dict[str, object]:
    return {"at": event.at.isoformat(), "kind": event.kind, **event.payload}


@dataclass(frozen=True, kw_only=True)
class StoryReasons:
    """What happened under an id that names no tree, step by step."""

    id: str
    events: Sequence[Event]

    def lines(self) -> list[str]:
        """Return it in words."""
        return list(tell(self.events))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"id": self.id, "steps": [_step(event) for event in self.events]}


@dataclass(frozen=True, kw_only=True)
class DecisionReasons:
    """Why the rules decided as they did, from the facts of then and by the rules of now."""

    found: Explanation

    @property
    def trees(self) -> tuple[Why | WhyNot, ...]:
        """The derivations: what decided, and what is missing where no rule refuses."""
        missing = self.found.why_not
        return (*self.found.why, *(() if missing is None else (missing,)))

    def lines(self) -> list[str]:
        """Return it in words, without the derivations."""
        found = self.found
        remedies = [f"would be permitted if {one}" for one in found.remedies]
        return [f"{found.id}: {found.outcome}", *found.because, *remedies]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        from mayfly.mangle import to_json

        found = self.found
        return {
            "id": found.id,
            "decision": found.outcome,
            "because": list(found.because),
            "same_rules": found.same_rules,
            "now": found.now,
            "why": [to_json(tree) for tree in found.why],
            "why_not": to_json(found.why_not) if found.why_not else None,
            "permitted_if": list(found.remedies),
        }


@dataclass(frozen=True, kw_only=True)
class GoalReasons:
    """Why a goal of the rules holds or does not, as derivations."""

    goal: str
    trees: Sequence[Why | WhyNot]

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        from mayfly.mangle import Why

        return isinstance(self.trees[0], Why)

    def lines(self) -> list[str]:
        """Return it in words, without the derivations."""
        return [f"{self.goal} {'holds' if self.holds else 'does not hold'}"]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        from mayfly.mangle import to_json

        trees = [to_json(tree) for tree in self.trees]
        return {"id": self.goal, "goal": self.goal, "holds": self.holds, "trees": trees}


@dataclass(frozen=True, kw_only=True)
class ToolReasons:
    """Why a tool of the library serves: its card and its log."""

    card: Card
    events: Sequence[Event]

    def lines(self) -> list[str]:
        """Return it in words."""
        card = self.card
        return [
            f"{card.name}, version {card.version}, by {card.by or card.author}: {card.summary}",
            f"proof {card.strength}; who speaks for it: {card.witness}",
            *(f"{one['gate']} {one['decision']}: {one['message']}" for one in card.verdicts),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"id": self.card.name, "card": self.card.to_json(), "log": [_step(event) for event in self.events]}


AnyReasons = Reasons | StoryReasons | DecisionReasons | GoalReasons | ToolReasons


def why(
    ledger: Ledger | None,
    id: str,
    *,
    desk: Callable[[], Desk],
    tools: Callable[[], Tools],
    of: str | None = None,
) -> AnyReasons:
    """Say why whatever is called *id* is as it is: a run, a promise, a decision, a tool, or a goal of the rules.

    Rules and library are opened only where they are asked; *of* is the decision whose facts a goal is asked of.
    """
    if not id.isprintable():
        raise InputError(f"{one_line(id, limit=80)!r} is no id", fix="see: mayfly runs")
    if ledger is not None:
        if has_tree(ledger, id.partition("/")[0]):
            return Reasons(ledger, id)
        events = list(ledger.read(subject=id)) if len(id) <= _LONGEST else []
        if any(event.kind in _DECISIONS for event in events):
            return DecisionReasons(found=desk().kernel().explain(id))
        if events:
            return StoryReasons(id=id, events=events)
    if _RECORD.fullmatch(id) or (ledger is None and "(" not in id):
        said = f"nothing is recorded under {one_line(id, limit=80)}" if ledger else "nothing is recorded yet"
        raise InputError(said, fix="see: mayfly log" if ledger else "try: mayfly demo")
    if id.isidentifier() and any(one.name == id for one in tools().list()):
        card, _ = tools().show(id)
        return ToolReasons(card=card, events=tools().log(id))
    return GoalReasons(goal=id, trees=desk().explain(id, of=of))
