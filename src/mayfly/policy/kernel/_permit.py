"""What the rules said of one action, with the reasons at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from mayfly.mangle import Why, WhyNot
    from mayfly.policy.kernel._reasons import Reason

MOST: Final = 5
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
    reasons: tuple[Reason, ...] = ()
    """Of a denial or a need for an approval: the code of each reason, its words and the place it is about."""
    explain_why: Callable[[int], tuple[Why, ...]] = field(default=lambda most: (), compare=False, repr=False)
    explain_why_not: Callable[[], WhyNot | None] = field(default=lambda: None, compare=False, repr=False)

    @property
    def allowed(self) -> bool:
        """Whether the effect may happen now."""
        return self.decision == "permit"

    def why(self) -> Why | None:
        """Return the derivation of what decided: the permission, the first refusal or need for an approval."""
        return next(iter(self.explain_why(1)), None)

    def why_not(self) -> WhyNot | None:
        """Return why the action is not permitted; None where it is, or where nothing could be decided."""
        return self.explain_why_not()

    def trees(self) -> tuple[Why | WhyNot, ...]:
        """Return what a person is shown: each refusal by itself, and what is missing where nothing refuses."""
        reasons = self.explain_why(MOST)
        missing = self.explain_why_not() if self.decision == "approval" or not reasons else None
        return reasons if missing is None else (*reasons, missing)

    def remedies(self) -> tuple[str, ...]:
        """Return what would get the action permitted, in a person's words; nothing where nobody can."""
        from mayfly.policy.kernel._remedy import remedies

        missing = self.explain_why_not()
        return () if missing is None else remedies(missing)


@dataclass(frozen=True, kw_only=True)
class Route:
    """Who does what was asked: personas and kinds of work, each with its reason."""

    personas: tuple[str, ...]
    action_types: tuple[str, ...]
    because: tuple[str, ...]
    id: str
    by_intent: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()
    """For each intent its id, personas and kinds of work."""
