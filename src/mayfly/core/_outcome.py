"""What a task comes to: `Outcome`, what it cost, and how a notebook shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final, Generic, Literal, TypeVar

from mayfly.core._money import NO_MONEY, Money
from mayfly.core._secret_values import without_secrets, without_secrets_in
from mayfly.core._shown import harmless
from mayfly.core._types import Proof
from mayfly.core.errors import MayflyError

T = TypeVar("T")

Status = Literal["resolved", "collapsed", "failed"]
# As much of a value as fits a screen; the rest is one expression away.
_LONGEST = 4_000
_COLOURS = {"resolved": "#17663a", "collapsed": "#7a4a00"}
# Codes of an end that waits for a person: an answer to a question, help, or word of what became of an effect.
ASKING: Final = frozenset({"HELP", "QUESTION", "UNKNOWN"})


class UnresolvedError(MayflyError):
    """`Outcome.unwrap` was called on an outcome that holds its ground value."""

    code = "UNRESOLVED"

    def __init__(self, outcome: Outcome[Any]) -> None:
        super().__init__(f"{outcome.status}: {outcome.reason}")
        self.outcome = outcome


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Count what an outcome took."""

    seconds: float = 0.0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: Money = NO_MONEY

    @classmethod
    def of(cls, amounts: Mapping[str, float]) -> Cost:
        """Return what *amounts* has of models; how long that took is not known from them."""
        return cls(
            model_calls=int(amounts.get("model_calls", 0)),
            input_tokens=int(amounts.get("input_tokens", 0)),
            output_tokens=int(amounts.get("output_tokens", 0)),
            money=Money.of(amounts.get("money", 0)),
        )

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Cost:
        """Read what `to_json` wrote."""
        return cls(**{**fields, "money": Money.of(fields["money"])})

    def to_json(self) -> dict[str, float]:
        """Return it as data, the money in dollars."""
        return {**vars(self), "money": self.money.dollars}

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            seconds=self.seconds + other.seconds,
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            money=self.money + other.money,
        )


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One way to read a request that can be read in several, and what it would give."""

    reading: str
    gives: object


def ending_of(status: str, code: str = "") -> str:
    """Return the words that every face has for how a run or a promise stands.

    Programs and the ledger say `collapsed`, which reads like a crash; an end that waits for a person is a question.
    """
    if status in ("collapsed", "failed") and code in ASKING:
        return "asked"
    return "gave the fallback" if status == "collapsed" else status


@dataclass(frozen=True, kw_only=True)
class Outcome(Generic[T]):
    """Carry a proven value, or the ground value and the reason for it; never one that looks like the other."""

    status: Status
    value: T
    reason: str
    id: str
    proof: Proof | None = None
    cost: Cost = field(default_factory=Cost)
    question: str | None = None
    cached: bool = False
    source_hash: str | None = None
    code: str = ""
    # How the request was read; where it can be read in several ways, all of them with what they give.
    reading: str = ""
    readings: tuple[Offer, ...] = ()
    # How many lines were used, filtered out and not understood, where the answer is about lines.
    account: Mapping[str, object] | None = None
    # An answer that was not given because something has to be settled first.
    candidate: object = None

    @property
    def resolved(self) -> bool:
        """Whether `value` was proven."""
        return self.status == "resolved"

    @property
    def ending(self) -> str:
        """How it ended, in the words that every face shows."""
        return ending_of(self.status, self.code)

    def unwrap(self) -> T:
        """Return the proven value, or raise: ground is never handed out by accident."""
        if not self.resolved:
            raise UnresolvedError(self)
        return self.value

    def _repr_html_(self) -> str:
        """Show it in a notebook; what is in it is text there, without secrets."""
        return _outcome_html(self)


def _outcome_html(outcome: Outcome[Any]) -> str:
    """Return the status, the value, what speaks for it and what it took, as one small table."""
    word, colour = outcome.ending, _COLOURS.get(outcome.status, "#9b1c1c")
    proof, cost = outcome.proof, outcome.cost
    evidence = "; ".join(map(str, proof.evidence)) if proof else ""
    open_points = "; ".join(map(str, proof.open)) if proof else ""
    rows = {
        "value" if outcome.resolved else "fallback": _data(outcome.value),
        "reason": "" if outcome.resolved else outcome.reason,
        "question": outcome.question or "",
        "read as": outcome.reading,
        "proof": f"{proof.strength}: {evidence or f'{proof.tests} tests'}" if proof else "",
        "open": open_points,
        "took": f"{cost.seconds:.2f} s, {cost.model_calls} model calls{', cached' if outcome.cached else ''}",
    }
    filled = [_piece("row").substitute(name=_text(name), value=_text(value)) for name, value in rows.items() if value]
    return _piece("table").substitute(status=_text(word), colour=colour, id=_text(outcome.id), rows="".join(filled))


def _data(value: object) -> str:
    try:
        return json.dumps(without_secrets_in(value), ensure_ascii=False, indent=1)
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def _text(text: str) -> str:
    # Secrets first: half of one looks like none.
    known = harmless(without_secrets(text))
    left = len(known) - _LONGEST
    return escape(known if left <= 0 else f"{known[:_LONGEST]} … and {left:,} more characters")


@cache
def _piece(name: str) -> Template:
    text = Path(__file__).with_name("outcome.html").read_text(encoding="utf-8")
    return Template(text.partition(f'<template id="{name}">')[2].partition("</template>")[0].strip())
