"""The market as data: profit and loss, what is at risk and why, the last payments and the last sales."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mayfly.core import units_text
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.library.promotion import Promotion
    from mayfly.store import Ledger, MoneySum, PaymentRow, SaleRow, SumBy

AT_RISK = ("sent", "unknown")
"""States in which a payment may be charged any moment, and nobody knows whether it was."""

# What both have and a reader wants; keys, signatures and hashes of requests are for the ledger.
_BOTH = "id state network asset decimals payer payee tool strategy block reason at changed"
# Seconds after the end of an authorization in which a block becomes evidence and somebody looks: a dozen blocks of the
# slowest chain in use, and a few looks.
_SLACK = 600
# Payments at risk that are looked through for late ones: more are not open at once by any cap that makes sense.
_LOOKED_AT = 10_000
_PAYMENT = "call url host method agent run valid_before"
# Which column a payment counts in as it stands; one that was released cost nothing.
_PAYMENTS = {
    "reserved": "reserved",
    "sent": "at_risk",
    "unknown": "at_risk",
    "settled": "cost",
    "delivered": "cost",
    "disputed": "cost",
}
_SHOWN = ("revenue", "cost", "profit", "at_risk", "reserved")


@dataclass(kw_only=True)
class ProfitRow:
    """What one key comes to in one asset, in its smallest unit; different assets are never added together.

    *at_risk* may have been charged, *reserved* was not signed yet, *gas* is in wei of the network's own coin. *bought*
    and *sold* count what was charged, *count* everything, also what failed.
    """

    key: str
    network: str
    asset: str
    decimals: int
    revenue: int = 0
    cost: int = 0
    at_risk: int = 0
    reserved: int = 0
    gas: int = 0
    bought: int = 0
    sold: int = 0
    count: int = 0

    @property
    def profit(self) -> int:
        """Revenue less cost; neither what is at risk nor gas, which is paid in another coin."""
        return self.revenue - self.cost

    def add(self, found: MoneySum) -> None:
        """Count one sum."""
        self.count += found.rows
        self.gas += found.gas
        if found.side == "payment":
            column = _PAYMENTS.get(found.state)
            if column:
                setattr(self, column, getattr(self, column) + found.units)
            self.bought += found.rows if column == "cost" else 0
        elif found.state == "settled":
            self.revenue += found.units
            self.sold += found.rows

    def shown(self) -> dict[str, str]:
        """Return the amounts in whole coins, for people."""
        return {name: units_text(getattr(self, name), self.decimals) for name in _SHOWN}

    def to_json(self) -> dict[str, object]:
        """Return everything as data: whole numbers, and beside them what people read."""
        return {**vars(self), "profit": self.profit, "shown": self.shown()}


@dataclass(frozen=True, kw_only=True)
class ProfitAndLoss:
    """Rows by key, and what they come to for each asset."""

    by: SumBy
    rows: tuple[ProfitRow, ...] = ()
    totals: tuple[ProfitRow, ...] = field(default=())

    def to_json(self) -> dict[str, object]:
        """Return everything as data."""
        return {
            "by": self.by,
            "rows": [row.to_json() for row in self.rows],
            "totals": [row.to_json() for row in self.totals],
        }


def pnl(ledger: Ledger, *, by: SumBy = "total") -> ProfitAndLoss:
    """Add up all money of a ledger, by tool, strategy, host, day or all of it."""
    from mayfly.store import money_sums

    sums = money_sums(ledger, by)
    return ProfitAndLoss(
        by=by,
        rows=_rows(sums, lambda found: found.key) if by != "total" else (),
        totals=_rows(sums, lambda found: "total"),
    )


def _rows(sums: Iterable[MoneySum], key: Callable[[MoneySum], str]) -> tuple[ProfitRow, ...]:
    rows: dict[tuple[str, str, str, int], ProfitRow] = {}
    for found in sums:
        place = (key(found), found.network, found.asset, found.decimals)
        if place not in rows:
            rows[place] = ProfitRow(key=place[0], network=place[1], asset=place[2], decimals=place[3])
        rows[place].add(found)
    return tuple(rows[place] for place in sorted(rows))


@dataclass(frozen=True, kw_only=True)
class MarketView:
    """What was earned and spent, and how single payments and sales stand, those that moved last first."""

    pnl: ProfitAndLoss
    at_risk: tuple[dict[str, Any], ...]
    payments: tuple[dict[str, Any], ...]
    sales: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, object]:
        """Return everything as data."""
        lists = {name: list(getattr(self, name)) for name in ("at_risk", "payments", "sales")}
        return {"pnl": self.pnl.to_json(), **lists}


def market_view(ledger: Ledger, *, by: SumBy = "total", latest: int = 50) -> MarketView:
    """Read the money of a ledger, with as many of the *latest* payments and sales."""
    from mayfly.store import PaymentList, SaleList

    payments = PaymentList(ledger)
    return MarketView(
        pnl=pnl(ledger, by=by),
        at_risk=tuple(_payment(row) for row in payments.newest(AT_RISK, limit=latest)),
        payments=tuple(_payment(row) for row in payments.newest(limit=latest)),
        sales=tuple(
            {**_row_fields(row), **pick_fields(row, "version gas")} for row in SaleList(ledger).newest(limit=latest)
        ),
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
    more = {"charged_until": _moment(row.valid_before), "answered": bool(row.answer)}
    return {**_row_fields(row), **pick_fields(row, _PAYMENT), **more}


def _row_fields(row: PaymentRow | SaleRow) -> dict[str, Any]:
    return {
        **pick_fields(row, _BOTH),
        # As text: a number of that size is rounded by whoever reads JSON into floats.
        "units": str(row.units),
        "shown": units_text(row.units, row.decimals),
        # Without its 0x, with which it would look like a private key and be hidden.
        "transaction": row.transaction_hash.removeprefix("0x"),
    }


def _moment(seconds: int) -> str:
    """Return a moment as text; nothing for none, and for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


def standings_data(promotion: Promotion) -> dict[str, Any]:
    """Return how programs stand: who voted for each, what stands in its way, and what promotion needs."""
    needed = {"runs": promotion.settings.runs, "quorum": promotion.settings.quorum}
    found = [one.to_json() for one in promotion.standings()]
    return {"capabilities": found, "problems": list(promotion.problems()), "needed": needed}
