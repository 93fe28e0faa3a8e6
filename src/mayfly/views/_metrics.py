"""How much of what runs was written on demand: views of the ledger, counted anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from mayfly.core import Money

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

_ENDS = ("run.resolved", "run.collapsed")
_STATES = ("began", "resolved", "collapsed", "failed")


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

    def fields(self) -> dict[str, object]:
        """Return everything as data, the rates too."""
        return {
            **asdict(self),
            "promises": {**asdict(self.promises), "success_rate": round(self.promises.success_rate, 6)},
            "autopoiesis_score": round(self.autopoiesis_score, 6),
            "jit_contribution": round(self.jit_contribution, 6),
        }


def metrics(ledger: Ledger) -> Metrics:
    """Count everything the ledger holds."""
    from mayfly.promise import unknown_effects

    created = [entry.payload for entry in ledger.read(kind="agent.created")]
    ends = _Ends(ledger)
    resolved = [entry.payload for entry in ends.runs.values() if entry.kind == "run.resolved"]
    collapsed = [entry.payload for entry in ends.runs.values() if entry.kind == "run.collapsed"]
    generated = int(sum(_number(row["lines"]) for row in created))
    failed = sum(row["status"] == "failed" for row in collapsed)
    return Metrics(
        runs=len(ends.runs),
        resolved=len(resolved),
        collapsed=len(collapsed) - failed,
        failed=failed,
        compiled=len(created),
        cached=sum(row["cached"] is True for row in resolved),
        generated_lines=generated,
        total_lines=generated + own_lines(),
        model_calls=int(ends.spent("model_calls")),
        input_tokens=int(ends.spent("input_tokens")),
        output_tokens=int(ends.spent("output_tokens")),
        money=Money(int(ends.spent("money"))).dollars,
        unknown_effects=len(unknown_effects(ledger)),
        dead_letters=ledger.count(kind="leaf.dead"),
        promises=_promises(ledger, ends.runs),
        jit_collapse=dict(Counter(str(row["code"] or "UNKNOWN") for row in collapsed)),
    )


class _Ends:
    """How each run ended the last time it was tried, and what the leaves of trees spent in all attempts."""

    def __init__(self, ledger: Ledger) -> None:
        self.runs: dict[str, Event] = {}
        self._leaves: dict[str, dict[str, float]] = {}
        found = (event for kind in _ENDS for event in ledger.read(kind=kind))
        for event in sorted(found, key=lambda event: event.id):
            run, _, node = event.subject.partition("/")
            if not node:
                self.runs[run] = event
                continue
            spent = self._leaves.setdefault(run, {})
            for name in ("model_calls", "input_tokens", "output_tokens", "money"):
                spent[name] = spent.get(name, 0.0) + _amount(event, name)

    def spent(self, name: str) -> float:
        """Sum what was spent, money in millionths; a resumed tree counts with all attempts, as its leaves tell."""
        own = {run: _amount(event, name) for run, event in self.runs.items()}
        leaves = {run: spent[name] for run, spent in self._leaves.items()}
        return sum(max(own.get(run, 0.0), leaves.get(run, 0.0)) for run in {**own, **leaves})


def _promises(ledger: Ledger, runs: Mapping[str, Event]) -> PromiseMetrics:
    planned = {event.subject: _number(event.payload["nodes"]) for event in ledger.read(kind="promise.planned")}
    single = [event for run, event in runs.items() if run not in planned]
    states: dict[tuple[str, str], tuple[int, str]] = {}
    for state in _STATES:
        for event in ledger.read(kind=f"promise.{state}"):
            place = event.subject, str(event.payload["node"])
            states[place] = max(states.get(place, (0, "")), (event.id, state))
    ended = Counter(state for _, state in states.values())
    ended.update(_single(event.payload) for event in single)
    return PromiseMetrics(
        total=int(sum(planned.values())) + len(single),
        resolved=ended["resolved"],
        collapsed=ended["collapsed"],
        failed=ended["failed"],
        max_depth=max((node.count(".") for _, node in states), default=0),
    )


def _single(payload: Mapping[str, Any]) -> str:
    return str(payload.get("status", "resolved"))


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


def _amount(event: Event, name: str) -> float:
    """Return what an event says was spent; money is added up in whole millionths."""
    amount = _number(event.payload[name])
    return Money.of(amount).micros if name == "money" else amount


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0.0
