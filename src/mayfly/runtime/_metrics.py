"""How much of what runs was written on demand: views of the ledger, counted anew each time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable

from mayfly.store import Ledger


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Count runs, what was compiled for them, and why others collapsed."""

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
    jit_collapse: dict[str, int] = field(default_factory=dict)

    @property
    def autopoiesis_score(self) -> float:
        """Generated lines of all lines: those generated and those of Mayfly itself."""
        return self.generated_lines / self.total_lines if self.total_lines else 0.0

    @property
    def jit_contribution(self) -> float:
        """Agents compiled for each run."""
        return self.compiled / self.runs if self.runs else 0.0


def metrics(ledger: Ledger) -> Metrics:
    """Count everything the ledger holds."""
    created = [entry.payload for entry in ledger.read(kind="agent.created")]
    resolved = [entry.payload for entry in ledger.read(kind="run.resolved")]
    collapsed = [entry.payload for entry in ledger.read(kind="run.collapsed")]
    ended = [*resolved, *collapsed]
    generated = int(sum(_number(row["lines"]) for row in created))
    failed = sum(row["status"] == "failed" for row in collapsed)
    return Metrics(
        runs=len(ended),
        resolved=len(resolved),
        collapsed=len(collapsed) - failed,
        failed=failed,
        compiled=len(created),
        cached=sum(row["cached"] is True for row in resolved),
        generated_lines=generated,
        total_lines=generated + own_lines(),
        model_calls=int(sum(_number(row["model_calls"]) for row in ended)),
        input_tokens=int(sum(_number(row["input_tokens"]) for row in ended)),
        output_tokens=int(sum(_number(row["output_tokens"]) for row in ended)),
        money=float(sum(_number(row["money"]) for row in ended)),
        jit_collapse=dict(Counter(str(row["code"] or "UNKNOWN") for row in collapsed)),
    )


def own_lines() -> int:
    """Count the lines of Mayfly's own source."""
    return _lines(files("mayfly"))


def _lines(folder: Traversable) -> int:
    total = 0
    for entry in folder.iterdir():
        if entry.is_dir():
            total += _lines(entry)
        elif entry.name.endswith(".py"):
            total += entry.read_bytes().count(b"\n")
    return total


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0.0
