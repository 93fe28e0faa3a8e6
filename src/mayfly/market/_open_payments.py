"""Payments that are on their way: sent again, looked up on the chain, and written down; nothing here needs a key.

What was signed is kept before it leaves, so that whoever comes later, after a crash or in another process, sends
exactly the same. An authorization can be used once, so sending it again can cost nothing more. How a payment stands is
decided by the chain alone: a seller's receipt proves nothing, and neither does its silence. `reconcile` closes what a
crash, a silent seller or a silent node left open, by the same evidence.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mayfly.core import ConflictError, Settings, StoreError, one_line
from mayfly.market._chain_reader import ChainEvidence, ChainReader, Transfer
from mayfly.market._events import (
    PaymentDelivered,
    PaymentDisputed,
    PaymentReleased,
    PaymentSettled,
    PaymentUnknown,
)
from mayfly.market._purchase import PaidRequest, Purchase, SellerAnswer, SellerError, header_of, send
from mayfly.store import PaymentList

if TYPE_CHECKING:
    from mayfly.store import Ledger, PaymentRow

AT_LARGE: Final = ("sent", "unknown")
"""States in which a signed payment may be charged any moment."""
# How often a step is tried anew because somebody else made one meanwhile; each time somebody got on.
_OVERTAKEN: Final = 20
# What a seller says of a request as such: the same again gets the same. Others (408, 409, 425, 429) mean "later".
_FINAL: Final = frozenset({400, 401, 402, 403, 404, 405, 406, 410, 413, 415, 422})


class Unrecorded(StoreError):
    """The payment left, and the store does not take what came back."""

    code = "UNRECORDED"

    def __init__(self, error: StoreError, answer: SellerAnswer | None) -> None:
        super().__init__(error.message, fix=error.fix)
        self.answer = answer


class OpenPayments:
    """Bring payments that were signed to their end."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        reader: ChainReader,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.ledger = ledger
        self.payments = PaymentList(ledger)
        self.settings = settings.market
        self.reader = reader
        self.clock = clock
        self.sleep = sleep

    def pay(self, row: PaymentRow) -> PaymentRow:
        """Send what was signed until there is an answer or no sense in going on, and record what the chain shows."""
        for _ in self._tries():
            answer, reason = self._ask_seller(row)
            try:
                row = self.record(row, answer, reason)
            except StoreError as error:
                raise Unrecorded(error, answer if answer is not None and answer.is_good else None) from error
            final = answer is not None and answer.status in _FINAL
            if row.state not in AT_LARGE or row.answer or final:
                break
        return row

    def _tries(self) -> Iterator[int]:
        """Yield once for each time the same payment may be sent, waiting twice as long before each."""
        for number in range(self.settings.tries):
            if number:
                self.sleep(self.settings.try_delay * 2 ** (number - 1))
            yield number

    def look(self, row: PaymentRow) -> PaymentRow:
        """Record what the chain shows of a payment that is at large, without sending anything."""
        return self.record(row, None, "")

    def record(self, row: PaymentRow, answer: SellerAnswer | None, reason: str) -> PaymentRow:
        """Write down an answer (or why there is none) and what the chain shows; who was overtaken looks anew."""
        good = answer if answer is not None and answer.is_good else None
        blob = "" if good is None else self.ledger.put_blob(good.to_bytes())
        for _ in range(_OVERTAKEN):
            try:
                if row.state in AT_LARGE:
                    row = self._step(row, blob, reason)
                if row.state in ("settled", "disputed") and (blob or row.answer):
                    event = PaymentDelivered(before=row.turn, answer_blob="" if row.answer else blob)
                    row = self.payments.move(row.id, event)
                return row
            except ConflictError:
                row = self.again(row)
        return row

    def _step(self, row: PaymentRow, blob: str, reason: str) -> PaymentRow:
        found = self.evidence(row)
        if found.state == "settled":
            return self.payments.move(
                row.id,
                PaymentSettled(before=row.turn, transaction=found.transaction, block=found.block, answer_blob=blob),
            )
        dead = _why_dead(row, found)
        if dead and not blob:
            return self.payments.move(row.id, PaymentReleased(before=row.turn, reason=dead, block=found.block))
        # What contradicts itself is said before what a seller says: no later look will change it.
        odd = found.reason if found.state == "other" else ""
        told = odd or reason or found.reason or row.reason or "the chain shows no transfer yet"
        if row.state == "unknown" and not blob and (told == row.reason or not (odd or reason)):
            # Nothing new was learnt, and a look every half minute would fill the ledger.
            return row
        row = self.payments.move(row.id, PaymentUnknown(before=row.turn, reason=told, answer_blob=blob))
        if dead:
            return self.payments.move(row.id, PaymentReleased(before=row.turn, reason=dead, block=found.block))
        return row

    def evidence(self, row: PaymentRow) -> ChainEvidence:
        """Ask the chain what became of a payment that was signed."""
        wanted = Transfer(row.network, row.asset, row.payer, row.payee, row.units, row.nonce)
        return self.reader.evidence_of(wanted, since=row.valid_after)

    def collect(self, row: PaymentRow) -> PaymentRow:
        """Get the answer to a payment that the chain shows, by sending the same again: it cannot be charged twice."""
        for _ in self._tries():
            answer, _ = self._ask_seller(row)
            if answer is not None and answer.is_good:
                return self.record(row, answer, "")
            if answer is not None and answer.status in _FINAL:
                break
        return row

    def give_up(self, row: PaymentRow) -> PaymentRow:
        """Record that a payment was charged and no answer can be had; one that comes later is still taken."""
        reason = "the chain shows the payment, and the seller gives no answer to it"
        with contextlib.suppress(ConflictError):
            return self.payments.move(row.id, PaymentDisputed(before=row.turn, reason=reason))
        return self.again(row)

    def told(self, row: PaymentRow) -> Purchase:
        """Return how a payment stands, for whoever bought."""
        answer = SellerAnswer.from_bytes(self.ledger.get_blob(row.answer)) if row.answer else None
        status = "unknown" if row.state == "sent" else row.state
        return Purchase(status=status, payment=row, answer=answer, reason=row.reason)

    def is_expired(self, row: PaymentRow) -> bool:
        """Whether by this machine's clock nobody can charge it any more; only the chain releases it."""
        return self.clock() > row.valid_before

    def _ask_seller(self, row: PaymentRow) -> tuple[SellerAnswer | None, str]:
        request = PaidRequest.from_bytes(self.ledger.get_blob(row.request))
        header = header_of(self.ledger.get_blob(row.payload))
        try:
            answer = send(request, self.settings, payment=header)
        except SellerError as error:
            return None, error.message
        return answer, "" if answer.is_good else f"the seller answers the payment with {_said(answer)}"

    def again(self, row: PaymentRow) -> PaymentRow:
        """Return a payment as it stands by now."""
        found = self.payments.get(row.id)
        assert found is not None, "payments are never removed"
        return found


def _why_dead(row: PaymentRow, found: ChainEvidence) -> str:
    """Say why a payment can never be charged, by the chain's evidence; nothing where it still can."""
    if found.state == "cancelled":
        return "the authorization was cancelled"
    # A transfer needs a block before valid_before: one after it, confirmed and without the transfer, ends the matter.
    if found.state == "unused" and found.block_time > row.valid_before:
        return "a confirmed block after its expiry shows the authorization unused"
    return ""


def _said(answer: SellerAnswer) -> str:
    text = one_line(answer.body[:200].decode(errors="replace"), limit=120) if answer.body else ""
    return f"HTTP {answer.status}" + (f": {text}" if text else "")


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
    for row in open_payments.payments.each(states):
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
            return open_payments.payments.move(row.id, PaymentReleased(before=row.turn, reason=reason))
        return row
    if row.state in AT_LARGE:
        row = open_payments.look(row)
    if row.state == "settled":
        row = open_payments.record(row, None, "") if row.answer else open_payments.collect(row)
    if row.state == "settled" and open_payments.is_expired(row):
        row = open_payments.give_up(row)
    return row
