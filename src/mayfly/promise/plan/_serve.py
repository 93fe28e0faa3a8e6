"""Judge a draft: what kind of work it is, and what would serve it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from mayfly.core import UNSET, PromiseSettings
from mayfly.language import tokens
from mayfly.library import Registry
from mayfly.models import Model
from mayfly.promise._fit import fits, steps_of
from mayfly.promise._promise import Service
from mayfly.promise._reality import Kind, Reality, classify
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._json import BY_EXAMPLE, NOTHING

GROUND = Service(kind="ground")
# Nothing is spent on what a promise needs when one that it needs cannot be kept.
NOBODY = Service(kind="ground", name=NOTHING)
_LONGEST = 20_000


class Served(NamedTuple):
    """What a promise is, and what serves it; no service where that is for its children or a compiler to say."""

    reality: Reality
    service: Service | None


class Server:
    """Know capabilities, proven agents and the model, and say which of them serves an intent."""

    def __init__(
        self, registry: Registry, known: Callable[[str], str | None], model: Model | None, settings: PromiseSettings
    ) -> None:
        self._registry = registry
        self._known = known
        self._settings = settings
        self._writer = model.name if model is not None and model.serves("architect") else ""
        self._judged: dict[tuple[str, int, str], Served] = {}

    @cached_property
    def capabilities(self) -> list[tuple[str, str]]:
        """Names and descriptions of what the host can do."""
        return self._registry.pairs()

    def judge(self, draft: Draft, depth: int, context: Mapping[str, object] | None = None) -> Served:
        """Classify a draft; only one capability that fits makes it deterministic."""
        key = (draft.intent, depth, draft.uses)
        if context is None and key in self._judged:
            return self._judged[key]
        served = self._judge(draft, depth, context)
        if context is None:
            self._judged[key] = served
        return served

    def _judge(self, draft: Draft, depth: int, context: Mapping[str, object] | None) -> Served:
        reality = self._classify(draft.intent, depth, self.capabilities, context)
        if reality.kind is Kind.CHAOTIC:
            return Served(reality, GROUND)
        if draft.uses in self._registry:
            meant = self._registry.get(draft.uses)
            named = self._classify(draft.plain or draft.intent, depth, [(meant.name, meant.description)])
            if named.kind is Kind.DETERMINISTIC:
                return Served(named, Service(kind="capability", name=meant.name, version=meant.version))
        if reality.kind is Kind.DETERMINISTIC:
            return Served(reality, self._capability(draft.intent))
        return Served(reality, None)

    def _classify(
        self,
        intent: str,
        depth: int,
        capabilities: list[tuple[str, str]],
        context: Mapping[str, object] | None = None,
    ) -> Reality:
        return classify(
            intent,
            depth=depth,
            context=context,
            capabilities=capabilities,
            max_depth=self._settings.max_depth,
            threshold=self._settings.chaos_threshold,
        )

    def _capability(self, intent: str) -> Service:
        steps = steps_of(tokens(intent[:_LONGEST]))
        name = next(name for name, description in self.capabilities if fits(steps, name, description))
        return Service(kind="capability", name=name, version=self._registry.get(name).version)

    def capability(self, intent: str) -> str:
        """Return the name of the one capability that does what an intent says, or nothing."""
        served = self.judge(Draft(name="", intent=intent), 1).service
        return served.name if served is not None and served.kind == "capability" else ""

    def is_capable(self, draft: Draft) -> bool:
        """Say whether a capability serves a draft."""
        served = self.judge(draft, 1).service
        return served is not None and served.kind == "capability"

    def touches(self, capability: str) -> bool:
        """Say whether a capability has to do with anything outside, so that it matters when it is called."""
        return bool(self._registry.get(capability).action)

    def writer(self, draft: Draft, *, given: bool) -> Service:
        """Return what would write, or has written, the agent for a leaf, or that nobody can.

        *given*: there is data to learn from when the leaf is reached.
        """
        known = self._known(draft.intent)
        if known:
            return Service(kind="agent", name=known)
        if self._writer:
            return Service(kind="compile", name=self._writer)
        learns = draft.by_example and (given or draft.fed or bool(draft.needs) or draft.argument is not UNSET)
        return Service(kind="compile", name=BY_EXAMPLE) if learns else NOBODY
