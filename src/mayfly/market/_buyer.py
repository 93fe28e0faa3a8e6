"""`Buyer`: quote, ask the rules, set the money aside, sign, keep what was signed, and only then send.

Each step is durable before the next begins, so a process that dies between any two leaves a payment that somebody else
can bring to its end. The same call id never pays twice: there is one live payment for it, with one signature, and the
database holds that.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, Unpack

from mayfly.core import ConflictError, InputError, LimitError, StoreError, one_line, with_checksums
from mayfly.market._chain_reader import NodeError
from mayfly.market._decide import SCOPES, PurchaseFacts, SpendingCaps
from mayfly.market._events import PaymentReleased, PaymentReserved, PaymentSent
from mayfly.market._open_payments import AT_LARGE, OpenPayments, Unrecorded
from mayfly.market._purchase import (
    BoughtFor,
    BuyOptions,
    PaidRequest,
    Purchase,
    SellerAnswer,
    SellerError,
    Turns,
    check_call,
    is_seller,
    listed,
    payment_header,
    send,
)
from mayfly.market._terms import PAYMENT_REQUIRED, PaymentTerms, price_units, read_address, read_terms
from mayfly.market._wallet import CLOCKS
from mayfly.store import check_strategy

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.market._chain_reader import ChainReader
    from mayfly.policy import Permit
    from mayfly.store import Ledger, PaymentRow

# Between looks at a payment that another process is making.
_POLL: Final = 0.05
# How much earlier than now an authorization begins: clocks of chains are behind by seconds, seldom by minutes.
_EARLIER: Final = 600


class Signer(Protocol):
    """Who signs authorizations, and nothing else; the one there is lives in the broker process."""

    address: str

    def sign_authorization(self, terms: PaymentTerms, nonce: str, valid_after: int, valid_before: int) -> str:
        """Return the signature of a transfer by these terms."""


class PurchaseRefused(Exception):
    """Nothing was signed, and why; *decision* is the one that a person may approve, where that would change it."""

    def __init__(self, reason: str, *, decision: str = "") -> None:
        super().__init__(reason)
        self.decision = decision


class Buyer:
    """Buy from sellers, each call at most once."""

    def __init__(
        self,
        ledger: Ledger,
        wallet_signer: Signer,
        settings: Settings,
        decide: Callable[[PurchaseFacts], Permit],
        reader: ChainReader,
        **clocks: Any,
    ) -> None:
        self.open = OpenPayments(ledger, settings, reader, **clocks)
        self._payments = self.open.payments
        self._ledger = ledger
        self._signer = wallet_signer
        self._settings = settings.market
        self._decide = decide
        self._reader = reader
        self._calls = Turns()
        self._asset = read_address(self._settings.asset, "market.asset")
        self._caps = SpendingCaps(settings)

    def buy(self, call_id: str, url: str, max_price: str, **options: Unpack[BuyOptions]) -> Purchase:
        """Buy what *url* answers for at most *max_price* whole coins, or go on with the purchase of that call id.

        What goes wrong before anything is set aside is a `Purchase` that is refused, or an error where the caller's own
        words are wrong; afterwards the state of the payment is told.
        """
        check_call(call_id)
        request = PaidRequest.check(url, options, largest=self._settings.body_size)
        most = price_units(max_price, self._settings.asset_decimals)
        who = BoughtFor.of(options)
        if who.strategy:
            check_strategy(who.strategy)
        with self._calls.taken(call_id):
            row = self._payments.payment_of_call(call_id)
            if row is None or row.state == "released":
                return self._begin(call_id, request, most, who)
            hash = self._ledger.put_blob(request.to_bytes())
            if row.request != hash:
                raise ConflictError(
                    f"call {call_id} was made before with another request (payment {row.id})",
                    fix="give this request a call id of its own",
                )
            return self._go_on(self._waited(row))

    def status(self, call_id: str) -> Purchase | None:
        """Return how the purchase of a call stands, without doing anything about it."""
        row = self._payments.payment_of_call(check_call(call_id))
        return None if row is None else self.open.told(row)

    def balance(self) -> int:
        """Return what the wallet has, in units."""
        return self._reader.balance(self._asset, self._signer.address)

    # Before money is set aside.

    def _begin(self, call: str, request: PaidRequest, most: int, who: BoughtFor) -> Purchase:
        try:
            found = self._quoted(request, most)
            if isinstance(found, SellerAnswer):
                return Purchase(status="free", answer=found, reason="the seller asks for no payment")
            chain_time = self._check_funds(found)
            id = f"pay-{secrets.token_hex(12)}"
            row = self._permitted(id, call, request, found, who)
        except PurchaseRefused as error:
            return Purchase(status="refused", reason=str(error), decision=error.decision)
        except LimitError as error:
            return Purchase(status="refused", reason=error.message)
        # Another process may have set it aside for the same call meanwhile.
        return self._go_on(row, (found, chain_time)) if row.id == id else self._go_on(self._waited(row))

    def _quoted(self, request: PaidRequest, most: int) -> PaymentTerms | SellerAnswer:
        """Ask without paying, and return the terms to pay by; a seller that is not named is not even asked."""
        if not is_seller(request.url, listed(self._settings.hosts)):
            raise PurchaseRefused(
                f"{request.host} is not a seller that may be paid: name it in market.hosts, and open the wallet again"
            )
        try:
            answer = send(request, self._settings)
        except SellerError as error:
            raise PurchaseRefused(error.message) from None
        if answer.is_good:
            return answer
        if answer.status != PAYMENT_REQUIRED:
            raise PurchaseRefused(f"the seller asks for no payment: HTTP {answer.status}")
        try:
            offered = read_terms(answer.status, answer.headers, answer.body, url=request.url)
        except InputError as error:
            raise PurchaseRefused(error.message) from None
        return self._chosen(offered, most)

    def _chosen(self, offered: list[PaymentTerms], most: int) -> PaymentTerms:
        """Return the cheapest way to pay with our token on our chain."""
        ours = [one for one in offered if (one.network, one.asset) == (self._settings.network, self._asset)]
        if not ours:
            there = ", ".join(sorted({f"{one.asset} on {one.network}" for one in offered})[:3])
            raise PurchaseRefused(f"the seller takes {there}, not {self._asset} on {self._settings.network}")
        best = min(ours, key=lambda one: one.units)
        if best.units > most:
            raise PurchaseRefused(f"the seller asks for {best.units} units, more than the {most} of this purchase")
        if best.seconds < self._settings.shortest_validity:
            raise PurchaseRefused(f"the seller gives {best.seconds} seconds to pay in, which is too short")
        return best

    def _check_funds(self, terms: PaymentTerms) -> int:
        """See that the node is of our chain and the wallet has the money; return the chain's time.

        Without a node nothing is signed.
        """
        try:
            if self._reader.chain_id() != terms.chain_id:
                raise PurchaseRefused(f"the node of market.rpc_url is not of {terms.network}")
            has = self.balance()
            now = self._reader.now()
        except NodeError as error:
            raise PurchaseRefused(error.message) from None
        if has < terms.units:
            raise PurchaseRefused(f"the wallet has {has} units, and the seller asks for {terms.units}")
        if abs(now - self.open.clock()) > CLOCKS:
            raise PurchaseRefused("the clocks of the chain and of this machine are too far apart")
        return now

    def _permitted(self, id: str, call: str, request: PaidRequest, terms: PaymentTerms, who: BoughtFor) -> PaymentRow:
        """Ask the rules, and set the money aside within all caps."""
        asked_for: dict[str, Any] = {
            "call": call,
            "url": request.url,
            "method": request.method,
            "request": self._ledger.put_blob(request.to_bytes()),
            "network": terms.network,
            "asset": terms.asset,
            "payee": terms.payee,
            "units": terms.units,
            "decimals": self._settings.asset_decimals,
        }
        facts = PurchaseFacts(**asked_for, agent=who.agent)
        payload = PaymentReserved(**asked_for, **vars(who), host=request.host, payer=self._signer.address)
        caps, asked = self._caps.of(terms, who, self.open.clock())
        self._ask_rules(facts)
        try:
            return self._payments.reserve(payload, id, [*caps, *asked])
        except LimitError as error:
            over = tuple(scope for cap, scope in SCOPES.items() if error.kind == f"cap {cap}")
            if not over:
                raise
            # Over what may be spent without asking: a person who agreed to this very purchase was asked.
            self._ask_rules(replace(facts, over=over))
        return self._payments.reserve(payload, id, caps)

    def _ask_rules(self, facts: PurchaseFacts) -> None:
        permit = self._decide(facts)
        if not permit.allowed:
            decision = permit.id if permit.decision == "approval" else ""
            hint = f"; see: mayfly approve {decision}" if decision else ""
            raise PurchaseRefused(
                with_checksums(one_line("; ".join(permit.because), limit=500)) + hint, decision=decision
            )

    # Afterwards.

    def _go_on(self, row: PaymentRow, quote: tuple[PaymentTerms, int] | None = None) -> Purchase:
        """Bring a payment as far as it goes now; *quote* has the terms and the chain's time where they are known."""
        try:
            if row.state == "reserved":
                row = self._sign(row, *(quote or (self._asked_again(row), self._chain_time(row))))
            elif row.state in AT_LARGE:
                # The chain is asked before anything is sent again: what is settled or dead needs no payment.
                row = self.open.look(row)
        except PurchaseRefused as error:
            return Purchase(status="released", payment=self._payments.get(row.id), reason=str(error))
        try:
            if row.state in AT_LARGE and not row.answer:
                row = self.open.pay(row)
            if row.state in ("settled", "disputed"):
                row = self.open.collect(row)
            return self.open.told(row)
        except Unrecorded as error:
            # It may be paid, and the next one who asks finds out; the answer is not held back meanwhile.
            return Purchase(status="unknown", payment=row, answer=error.answer, reason=error.message)

    def _sign(self, row: PaymentRow, terms: PaymentTerms, chain_time: int) -> PaymentRow:
        """Sign what was set aside and keep it; of several who do so one is recorded, and the rest is never sent."""
        now = self.open.clock()
        after = int(now) - _EARLIER
        before = int(max(now, chain_time)) + min(terms.seconds, self._settings.longest_validity)
        nonce = "0x" + secrets.token_hex(32)
        signature = self._signer.sign_authorization(terms, nonce, after, before)
        _, value = payment_header(
            terms, signature, payer=row.payer, nonce=nonce, valid_after=after, valid_before=before
        )
        blob = self._ledger.put_blob(value.encode())
        sent = PaymentSent(before=row.turn, nonce=nonce, valid_after=after, valid_before=before, payload_blob=blob)
        try:
            return self._payments.move(row.id, sent)
        except ConflictError:
            return self.open.again(row)

    def _chain_time(self, row: PaymentRow) -> int:
        try:
            return self._reader.now()
        except NodeError as error:
            self._release(row, error.message)

    def _asked_again(self, row: PaymentRow) -> PaymentTerms:
        """Quote anew for money that was set aside by somebody who is gone: only the very same terms are signed."""
        request = PaidRequest.from_bytes(self._ledger.get_blob(row.request))
        try:
            found = self._quoted(request, row.units)
        except PurchaseRefused as error:
            self._release(row, str(error))
        same = isinstance(found, PaymentTerms) and (found.payee, found.units, found.asset, found.network) == (
            row.payee,
            row.units,
            row.asset,
            row.network,
        )
        if not same or row.payer != self._signer.address:
            self._release(row, "the seller's terms, or the wallet, are not those that the money was set aside for")
        assert isinstance(found, PaymentTerms), "what is the same is terms"
        return found

    def _release(self, row: PaymentRow, reason: str) -> NoReturn:
        """Give back what was set aside while nothing is signed."""
        try:
            self._payments.move(row.id, PaymentReleased(before=row.turn, reason=reason))
        except (ConflictError, StoreError):
            # Somebody went on with it, or it is found later: nothing was signed here.
            pass
        raise PurchaseRefused(reason)

    def _waited(self, row: PaymentRow) -> PaymentRow:
        """Give another process that is at this payment a moment to finish before it is taken over."""
        changed = datetime.fromisoformat(row.changed).timestamp()
        until = min(changed, self.open.clock()) + self._settings.takeover
        while row.state in ("reserved", "sent") and self.open.clock() < until:
            self.open.sleep(_POLL)
            row = self.open.again(row)
        return row
