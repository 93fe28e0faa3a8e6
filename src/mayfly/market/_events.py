"""What happens to money, as the ledger keeps it: the subject of each is ``payment:ID`` or ``sale:ID``.

Each event carries *before*, how many events the row had when its writer looked: one that was overtaken is refused, and
writes nothing. Nonces and hashes of transactions are kept without their ``0x``, as stores have had them from the first.
Both forms may be given; the rows have it again.
"""

from __future__ import annotations

from dataclasses import dataclass

from mayfly.core import with_checksums
from mayfly.store import event


@dataclass(frozen=True, kw_only=True)
class _MoneyEvent:
    """An event of money: its hashes lose their ``0x``, its addresses get their checksums, as they are shown."""

    before: int

    def __post_init__(self) -> None:
        for name in ("nonce", "transaction"):
            value = getattr(self, name, None)
            if isinstance(value, str):
                object.__setattr__(self, name, value.lower().removeprefix("0x"))
        for name in ("asset", "payee", "payer"):
            if hasattr(self, name):
                object.__setattr__(self, name, with_checksums(getattr(self, name)))


@dataclass(frozen=True, kw_only=True)
class _Terms(_MoneyEvent):
    """The first event of a row: what is paid, from whom and to whom; *request* is the hash of what is asked for."""

    request: str
    network: str
    asset: str
    payee: str
    payer: str
    units: int
    decimals: int
    strategy: str = ""
    before: int = 0


@event("payment.reserved")
class PaymentReserved(_Terms):
    """Record that money was set aside for a call; nothing is signed yet."""

    call: str
    url: str
    host: str
    method: str
    agent: str = ""
    run: str = ""
    tool: str = ""


@event("payment.sent")
class PaymentSent(_MoneyEvent):
    """Record, before it leaves, what was signed: the blob is the exact header, and a retry sends the same."""

    nonce: str
    valid_after: int
    valid_before: int
    payload_blob: str


@event("payment.unknown")
class PaymentUnknown(_MoneyEvent):
    """Record that the chain does not say yet whether it was charged; an answer may have come all the same."""

    reason: str
    answer_blob: str = ""


@event("payment.settled")
class PaymentSettled(_MoneyEvent):
    """Record the transaction in which the chain shows the transfer."""

    transaction: str
    block: int
    answer_blob: str = ""


@event("payment.delivered")
class PaymentDelivered(_MoneyEvent):
    """Record that what was paid for is there; the blob may be left out where the row has an answer."""

    answer_blob: str = ""


@event("payment.released")
class PaymentReleased(_MoneyEvent):
    """Record that it will never be charged: nothing was signed, or *block* shows the authorization dead."""

    reason: str
    block: int = 0


@event("payment.disputed")
class PaymentDisputed(_MoneyEvent):
    """Record that it was charged and no answer can be had; one that was not settled before names the transaction."""

    reason: str
    transaction: str = ""
    block: int = 0


@event("sale.claimed")
class SaleClaimed(_Terms):
    """Record who works on a paid request until *lease*, in seconds since 1970; a second claim takes it over."""

    nonce: str
    tool: str
    version: int
    valid_before: int
    payload_blob: str
    lease: int


@event("sale.answered")
class SaleAnswered(_MoneyEvent):
    """Record the answer, which is handed out only once it is paid."""

    answer_blob: str


@event("sale.settling")
class SaleSettling(_MoneyEvent):
    """Record that somebody has it settled until *lease*."""

    lease: int


@event("sale.settled")
class SaleSettled(_MoneyEvent):
    """Record the transaction in which the chain shows the transfer; *gas* is what it cost us in wei, where we know."""

    transaction: str
    block: int
    gas: str = ""


@event("sale.failed")
class SaleFailed(_MoneyEvent):
    """Record that there is no answer, so nothing is charged."""

    reason: str


@event("sale.lapsed")
class SaleLapsed(_MoneyEvent):
    """Record that the authorization will never pay: nothing is handed out, and nothing was earned."""

    reason: str
    block: int = 0
    gas: str = ""
