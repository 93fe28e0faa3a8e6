"""Profit and loss: what was earned and what was spent, out of the rows that every append of money keeps up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mayfly.core import units_text

if TYPE_CHECKING:
    from mayfly.store import Ledger, MoneySum, SumBy

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

    def fields(self) -> dict[str, object]:
        """Return everything as data: whole numbers, and beside them what people read."""
        return {**vars(self), "profit": self.profit, "shown": self.shown()}


@dataclass(frozen=True, kw_only=True)
class ProfitAndLoss:
    """Rows by key, and what they come to for each asset."""

    by: SumBy
    rows: tuple[ProfitRow, ...] = ()
    totals: tuple[ProfitRow, ...] = field(default=())

    def fields(self) -> dict[str, object]:
        """Return everything as data."""
        return {
            "by": self.by,
            "rows": [row.fields() for row in self.rows],
            "totals": [row.fields() for row in self.totals],
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
