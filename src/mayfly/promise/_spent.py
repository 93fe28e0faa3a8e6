"""What a run has used of its limits, as the ledger has it: what ended says so itself, what was cut off is added up."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import Cost, Money

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

AMOUNTS = ("input_tokens", "output_tokens", "money")


class Spent:
    """Add up what attempts at promises have used.

    One that ended tells it with its end. Of one that was cut off, the calls of models are known that were noted before
    they were made: each counts with what it took, or with what it could have taken where no answer was noted.
    """

    def __init__(self) -> None:
        self.used: dict[str, float] = defaultdict(float)
        # Of each promise the events with which attempts at it began, and those of them that were not seen to end.
        self._began: dict[str, list[int]] = defaultdict(list)
        self._open: dict[str, set[int]] = defaultdict(set)

    def take(self, event: Event) -> None:
        """Count one event of the run: the plan, or the beginning or end of a promise."""
        payload: Any = event.payload
        self._add(payload.get("cost") or {})
        if event.kind == "promise.planned":
            return
        node = str(payload["node"])
        if event.kind == "promise.began":
            self._began[node].append(event.id)
            self._open[node].add(event.id)
        elif self._began[node] and not payload.get("cut_off"):
            self._open[node].discard(self._began[node][-1])

    def add_cut_off(self, ledger: Ledger, run: str) -> None:
        """Count the calls of the attempts that did not end."""
        for node, cut_off in self._open.items():
            if cut_off:
                self._add_calls(ledger, f"{run}/{node}", self._began[node], cut_off)

    def _add_calls(self, ledger: Ledger, subject: str, began: list[int], cut_off: set[int]) -> None:
        calls: dict[int, Mapping[str, Any]] = {}
        for event in ledger.read(subject=subject, after=min(cut_off)):
            if event.kind == "model.asked" and began[bisect_right(began, event.id) - 1] in cut_off:
                calls[event.id] = event.payload
            elif event.kind == "model.answered" and event.payload["asked"] in calls:
                calls[int(str(event.payload["asked"]))] = event.payload
        for call in calls.values():
            self._add({"model_calls": 1, **{kind: call[kind] for kind in AMOUNTS}})

    def _add(self, amounts: Mapping[str, Any]) -> None:
        for kind, amount in amounts.items():
            if kind == "money":
                self.used[kind] = (Money.of(self.used[kind]) + Money.of(amount)).dollars
            else:
                self.used[kind] += float(amount)


def spent_json(cost: Cost, *, sandbox_seconds: float = 0.0) -> dict[str, Any] | None:
    """Return a cost as an event has it; None where it is nothing."""
    spent = {
        "model_calls": cost.model_calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "money": cost.money.dollars,
        "sandbox_seconds": round(sandbox_seconds, 6),
    }
    return {kind: amount for kind, amount in spent.items() if amount} or None
