"""Sums of money by what somebody asks for: one snapshot of payments and sales, added up by the database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from mayfly.core import InputError, with_checksums
from mayfly.store._database import Connection
from mayfly.store._ledger import Ledger
from mayfly.store._money import SUM_OF_UNITS, joined

SumBy = Literal["total", "tool", "strategy", "host", "day"]
# What tells rows apart: of payments, and of sales, which have no host but our own. A day is that of the first event.
_DAY = "substr(at, 1, 10)"
_NONE = "CAST('' AS text)"
_KEYS: dict[SumBy, tuple[str, str]] = {
    "total": (_NONE, _NONE),
    "tool": ("tool", "tool"),
    "strategy": ("strategy", "strategy"),
    "host": ("host", _NONE),
    "day": (_DAY, _DAY),
}
SUMS_BY = tuple(_KEYS)


class MoneySum(NamedTuple):
    """What the payments or the sales of one key and one asset add up to that stand at one state."""

    side: Literal["payment", "sale"]
    key: str
    network: str
    asset: str
    decimals: int
    state: str
    rows: int
    units: int
    gas: int = 0


def money_sums(ledger: Ledger, by: SumBy = "total") -> list[MoneySum]:
    """Add up all payments and sales as they are at one moment."""
    if by not in _KEYS:
        raise InputError(f"money is not added up by {str(by)[:40]!r}", fix=f"by is one of {', '.join(_KEYS)}")
    payments, sales = _KEYS[by]
    with ledger._snapshot() as connection:
        bought = _grouped(connection, "mayfly_payments", payments)
        sold = _grouped(connection, "mayfly_sales", sales)
        gas = _gas(connection, sales)
    found = [MoneySum("payment", *_shown(group), *amounts) for group, amounts in bought]
    return found + [MoneySum("sale", *_shown(group), *amounts, gas.get(group, 0)) for group, amounts in sold]


_Group = tuple[str, str, str, int, str]


def _grouped(connection: Connection, table: str, key: str) -> Iterator[tuple[_Group, tuple[int, int]]]:
    query = f"""
    SELECT {key}, network, asset, decimals, state, count(*), {SUM_OF_UNITS} FROM {table} GROUP BY 1, 2, 3, 4, 5
    """
    rows = connection.run(query)
    return (((row[0], row[1], row[2], row[3], row[4]), (int(row[5]), joined(row[6], row[7]))) for row in rows)


def _shown(group: _Group) -> _Group:
    """Return a group with the address of its asset as it is shown."""
    return (*group[:2], with_checksums(group[2]), *group[3:])


def _gas(connection: Connection, key: str) -> dict[_Group, int]:
    """Add up what settling cost; amounts in wei are texts, as they may have more than 64 bits."""
    query = f"SELECT {key}, network, asset, decimals, state, gas FROM mayfly_sales WHERE gas <> ''"
    found: dict[_Group, int] = {}
    for *group, gas in connection.run(query):
        key_of = (group[0], group[1], group[2], group[3], group[4])
        found[key_of] = found.get(key_of, 0) + int(gas)
    return found
