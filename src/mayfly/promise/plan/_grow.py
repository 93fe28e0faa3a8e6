"""Let a tree grow from drafts, within its limits: children, nodes, depth, and no circles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mayfly.core import UNSET, InputError, MayflyError, PromiseSettings, mismatch
from mayfly.library import Registry, check_name
from mayfly.models import Model
from mayfly.promise._classify import done_by, judge, out_of_budget
from mayfly.promise._data import references
from mayfly.promise._limits import MORE_CHILDREN, MORE_NODES
from mayfly.promise._promise import Combine, Cycle, IntentKind, Promise, Reality, Work, ordered
from mayfly.promise.fit import FitReading, only_fit
from mayfly.promise.plan._ask import PlanRefused
from mayfly.promise.plan._draft import BY_EXAMPLE, NOTHING, Draft, rung


def collapse(promise: Promise[Any], reason: str, code: str) -> None:
    """Let a promise end in its ground before anything was tried; what was planned below it is dropped."""
    promise.children.clear()
    promise.capability, promise.work, promise.template = "", None, None
    promise.collapse(reason, code)


@dataclass(kw_only=True)
class Means:
    """What a plan may count on; *known* gives the hash of an agent that is proven for an intent."""

    registry: Registry
    settings: PromiseSettings
    known: Callable[[str], str | None] = lambda intent: None
    model: Model | None = None

    @property
    def writer(self) -> str:
        """The model that writes agents, "" where none does."""
        return self.model.name if self.model is not None and self.model.serves("architect") else ""


class Tree(ABC):
    """Turn drafts into promises and count them; *given*: there is data to learn from when a leaf is reached."""

    def __init__(self, means: Means, *, given: bool) -> None:
        self.means = means
        self.registry = means.registry
        self.settings = means.settings
        self.given = given
        self.nodes = 1

    @abstractmethod
    def read(self, text: str) -> FitReading:
        """Read the words of a step."""

    @abstractmethod
    def expand(self, promise: Promise[Any]) -> tuple[Sequence[Draft], Combine]:
        """Plan a step that was left open."""

    def grow(self, node: Promise[Any], drafts: Sequence[Draft], combine: Combine) -> None:
        """Give *node* its children; where that cannot be it collapses, and all of the tree where it is too large."""
        most = self.settings.max_children
        if len(drafts) > most:
            collapse(node, f"{len(drafts)} children, and a promise has at most {most}; {MORE_CHILDREN}", "CHILDREN")
            return
        try:
            ordered({draft.name: (*draft.needs, *draft.after) for draft in drafts})
        except Cycle as cycle:
            collapse(node, str(cycle), "CYCLE")
            return
        self.nodes += len(drafts)
        if self.nodes > self.settings.max_nodes:
            raise PlanRefused(f"more than {self.settings.max_nodes} promises in one tree; {MORE_NODES}", "NODES")
        node.combine = combine
        for draft in drafts:
            child: Promise[Any] = Promise(draft.intent, ground=None, name=draft.name)
            self.fulfil(node.add(child), draft)

    def fulfil(self, promise: Promise[Any], draft: Draft) -> None:
        """Say what keeps a promise: what the draft says where that is sound, else whoever can write it."""
        draft = self._serve(_flat(draft))
        promise.needs, promise.after, promise.argument = draft.needs, draft.after, draft.argument
        promise.reality = self._judge(promise, draft)
        note_reason(promise, draft.note)
        if promise.reality.kind is IntentKind.CHAOTIC:
            return
        if draft.capability:
            promise.capability = draft.capability
            promise.version = self.registry.get(draft.capability).version
        elif draft.template is not None:
            self._repeat(promise, draft, draft.template)
        else:
            self._compose(promise, draft)

    def _repeat(self, promise: Promise[Any], draft: Draft, one: Draft) -> None:
        template: Promise[Any] = Promise(one.intent, ground=None, depth=promise.depth + 1)
        self.fulfil(template, replace(one, needs=()))
        promise.each, promise.template, promise.combine = draft.each, template, draft.combine

    def _compose(self, promise: Promise[Any], draft: Draft) -> None:
        deeper = rung(promise.depth + 1, self.settings) != "ground"
        if draft.steps and deeper:
            self.grow(promise, draft.steps, draft.combine)
        elif draft.open and deeper:
            self._open(promise, draft)
        else:
            if draft.steps:
                note_reason(promise, f"its steps would lie deeper than {self.settings.max_depth} levels")
            self.write(promise, draft)

    def write(self, promise: Promise[Any], draft: Draft) -> None:
        """Leave a promise to an agent: one that is known, one that can be written, or nobody."""
        if draft.missing:
            promise.work = Work(kind="make", name=draft.missing)
            return
        known = self.means.known(draft.intent)
        learns = draft.by_example and (self.given or draft.fed or bool(draft.needs) or draft.argument is not UNSET)
        if known or self.means.writer or learns:
            promise.work = (
                Work(kind="run", name=known) if known else Work(kind="compile", name=self.means.writer or BY_EXAMPLE)
            )
        else:
            # Nothing is spent on what a promise needs when one that it needs cannot be kept.
            promise.unserved = NOTHING

    def _open(self, promise: Promise[Any], draft: Draft) -> None:
        """Plan a step that was left open; one that comes to itself again is a leaf."""
        try:
            drafts, combine = self.expand(promise)
        except PlanRefused as refused:
            collapse(promise, refused.reason, refused.kind)
            return
        except MayflyError as error:
            note_reason(promise, f"no plan for it: {error}")
            drafts, combine = (), "last"
        drafts = [replace(found, open=found.open and found.intent != promise.intent) for found in drafts]
        if len(drafts) == 1 and drafts[0].intent == promise.intent and not drafts[0].steps:
            if drafts[0].capability:
                promise.argument = drafts[0].argument
                promise.capability = drafts[0].capability
                promise.version = self.registry.get(promise.capability).version
                return
            drafts = []
        if drafts:
            self.grow(promise, drafts, combine)
        else:
            self.write(promise, draft)

    def _serve(self, draft: Draft) -> Draft:
        """Return a draft with the capability it names, if the schema takes its arguments, or that its words ask for."""
        if draft.capability:
            argument = {} if draft.argument is UNSET else draft.argument
            wrong = self.refusal(draft.capability, argument)
            if not wrong:
                return replace(draft, capability=draft.capability, argument=argument)
            if draft.capability not in self.registry and self._is_makeable(draft.capability, argument):
                return replace(
                    draft, capability="", missing=draft.capability, note=f"{draft.note}; {wrong}".strip("; ")
                )
            draft = replace(draft, capability="", argument=UNSET, note=f"{draft.note}; {wrong}".strip("; "))
        if draft.steps or draft.template is not None or draft.open or draft.by_example or draft.argument is not UNSET:
            return draft
        said = self.read(draft.intent).said
        if len(said) != 1 or said[0].condition or said[0].clause.kind == "question" or said[0].clause.each:
            return draft
        fit = only_fit(said[0], self.registry.listed_for(draft.intent), (), whole=True)
        if fit is None:
            return draft
        return replace(draft, capability=fit.capability.name, argument=dict(fit.arguments), needs=(), after=draft.needs)

    def _is_makeable(self, name: str, argument: object) -> bool:
        """Whether a tool of this name can be made for a call: somebody writes, and says what it is called with."""
        if not self.means.writer or not isinstance(argument, Mapping):
            return False
        try:
            check_name(name)
        except InputError:
            return False
        return bool(argument) and all(str(key).isidentifier() for key in argument)

    def refusal(self, name: str, argument: object) -> str:
        """Return why a capability is not called with an argument, as far as that can be told before it is called."""
        if name not in self.registry:
            return f"the plan names a capability {name!r}, which there is not"
        schema = self.registry.get(name).input_schema
        if not isinstance(argument, Mapping):
            return f"{name} is called with arguments by name"
        known: Mapping[str, Any] = schema.get("properties", {})
        later = {key for key, value in argument.items() if any(True for _ in references(value)) or _is_item(value)}
        plain = {key: value for key, value in argument.items() if key not in later}
        loose = {**schema, "properties": {key: {} if key in later else one for key, one in known.items()}}
        wrong = mismatch({**plain, **dict.fromkeys(later, "")}, {"type": "object", **loose})
        return f"{name}: {wrong}" if wrong else ""

    def _judge(self, promise: Promise[Any], draft: Draft) -> Reality:
        settings = self.settings
        spent = out_of_budget(
            promise.depth, promise.context, max_depth=settings.max_depth, threshold=settings.chaos_threshold
        )
        if spent:
            return spent
        if draft.capability:
            # A call ends, whatever words somebody found for it.
            return done_by(draft.capability)
        if draft.template is not None:
            return Reality(kind=IntentKind.PROBABILISTIC, confidence=0.7, reasoning="the same for each of several")
        return judge(self.read(draft.intent), {}, ())


def note_reason(node: Promise[Any], text: str) -> None:
    """Keep a reason beside what is said of the promise already."""
    if text and node.reality is not None:
        node.reality = replace(node.reality, reasoning=f"{node.reality.reasoning}; {text}"[:2000])


def _is_item(value: object) -> bool:
    return isinstance(value, Mapping) and value.get("item") == "each"


def _flat(draft: Draft) -> Draft:
    """Return a step whose only step says the same as that step itself."""
    if len(draft.steps) != 1 or draft.steps[0].intent != draft.intent:
        return draft
    return replace(draft.steps[0], name=draft.name, needs=draft.needs, after=draft.after)
