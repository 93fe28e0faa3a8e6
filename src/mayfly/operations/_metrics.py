"""How much of what runs was written on demand, as the ledger keeps it up to date with every append."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import Money
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.store import Ledger


@dataclass(frozen=True, kw_only=True)
class PromiseMetrics:
    """Count promises by how they stand now: those of trees, and one for each run that is one agent."""

    total: int
    resolved: int
    collapsed: int
    failed: int
    max_depth: int

    @property
    def success_rate(self) -> float:
        """Kept promises of those that have ended."""
        ended = self.resolved + self.collapsed + self.failed
        return self.resolved / ended if ended else 0.0


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Count runs, what was compiled for them, and why others collapsed; a tree is one run, whatever its leaves."""

    runs: int
    resolved: int
    collapsed: int
    failed: int
    compiled: int
    cached: int
    generated_lines: int
    total_lines: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    money: float
    unknown_effects: int
    dead_letters: int
    promises: PromiseMetrics
    jit_collapse: dict[str, int] = field(default_factory=dict)

    @property
    def autopoiesis_score(self) -> float:
        """Generated lines of all lines: those generated and those of Mayfly itself."""
        return self.generated_lines / self.total_lines if self.total_lines else 0.0

    @property
    def jit_contribution(self) -> float:
        """Agents compiled for each run."""
        return self.compiled / self.runs if self.runs else 0.0

    def to_json(self) -> dict[str, object]:
        """Return everything as data, the rates too."""
        return {
            **asdict(self),
            "promises": {**asdict(self.promises), "success_rate": round(self.promises.success_rate, 6)},
            "autopoiesis_score": round(self.autopoiesis_score, 6),
            "jit_contribution": round(self.jit_contribution, 6),
        }


def metrics(ledger: Ledger) -> Metrics:
    """Add up what the ledger keeps of each run; no event is read but those of effects that nobody can tell about."""
    from mayfly.promise import unknown_effects

    found = ledger.totals()
    return Metrics(
        **pick_fields(found, "runs resolved failed compiled cached model_calls input_tokens output_tokens"),
        collapsed=found.runs - found.resolved - found.failed,
        generated_lines=found.lines,
        total_lines=found.lines + own_lines(),
        money=Money(found.micros).dollars,
        unknown_effects=len(unknown_effects(ledger)),
        dead_letters=found.dead,
        promises=PromiseMetrics(
            total=found.nodes + found.single,
            resolved=found.promises_resolved,
            collapsed=found.promises_collapsed,
            failed=found.promises_failed,
            max_depth=found.depth,
        ),
        jit_collapse=found.codes,
    )


def own_lines() -> int:
    """Count the lines of Mayfly's own source."""
    return sum(path.read_bytes().count(b"\n") for path in Path(__file__).parents[1].rglob("*.py"))
