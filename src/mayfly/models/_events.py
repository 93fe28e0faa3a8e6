"""What a call to a model writes into the ledger: what it may take before it is made, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.store import event


@event("model.asked")
@dataclass(frozen=True, kw_only=True)
class ModelAsked:
    """Record that a call is about to be made, and what it takes at most: should nobody say more, that counts."""

    model: str
    purpose: str
    input_tokens: int
    output_tokens: int
    money: float


@event("model.answered")
@dataclass(frozen=True, kw_only=True)
class ModelAnswered:
    """Record what the call took that was noted as event *asked*."""

    asked: int
    input_tokens: int
    output_tokens: int
    money: float
