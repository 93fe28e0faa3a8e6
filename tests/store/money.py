"""Payments and sales for tests, one step at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from mayfly.market import (
    PaymentDelivered,
    PaymentDisputed,
    PaymentReleased,
    PaymentReserved,
    PaymentSent,
    PaymentSettled,
    PaymentUnknown,
    SaleAnswered,
    SaleClaimed,
    SaleFailed,
    SaleLapsed,
    SaleSettled,
    SaleSettling,
)
from mayfly.store import Ledger, PaymentList, PaymentRow, SaleList, SaleRow

NETWORK = "eip155:84532"
ASSET = "0x036cbd53842c5426634e7929541ec2318f3dcf7e"
PAYER = "0x" + "a1" * 20
PAYEE = "0x" + "b2" * 20
NONCE = "0x" + "c3" * 32
TRANSACTION = "0x" + "d4" * 32
NUMBERS: Iterator[int] = count(1)


def reserved(call: str = "call-1", units: int = 10_000, **more: Any) -> PaymentReserved:
    terms: dict[str, Any] = {
        "url": "http://127.0.0.1:4021/weather",
        "host": "127.0.0.1:4021",
        "method": "POST",
        "request": "e5" * 32,
        "network": NETWORK,
        "asset": ASSET,
        "payee": PAYEE,
        "payer": PAYER,
        "decimals": 6,
    }
    return PaymentReserved(call=call, units=units, **{**terms, **more})


def step(ledger: Ledger, state: str, before: int) -> Any:
    """Return the event that takes a payment to *state*."""
    payload, answer = ledger.put_blob(b"header"), ledger.put_blob(b"answer")
    made: dict[str, Callable[[], Any]] = {
        "sent": lambda: PaymentSent(before=before, nonce=NONCE, valid_after=1, valid_before=600, payload_blob=payload),
        "unknown": lambda: PaymentUnknown(before=before, reason="no answer"),
        "settled": lambda: PaymentSettled(before=before, transaction=TRANSACTION, block=7),
        "delivered": lambda: PaymentDelivered(before=before, answer_blob=answer),
        "released": lambda: PaymentReleased(before=before, reason="expired", block=9),
        "disputed": lambda: PaymentDisputed(before=before, reason="gone", transaction=TRANSACTION, block=7),
        "reserved": lambda: PaymentReserved(**{**vars(reserved()), "before": before}),
    }
    return made[state]()


# The shortest way to each state.
WAYS: dict[str, tuple[str, ...]] = {
    "reserved": (),
    "sent": ("sent",),
    "unknown": ("sent", "unknown"),
    "settled": ("sent", "settled"),
    "delivered": ("sent", "settled", "delivered"),
    "released": ("released",),
    "disputed": ("sent", "disputed"),
}


def payment_at(ledger: Ledger, state: str, *, call: str = "", units: int = 10_000, **more: Any) -> PaymentRow:
    """Return a payment that stands so."""
    number = next(NUMBERS)
    row = PaymentList(ledger).reserve(reserved(call or f"call-{number}", units, **more), f"p-{number}")
    for there in WAYS[state]:
        row = PaymentList(ledger).move(row.id, step(ledger, there, row.turn))
    return row


def claimed(ledger: Ledger, nonce: str = NONCE, units: int = 10_000, **more: Any) -> SaleClaimed:
    terms: dict[str, Any] = {
        "network": NETWORK,
        "asset": ASSET,
        "payer": PAYER,
        "request": "f6" * 32,
        "tool": "roman",
        "version": 1,
        "decimals": 6,
        "payee": PAYEE,
        "valid_before": 600,
        "payload_blob": ledger.put_blob(b"header"),
        "lease": 30,
    }
    return SaleClaimed(nonce=nonce, units=units, **{**terms, **more})


def sale_step(ledger: Ledger, state: str, before: int, *, gas: str = "21000", nonce: str = NONCE) -> Any:
    """Return the event that takes a sale to *state*."""
    answer = ledger.put_blob(b"answer")
    made: dict[str, Callable[[], Any]] = {
        "claimed": lambda: claimed(ledger, nonce=nonce, before=before, lease=60),
        "answered": lambda: SaleAnswered(before=before, answer_blob=answer),
        "settling": lambda: SaleSettling(before=before, lease=90),
        "settled": lambda: SaleSettled(before=before, transaction=TRANSACTION, block=7, gas=gas),
        "failed": lambda: SaleFailed(before=before, reason="the tool failed"),
        "lapsed": lambda: SaleLapsed(before=before, reason="expired", block=9),
    }
    return made[state]()


SALE_WAYS: dict[str, tuple[str, ...]] = {
    "claimed": (),
    "answered": ("answered",),
    "settling": ("answered", "settling"),
    "settled": ("answered", "settling", "settled"),
    "failed": ("failed",),
    "lapsed": ("answered", "lapsed"),
}


def sale_at(ledger: Ledger, state: str, *, units: int = 10_000, gas: str = "21000", **more: Any) -> SaleRow:
    """Return a sale that stands so."""
    number = next(NUMBERS)
    nonce = f"0x{number:064x}"
    row, fresh = SaleList(ledger).claim_sale(claimed(ledger, nonce, units, **more), f"s-{number}")
    assert fresh
    for there in SALE_WAYS[state]:
        row = SaleList(ledger).move(row.id, sale_step(ledger, there, row.turn, gas=gas, nonce=nonce))
    return row
