"""What the rules said of one action, with the reasons at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mayfly.policy.mangle.explain import Why, WhyNot

Decision: TypeAlias = Literal["permit", "deny", "approval"]


@dataclass(frozen=True, kw_only=True)
class Permit:
    """One decision; only "permit" allows. `why` and `why_not` derive the reasons when they are asked for."""

    decision: Decision
    because: tuple[str, ...]
    id: str
    action: str
    target: str
    rules: str
    explain_why: Callable[[], Why | None] = field(default=lambda: None, compare=False, repr=False)
    explain_why_not: Callable[[], WhyNot | None] = field(default=lambda: None, compare=False, repr=False)

    @property
    def allowed(self) -> bool:
        """Whether the effect may happen now."""
        return self.decision == "permit"

    def why(self) -> Why | None:
        """Return the derivation of what decided: the permission, the refusal or the need for an approval."""
        return self.explain_why()

    def why_not(self) -> WhyNot | None:
        """Return why the action is not permitted; None where it is, or where nothing could be decided."""
        return self.explain_why_not()


@dataclass(frozen=True, kw_only=True)
class Route:
    """Who does what was asked: personas and kinds of work, each with its reason."""

    personas: tuple[str, ...]
    action_types: tuple[str, ...]
    because: tuple[str, ...]
    id: str
    by_intent: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()
    """For each intent its id, personas and kinds of work."""
