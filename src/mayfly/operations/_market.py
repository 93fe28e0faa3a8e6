"""The market as data: profit and loss, what is at risk and why, the last payments and the last sales."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mayfly.core import units_text
from mayfly.operations._pnl import ProfitAndLoss, pnl

if TYPE_CHECKING:
    from mayfly.store import Ledger, PaymentRow, SaleRow, SumBy

AT_RISK = ("sent", "unknown")
"""States in which a payment may be charged any moment, and nobody knows whether it was."""
# What both have and a reader wants; keys, signatures and hashes of requests are for the ledger.
_BOTH = ("id", "state", "network", "asset", "decimals", "payer", "payee", "tool", "strategy", "block", "reason")
# Seconds after the end of an authorization in which a block becomes evidence and somebody looks: a dozen blocks of the
# slowest chain in use, and a few looks.
_SLACK = 600
# Payments at risk that are looked through for late ones: more are not open at once by any cap that makes sense.
_LOOKED_AT = 10_000
_PAYMENT = ("call", "url", "host", "method", "agent", "run", "valid_before")


@dataclass(frozen=True, kw_only=True)
class MarketView:
    """What was earned and spent, and how single payments and sales stand, those that moved last first."""

    pnl: ProfitAndLoss
    at_risk: tuple[dict[str, Any], ...]
    payments: tuple[dict[str, Any], ...]
    sales: tuple[dict[str, Any], ...]

    def fields(self) -> dict[str, object]:
        """Return everything as data."""
        lists = {name: list(getattr(self, name)) for name in ("at_risk", "payments", "sales")}
        return {"pnl": self.pnl.fields(), **lists}


def market_view(ledger: Ledger, *, by: SumBy = "total", latest: int = 50) -> MarketView:
    """Read the money of a ledger, with as many of the *latest* payments and sales."""
    from mayfly.store import PaymentList, SaleList

    payments = PaymentList(ledger)
    return MarketView(
        pnl=pnl(ledger, by=by),
        at_risk=tuple(_payment(row) for row in payments.newest(AT_RISK, limit=latest)),
        payments=tuple(_payment(row) for row in payments.newest(limit=latest)),
        sales=tuple(_sale(row) for row in SaleList(ledger).newest(limit=latest)),
    )


def payments_to_look_at(ledger: Ledger, *, now: float, latest: int = 50) -> list[dict[str, Any]]:
    """Return payments that a person has to look at, those that moved last first.

    At risk long after the last moment at which anybody could charge them: the node is away, or what it shows
    contradicts itself. Or disputed: paid, and no answer is to be had.
    """
    from mayfly.store import PaymentList

    payments = PaymentList(ledger)
    late = [row for row in payments.newest(AT_RISK, limit=_LOOKED_AT) if 0 < row.valid_before < now - _SLACK]
    found = [*late, *payments.newest(("disputed",), limit=latest)]
    return [_payment(row) for row in found[:latest]]


def _payment(row: PaymentRow) -> dict[str, Any]:
    own = {name: getattr(row, name) for name in _PAYMENT}
    return {**_told(row), **own, "charged_until": _moment(row.valid_before), "answered": bool(row.answer)}


def _sale(row: SaleRow) -> dict[str, Any]:
    return {**_told(row), "version": row.version, "gas": row.gas}


def _told(row: PaymentRow | SaleRow) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in _BOTH},
        # As text: a number of that size is rounded by whoever reads JSON into floats.
        "units": str(row.units),
        "shown": units_text(row.units, row.decimals),
        # Without its 0x, with which it would look like a private key and be hidden.
        "transaction": row.transaction_hash.removeprefix("0x"),
        "at": row.at,
        "changed": row.changed,
    }


def _moment(seconds: int) -> str:
    """Return a moment as text; nothing for none, and for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""
