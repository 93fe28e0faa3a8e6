"""What was bought: one row for each time money was set aside, and the steps it may take.

This is the one place that knows which events move a payment. `log verify` folds all events anew and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import InputError
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
    text,
    whole,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PaymentRow:
    """One payment as it stands. *units* are whole ones of the asset's smallest unit.

    *state* is reserved (nothing was signed), sent (what was signed is kept and may have left), unknown (the chain does
    not say yet), settled (the chain shows the transfer), delivered (settled, and the answer is there), released (never
    to be charged) or disputed (charged, and no answer can be had).
    """

    id: str
    call: str
    url: str
    host: str
    method: str
    request: str
    network: str
    asset: str
    payee: str
    payer: str
    units: int
    decimals: int
    valid_after: int = 0
    valid_before: int = 0
    nonce: str = ""
    payload: str = ""
    state: str
    turn: int
    transaction_hash: str = ""
    block: int = 0
    answer: str = ""
    reason: str = ""
    agent: str
    run: str
    tool: str
    strategy: str
    at: str
    changed: str


def _reserve(row: PaymentRow | None, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        **choose(payload, "call", "method", "request", "network"),
        **addresses(payload),
        **{name: key(payload, name, empty=True) for name in ("agent", "run", "tool", "strategy")},
        "url": text(payload, "url"),
        "host": text(payload, "host"),
        **amount(payload),
    }


def _send(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    valid_after, valid_before = whole(payload, "valid_after"), whole(payload, "valid_before")
    if valid_after >= valid_before:
        raise InputError("valid_before must come after valid_after")
    return {
        "nonce": prefixed(payload, "nonce"),
        "valid_after": valid_after,
        "valid_before": valid_before,
        "payload": hash_of(payload, "payload_blob"),
    }


def _wonder(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"reason": reason_in(payload), **_answer(row, payload)}


def _settle(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_evidence(payload), "reason": "", **_answer(row, payload)}


def _deliver(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    changes = _answer(row, payload)
    if not (changes or row.answer):
        raise InputError(f"payment {row.id} has no answer to deliver", fix="keep it with put_blob and name it")
    return {"reason": "", **changes}


def _release(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    block = whole(payload, "block")
    if row.state == "reserved":
        return {"reason": reason_in(payload)}
    if not block:
        raise InputError(f"payment {row.id} may have left: only a block of the chain releases it")
    return {"reason": reason_in(payload), "block": block}


def _dispute(row: PaymentRow, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    evidence = {} if row.state == "settled" else _evidence(payload)
    return {**evidence, "reason": reason_in(payload)}


def _evidence(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return where the chain shows a transfer."""
    block = whole(payload, "block")
    if not block:
        raise InputError("a transfer is in a block after the first")
    return {"transaction_hash": prefixed(payload, "transaction"), "block": block}


def _answer(row: PaymentRow, payload: Mapping[str, Any]) -> dict[str, str]:
    """Return the answer that an event brings; without one the row keeps what it has."""
    found = hash_of(payload, "answer_blob", empty=True)
    return {"answer": found} if found else {}


PAYMENTS = MoneyTable(
    name="mayfly_payments",
    noun="payment",
    row=PaymentRow,
    states={
        None: frozenset({"reserved"}),
        "reserved": frozenset({"sent", "released"}),
        "sent": frozenset({"unknown", "settled", "released", "disputed"}),
        "unknown": frozenset({"unknown", "settled", "released", "disputed"}),
        "settled": frozenset({"delivered", "disputed"}),
        "disputed": frozenset({"delivered"}),
    },
    folds={
        "payment.reserved": _reserve,
        "payment.sent": _send,
        "payment.unknown": _wonder,
        "payment.settled": _settle,
        "payment.delivered": _deliver,
        "payment.released": _release,
        "payment.disputed": _dispute,
    },
    columns=columns_of(PaymentRow),
)
