"""What the gates demand of one piece of code: it follows from its tier and from how deep in the tree it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mayfly.core import Artifact, Budget, GateSettings, Tier
from mayfly.sandbox import EPHEMERAL_IMPORTS, MEMO_IMPORTS

SIX_IMPORTS = EPHEMERAL_IMPORTS


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Hold the limits in force for one artifact; the gates enforce them and the architect is told them."""

    tier: Tier = Tier.MEMO
    depth: int = 1
    imports: frozenset[str] = SIX_IMPORTS
    complexity: int | None = None
    complexity_factor: float = 20.0
    arms_factor: float = 5.0
    risk_factor: float = 0.5
    source: int = 100_000
    grants: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        settings: GateSettings,
        *,
        tier: Tier = Tier.MEMO,
        # An agent by itself is the root of its tree.
        depth: int = 0,
        imports: frozenset[str] | None = None,
        grants: tuple[str, ...] = (),
    ) -> Profile:
        """Return the limits that the settings give for a tier and a depth; *imports* stand instead of the tier's."""
        return cls(
            tier=tier,
            depth=depth,
            imports=_imports_of(tier) if imports is None else imports,
            complexity_factor=settings.complexity,
            arms_factor=settings.arms,
            risk_factor=settings.import_risk,
            source=settings.source,
            # In one order and each once: they are part of the key under which an agent is remembered.
            grants=tuple(sorted(set(grants))),
        )

    def for_artifact(self, artifact: Artifact) -> Profile:
        """Return the limits for an artifact, which may name grants of its own: a question about data does."""
        return replace(self, grants=artifact.grants) if artifact.grants else self

    @property
    def entropy(self) -> float:
        """The budget at this depth: 1, a half, a third."""
        return Budget(self.depth).entropy

    @property
    def scaled(self) -> bool:
        """Whether limits shrink with the budget; what is kept in the library has absolute ones."""
        return self.tier in (Tier.EPHEMERAL, Tier.MEMO)

    @property
    def max_complexity(self) -> int:
        """The largest cyclomatic complexity of one function."""
        limit = int((self.entropy if self.scaled else 1.0) * self.complexity_factor)
        return limit if self.complexity is None else min(limit, self.complexity)

    @property
    def max_arms(self) -> int:
        """How many arms one choice may have before it is asked to be simpler; twice as many are refused."""
        return max(2, int((self.entropy if self.scaled else 1.0) * self.arms_factor))

    @property
    def max_risk(self) -> float:
        """The largest sum of the risks of what is imported."""
        return (self.entropy if self.scaled else 1.0) * self.risk_factor


def _imports_of(tier: Tier) -> frozenset[str]:
    return EPHEMERAL_IMPORTS if tier is Tier.EPHEMERAL else MEMO_IMPORTS
