"""`Seller`: claim a payment, answer, settle, hand out. Each step is in the ledger before the next one begins.

    nothing -> claimed -> answered -> settling -> settled: the answer is handed out
               claimed -> failed: no answer, never charged      settling -> lapsed: never paid, nothing handed out

Whoever works on a sale holds it by a lease and by its turn: after the lease another may go on from the last step, and
the one that was overtaken is refused by the store, so that it neither answers nor settles. What the facilitator says
moves nothing; the chain does.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from mayfly.core import ConflictError, MayflyError, canonical_json, content_hash, mismatch, one_line
from mayfly.market._asgi import ShopReply
from mayfly.market._chain_reader import NodeError, Transfer
from mayfly.market._events import SaleAnswered, SaleClaimed, SaleFailed, SaleLapsed, SaleSettled, SaleSettling
from mayfly.market._purchase import SellerAnswer
from mayfly.market._requirements import MIME, PaymentOffer, encode_header
from mayfly.market._terms import RESPONSE_HEADERS
from mayfly.market.seller._payment import busy, conflict, failed, payment_required, refused, unsettled
from mayfly.store import SaleList

if TYPE_CHECKING:
    from mayfly.market._chain_reader import ChainEvidence, ChainReader
    from mayfly.market.facilitator import Facilitator, Settlement
    from mayfly.market.seller._payment import SignedPayment
    from mayfly.store import Ledger, SaleRow

OPEN: Final = ("claimed", "answered", "settling")
# Clocks of chains and of this machine are that far apart at most, in seconds; a transfer is looked for no earlier.
_APART: Final = 3600
_REASON: Final = 500
# What a sale takes over from what was offered.
_OFFERED: Final = ("network", "asset", "payee", "units", "decimals", "tool", "version", "strategy")
_LOG: Final = logging.getLogger("mayfly.market")


class Handled(Protocol):
    """How the capability ended; the outcome of a tool is one."""

    @property
    def ok(self) -> bool:
        """Whether there is a value."""

    @property
    def value(self) -> object:
        """What it gave, as JSON has it."""

    @property
    def error(self) -> str:
        """Why there is no value."""


Handler = Callable[[str, int, Mapping[str, Any], str], Handled]
"""Call a tool by name and version with arguments; the last is a key that is the same for the same sale."""


@dataclass(frozen=True, kw_only=True)
class SellerLimits:
    """How long and how much.

    *lease* has to be longer than the handler takes; *patience* is how long a request waits for another one of the same
    payment, and *settle* for the chain to show a transfer; *poll* lies between two looks.
    """

    lease: float = 120.0
    patience: float = 30.0
    settle: float = 30.0
    poll: float = 0.2
    shortest: float = 10.0
    answer: int = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """What became of the sales that somebody had left open."""

    settled: int = 0
    lapsed: int = 0
    failed: int = 0
    open: int = 0


class Seller:
    """Sell what a handler does; safe to share between threads, and between processes of one store."""

    def __init__(
        self,
        ledger: Ledger,
        handler: Handler,
        facilitator: Facilitator,
        reader: ChainReader,
        *,
        limits: SellerLimits | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._ledger, self._sales = ledger, SaleList(ledger)
        self._handler, self._facilitator, self._reader = handler, facilitator, reader
        self._limits = limits or SellerLimits()
        self._clock = clock

    def sell(self, offer: PaymentOffer, url: str, arguments: object, payment: SignedPayment | None) -> ShopReply:
        """Answer one request for *offer* at *url*; without a payment that holds, with what is to be paid."""
        if payment is None:
            return payment_required(offer, url, "payment required")
        if wrong := mismatch(arguments, {"type": "object", **offer.input_schema}, name="the request"):
            return refused(f"{wrong}; nothing was charged")
        assert isinstance(arguments, dict), "the schema of an offer is one of an object"
        # Not the version of the tool: a request that was paid before an update is still the same.
        try:
            request = content_hash(canonical_json({"tool": offer.tool, "arguments": arguments}))
        except ValueError:  # a number that only a float can hold, and not that either
            return refused("the request holds a number that is too large; nothing was charged")
        row = self._sales.sale_of(payment.network, offer.asset, payment.payer, payment.nonce)
        if row is None:
            claimed = self._claim(offer, url, request, payment)
            if isinstance(claimed, ShopReply):
                return claimed
            row, fresh = claimed
            if fresh:
                return self._answer(row, arguments)
        if row.request != request or self._kept(row)["payload"] != payment.payload:
            return conflict()
        return self._go_on(row, arguments)

    def recover(self) -> Recovered:
        """Go on with what was left open by processes that ended: settle what was answered, close what never pays.

        A sale that has no answer yet is left to its buyer, who asks again, until its authorization is dead.
        """
        counts = dict.fromkeys(("settled", "lapsed", "failed", "open"), 0)
        now = self._clock()
        for row in self._sales.each(OPEN):
            if row.lease > now:
                continue
            try:
                state = self._recover(row)
            except MayflyError as error:
                _LOG.warning("sale %s stays open: %s", row.id, error)
                state = row.state
            counts[state if state in counts else "open"] += 1
        return Recovered(**counts)

    # The steps.

    def _claim(
        self, offer: PaymentOffer, url: str, request: str, payment: SignedPayment
    ) -> tuple[SaleRow, bool] | ShopReply:
        limits = self._limits
        if said := payment.objection(offer, url, now=self._clock(), shortest=limits.shortest):
            return payment_required(offer, url, said)
        kept = {"payload": payment.payload, "requirement": offer.requirement}
        verified = self._facilitator.verify(*_x402(kept))
        if verified.status == "refused" and not self._paid_before(offer, payment):
            return payment_required(offer, url, f"the payment is refused: {verified.reason}")
        if verified.status == "unknown":
            return busy(f"the payment cannot be verified now, nothing was charged: {verified.reason}")
        claim = SaleClaimed(
            **{name: getattr(offer, name) for name in _OFFERED},
            payer=payment.payer,
            nonce=payment.nonce,
            request=request,
            valid_before=payment.valid_before,
            payload_blob=self._ledger.put_blob(canonical_json(kept).encode()),
            lease=self._until(),
        )
        return self._sales.claim_sale(claim, f"s-{secrets.token_hex(8)}")

    def _paid_before(self, offer: PaymentOffer, payment: SignedPayment) -> bool:
        """Whether somebody had this payment settled before it came here: anybody who sees it on its way can.

        It is ours all the same, so it is answered. Only where its transfer is no older, by the chain's clock, than a
        payment may take: what a ledger that was lost had sold is not given once more.
        """
        if not payment.is_signed(offer):
            return False
        seen = self._evidence(offer, payment.payer, payment.nonce, self._clock())
        with suppress(NodeError):
            return seen.state == "settled" and seen.block_time >= self._reader.now() - offer.seconds
        return False

    def _answer(self, row: SaleRow, arguments: Mapping[str, Any]) -> ShopReply:
        """Run the handler and keep what it says; who was overtaken meanwhile keeps nothing."""
        try:
            done = self._handler(row.tool, row.version, arguments, row.id)
            reason = "" if done.ok else done.error or "no reason given"
            answer = self._answer_of(done.value) if done.ok else b""
        except Exception:  # whatever it is; what it says is for our log and not for a stranger
            _LOG.exception("sale %s: the handler failed", row.id)
            reason, answer = "the capability failed", b""
        if not reason and len(answer) > self._limits.answer:
            reason = f"the answer has more than {self._limits.answer} bytes"
        try:
            if reason:
                return self._fail(row, reason)
            row = self._move(row, SaleAnswered(before=row.turn, answer_blob=self._ledger.put_blob(answer)))
            return self._settle(row, look_first=False)
        except ConflictError:
            return self._go_on(self._again(row), arguments)

    def _settle(self, row: SaleRow, *, look_first: bool) -> ShopReply:
        """Have it settled and close it by what the chain shows; look first where somebody may have tried before."""
        row = self._move(row, SaleSettling(before=row.turn, lease=self._until()))
        settlement: Settlement | None = None
        seen = self._look(row) if look_first else None
        # Where the node is silent nothing is sent: nobody could see what comes of it.
        if seen is None or (seen.state == "unused" and seen.block_time < row.valid_before):
            settlement = self._facilitator.settle(*_x402(self._kept(row)))
            seen = self._watch(row, settlement)
        return self._close(row, seen, settlement)

    def _watch(self, row: SaleRow, settlement: Settlement) -> ChainEvidence:
        """Look until the chain shows the transfer; a refusal is looked at once, in case it is too late for one."""
        ends = time.monotonic() + (0 if settlement.status == "refused" else self._limits.settle)
        while True:
            seen = self._look(row)
            if seen.state not in ("unused", "unknown") or time.monotonic() >= ends:
                return seen
            time.sleep(self._limits.poll)

    def _close(self, row: SaleRow, seen: ChainEvidence, settlement: Settlement | None) -> ShopReply:
        if seen.state == "settled":
            gas = seen.gas if self._facilitator.pays_gas else ""
            done = SaleSettled(before=row.turn, transaction=seen.transaction, block=seen.block, gas=gas)
            return self._hand_out(self._move(row, done))
        if reason := _dead(row, seen):
            return unsettled(self._move(row, SaleLapsed(before=row.turn, reason=reason, block=seen.block)), reason)
        # Whoever asks next need not wait for the lease: nobody works on it any more.
        row = self._move(row, SaleSettling(before=row.turn, lease=int(self._clock())))
        if settlement is not None and settlement.status == "refused":
            return unsettled(row, f"the payment is refused: {settlement.reason}")
        said = (settlement.reason if settlement is not None else "") or seen.reason or "the chain does not show it yet"
        return busy(f"the payment is not settled yet, send the same one again: {said}")

    def _go_on(self, row: SaleRow, arguments: Mapping[str, Any]) -> ShopReply:
        """Hand out what is there, go on where somebody stopped, or wait for whoever works on it."""
        ends = time.monotonic() + self._limits.patience
        while row.state in OPEN:
            if row.lease <= self._clock():
                with suppress(ConflictError):  # another one was faster: see how far it is
                    claimed = row.state == "claimed"
                    return self._take_over(row, arguments) if claimed else self._settle(row, look_first=True)
            elif time.monotonic() >= ends:
                return busy("another request with this payment is being answered; send the same one again")
            time.sleep(self._limits.poll)
            row = self._again(row)
        if row.state == "settled":
            return self._hand_out(row)
        return failed(row) if row.state == "failed" else unsettled(row, row.reason)

    def _take_over(self, row: SaleRow, arguments: Mapping[str, Any]) -> ShopReply:
        """Answer in the place of one that ended; not where the authorization can no longer pay."""
        row = self._move(row, _claim_again(row, lease=self._until()))
        seen = self._look(row)
        if seen.state == "unknown":
            return busy("the chain cannot be asked now, nothing was charged")
        if seen.state == "unused":
            verified = self._facilitator.verify(*_x402(self._kept(row)))
            if verified.status == "unknown":
                return busy(f"the payment cannot be verified now, nothing was charged: {verified.reason}")
            reason = f"the payment is refused: {verified.reason}" if verified.status == "refused" else ""
        else:
            reason = "" if seen.state == "settled" else "the authorization was cancelled or used for another payment"
        return self._fail(row, reason) if reason else self._answer(row, arguments)

    def _fail(self, row: SaleRow, reason: str) -> ShopReply:
        """Close a sale that has no answer; one that somebody else had settled stays open, for the answer is owed."""
        if self._look(row).state == "settled":
            self._move(row, _claim_again(row, lease=int(self._clock())))
            return busy("there is no answer, and the payment was made already; send the same one again")
        return failed(self._move(row, SaleFailed(before=row.turn, reason=one_line(reason, limit=_REASON))))

    def _recover(self, row: SaleRow) -> str:
        if row.state != "claimed":
            self._settle(row, look_first=True)
            return self._again(row).state
        reason = _dead(row, self._look(row))
        if reason:
            return self._move(row, SaleFailed(before=row.turn, reason=f"nobody answered; {reason}")).state
        return row.state

    # What the steps stand on.

    def _look(self, row: SaleRow) -> ChainEvidence:
        return self._evidence(row, row.payer, row.nonce, datetime.fromisoformat(row.at).timestamp())

    def _evidence(self, wanted: SaleRow | PaymentOffer, payer: str, nonce: str, since: float) -> ChainEvidence:
        transfer = Transfer(wanted.network, wanted.asset, payer, wanted.payee, wanted.units, nonce)
        return self._reader.evidence_of(transfer, since=since - _APART)

    def _move(self, row: SaleRow, step: Any) -> SaleRow:
        return self._sales.move(row.id, step)

    def _again(self, row: SaleRow) -> SaleRow:
        found = self._sales.get(row.id)
        assert found is not None, "sales are never taken away"
        return found

    def _kept(self, row: SaleRow) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._ledger.get_blob(row.payload))
        return found

    def _until(self) -> int:
        # Rounded up: a lease is in whole seconds, and a shorter one would end before it begins.
        return int(self._clock() + self._limits.lease) + 1

    @staticmethod
    def _answer_of(value: object) -> bytes:
        body = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return SellerAnswer(200, {"content-type": MIME}, body).to_bytes()

    def _hand_out(self, row: SaleRow) -> ShopReply:
        kept = SellerAnswer.from_bytes(self._ledger.get_blob(row.answer))
        receipt = {
            "success": True,
            "transaction": row.transaction_hash,
            "network": row.network,
            "payer": row.payer,
            "amount": str(row.units),
        }
        said = dict.fromkeys(RESPONSE_HEADERS.values(), encode_header(receipt))
        return ShopReply(status=kept.status, headers={**kept.headers, **said}, body=kept.body)


def _x402(kept: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a payment and its requirement as a facilitator takes them."""
    payment = {"x402Version": 2, "payload": kept["payload"], "accepted": kept["requirement"]}
    return payment, kept["requirement"]


def _dead(row: SaleRow, seen: ChainEvidence) -> str:
    """Return why an authorization will never pay, as a confirmed block shows; nothing where it still may."""
    if seen.state in ("cancelled", "other"):
        return "the authorization was cancelled or used for another payment"
    if seen.state == "unused" and seen.block_time >= row.valid_before:
        return "the authorization expired unused"
    return ""


def _claim_again(row: SaleRow, *, lease: int) -> SaleClaimed:
    """Return the claim of somebody else's sale, by the same terms."""
    changed: dict[str, Any] = {"payload_blob": row.payload, "lease": lease, "before": row.turn}
    same = {spec.name: getattr(row, spec.name) for spec in fields(SaleClaimed) if spec.name not in changed}
    return SaleClaimed(**same, **changed)
