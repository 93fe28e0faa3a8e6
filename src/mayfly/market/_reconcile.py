"""Close what a crash, a silent seller or a silent node left open: by the chain's evidence, never by a guess."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mayfly.core import ConflictError
from mayfly.market._events import PaymentReleased
from mayfly.market._open_payments import AT_LARGE, OpenPayments

if TYPE_CHECKING:
    from mayfly.store import PaymentRow


@dataclass(kw_only=True)
class Reconciled:
    """How many payments were looked at, and what became of those that moved: state by id."""

    seen: int = 0
    moved: dict[str, str] = field(default_factory=dict)


OPEN: Final = ("reserved", "sent", "unknown", "settled")
"""States that somebody has to look after."""


def reconcile(open_payments: OpenPayments, *, states: Collection[str] = OPEN, idle: float = 0.0) -> Reconciled:
    """Look at every payment that is open and has not moved for *idle* seconds.

    Money that was set aside and never signed for is given back: what is signed is recorded before it leaves, and
    whoever was about to record it finds that somebody was there before. A payment at large is settled or released as
    the chain shows it, and stays open where it shows nothing. For one that is settled without an answer the same
    payment is sent again, which costs nothing; once it has expired without one, it is disputed.
    """
    done = Reconciled()
    for row in _each(open_payments, states):
        if open_payments.clock() - datetime.fromisoformat(row.changed).timestamp() < idle:
            continue
        done.seen += 1
        now = _closed(open_payments, row)
        if now.state != row.state:
            done.moved[row.id] = now.state
    return done


def _closed(open_payments: OpenPayments, row: PaymentRow) -> PaymentRow:
    if row.state == "reserved":
        reason = "whoever set it aside went away before anything was signed"
        with contextlib.suppress(ConflictError):
            return open_payments.payments.move_payment(row.id, PaymentReleased(before=row.turn, reason=reason))
        return row
    if row.state in AT_LARGE:
        row = open_payments.look(row)
    if row.state == "settled":
        row = open_payments.record(row, None, "") if row.answer else open_payments.collect(row)
    if row.state == "settled" and open_payments.is_expired(row):
        row = open_payments.give_up(row)
    return row


def _each(open_payments: OpenPayments, states: Collection[str]) -> Iterator[PaymentRow]:
    after = ""
    while page := open_payments.payments.payments(states, after=after):
        yield from page
        after = page[-1].id
