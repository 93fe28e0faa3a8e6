"""What was sold: one row for each authorization somebody paid with, and the steps it may take.

This is the one place that knows which events move a sale. `log verify` folds all events anew and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import ConflictError, InputError
from mayfly.store._money import (
    MoneyTable,
    addresses,
    amount,
    choose,
    columns_of,
    hash_of,
    key,
    prefixed,
    reason_in,
    whole,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SaleRow:
    """One sale as it stands. *lease* is when, in seconds since 1970, whoever works on it is no longer believed alive.

    *state* is claimed, answered (the answer is kept, and not paid), settling, settled (the chain shows the transfer:
    only now the answer is handed out), failed (no answer, never charged) or lapsed (it will never pay).
    """

    id: str
    network: str
    asset: str
    payer: str
    nonce: str
    request: str
    tool: str
    version: int
    units: int
    decimals: int
    payee: str
    valid_before: int
    payload: str
    state: str
    turn: int
    lease: int
    answer: str = ""
    transaction_hash: str = ""
    block: int = 0
    gas: str = ""
    reason: str = ""
    strategy: str
    at: str
    changed: str


# So many digits of wei are more than there will ever be.
_LONGEST_GAS = 78


def _claim(row: SaleRow | None, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    terms = {
        **choose(payload, "network", "request", "tool"),
        **addresses(payload),
        "nonce": prefixed(payload, "nonce"),
        "version": whole(payload, "version"),
        **amount(payload),
        "valid_before": whole(payload, "valid_before"),
        "payload": hash_of(payload, "payload_blob"),
        "strategy": key(payload, "strategy", empty=True),
    }
    if row is None:
        return {**terms, "lease": whole(payload, "lease")}
    other = [name for name, value in terms.items() if getattr(row, name) != value]
    if other:
        raise ConflictError(f"sale {row.id} was claimed with another {other[0]}")
    return {"lease": whole(payload, "lease")}


def _answer(row: SaleRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"answer": hash_of(payload, "answer_blob")}


def _try_to_settle(row: SaleRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"lease": whole(payload, "lease")}


def _settle(row: SaleRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    block = whole(payload, "block")
    if not block:
        raise InputError("a transfer is in a block after the first")
    return {"transaction_hash": prefixed(payload, "transaction"), "block": block, "gas": _gas(payload), "reason": ""}


def _fail(row: SaleRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"reason": reason_in(payload)}


def _lapse(row: SaleRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"reason": reason_in(payload), "block": whole(payload, "block"), "gas": _gas(payload)}


def _gas(payload: Mapping[str, Any]) -> str:
    """Return what a transaction cost in wei; more than 64 bits, so a text."""
    value = payload["gas"]
    digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_GAS
    if value != "" and not digits:
        raise InputError("gas must be a whole number of wei, written in digits")
    return str(value)


SALES = MoneyTable(
    name="mayfly_sales",
    noun="sale",
    row=SaleRow,
    states={
        None: frozenset({"claimed"}),
        "claimed": frozenset({"claimed", "answered", "failed"}),
        "answered": frozenset({"settling", "lapsed"}),
        "settling": frozenset({"settling", "settled", "lapsed"}),
    },
    folds={
        "sale.claimed": _claim,
        "sale.answered": _answer,
        "sale.settling": _try_to_settle,
        "sale.settled": _settle,
        "sale.failed": _fail,
        "sale.lapsed": _lapse,
    },
    columns=columns_of(SaleRow),
)
