"""Fill the tables that agents made for their money: copies in dollars for their own queries, never the truth.

An agent makes them through schema extension: `agent_x402_transactions` (service_url, amount_usd, tx_hash, status,
created_at), one row a payment, also one that failed; and `agent_strategy_pnl` (strategy, and what it wants of
revenue_usd, cost_usd, pnl_usd, at_risk_usd, network, asset), one row a strategy. Other columns are the agent's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import InputError, MayflyError, Settings, address_key, one_line
from mayfly.store._database import Connection
from mayfly.store._money_list import MoneySum, money_sums
from mayfly.store.schema._agent_schema import AgentSchema

if TYPE_CHECKING:
    from mayfly.store._ledger import Ledger

TRANSACTIONS = "agent_x402_transactions"
STRATEGY_PNL = "agent_strategy_pnl"
# What document 002's numeric(18, 8) holds: eight places, and ten digits before them.
_PLACES = Decimal("1e-8")
_TOO_LARGE = Decimal(10) ** 10
# By what each database tells two rows apart that look the same.
_ROW_IDS = {"sqlite": "rowid", "postgres": "ctid"}
_PAID = "SELECT url, units, decimals, transaction_hash, state, at FROM mayfly_payments ORDER BY at, id"
# In which column a payment counts; the others cost nothing and are not at risk.
_COLUMNS = {
    "sent": "at_risk_usd",
    "unknown": "at_risk_usd",
    "settled": "cost_usd",
    "delivered": "cost_usd",
    "disputed": "cost_usd",
}


@dataclass(frozen=True, kw_only=True)
class FilledTables:
    """How many rows of the agent's tables were written or changed, and what could not be, in words."""

    transactions: int = 0
    strategies: int = 0
    problems: tuple[str, ...] = ()


class _Transaction(NamedTuple):
    """One payment as the agent's table has it."""

    url: str
    dollars: Decimal
    hash: str | None
    status: str
    at: str


def fill_agent_tables(ledger: Ledger, settings: Settings) -> FilledTables:
    """Bring the agent's tables up to date, those that there are; doing it again changes nothing.

    A table that does not fit is named and left as it is: what an agent made is no reason to stop.
    """
    schema = AgentSchema(ledger, settings)
    try:
        return fill_money_tables(schema)
    finally:
        schema.close()


def fill_money_tables(schema: AgentSchema) -> FilledTables:
    """Do the same through a schema that is open: before an agent reads, so that it reads what the ledger knows."""
    there, problems, written = schema.tables(), list[str](), [0, 0]
    for place, (table, fill) in enumerate(((TRANSACTIONS, _fill_transactions), (STRATEGY_PNL, _fill_strategies))):
        try:
            written[place] = fill(schema, problems) if table in there else 0
        except MayflyError as error:
            problems.append(f"{table} is not filled: {one_line(error.message, limit=300)}")
    return FilledTables(transactions=written[0], strategies=written[1], problems=tuple(problems))


def dollars_of(units: int, decimals: int) -> Decimal:
    """Return an amount of a token that stands for dollars as a decimal of eight places."""
    return Decimal(units).scaleb(-decimals).quantize(_PLACES)


def _fill_transactions(schema: AgentSchema, problems: list[str]) -> int:
    # In another database the payments are read before: nobody may wait for one store while he holds the other.
    given: list[tuple[Any, ...]] | None = None
    if not schema.beside_ledger:
        with schema.ledger._reading() as connection:
            given = connection.run(_PAID)
    with schema.filling() as connection:
        paid = connection.run(_PAID) if given is None else given
        wanted = [
            _Transaction(url, dollars_of(units, decimals), hash or None, state, at)
            for url, units, decimals, hash, state, at in paid
        ]
        fitting = [one for one in wanted if one.dollars < _TOO_LARGE]
        changed = _write_transactions(connection, _ROW_IDS[schema.dialect], fitting)
    if len(fitting) < len(wanted):
        problems.append(f"{TRANSACTIONS}: {len(wanted) - len(fitting)} payments are too large for numeric(18, 8)")
    return changed


def _write_transactions(connection: Connection, row_id: str, wanted: Sequence[_Transaction]) -> int:
    """Insert what is missing and change what has moved on; rows of somebody else's stay as they are."""
    query = f"SELECT {row_id}, service_url, created_at, tx_hash, status FROM {TRANSACTIONS}"
    there: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
    for id, url, at, hash, status in connection.run(query):
        there[str(url), _moment(at)].append((id, hash, status))
    changed = 0
    for one in wanted:
        same = there[one.url, _moment(one.at)]
        found = next((row for row in same if row[1:] == (one.hash, one.status)), None) or next(iter(same), None)
        if found is None:
            _insert(connection, one)
        else:
            same.remove(found)
            if found[1:] == (one.hash, one.status):
                continue
            update = f"UPDATE {TRANSACTIONS} SET tx_hash = ?, status = ? WHERE {row_id} = ?"
            connection.run(update, [one.hash, one.status, found[0]])
        changed += 1
    return changed


def _insert(connection: Connection, one: _Transaction) -> None:
    columns = "service_url, amount_usd, tx_hash, status, created_at"
    values = [one.url, str(one.dollars), one.hash, one.status, one.at]
    insert = f"INSERT INTO {TRANSACTIONS} ({columns}) VALUES (?, ?, ?, ?, ?) RETURNING service_url, created_at"
    url, at = connection.run(insert, values)[0]
    # It is found again by these two: a column that does not keep them would get the same payment each time.
    if (str(url), _moment(at)) != (one.url, _moment(one.at)):
        raise InputError("service_url or created_at does not keep what is written to it")


def _moment(value: object) -> str:
    """Return a time as text, whatever the column makes of it; one without a zone is in UTC."""
    try:
        at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def _fill_strategies(schema: AgentSchema, problems: list[str]) -> int:
    found = _by_strategy(money_sums(schema.ledger, "strategy"))
    with schema.filling() as connection:
        about = connection.database.send(connection.driver, f"SELECT * FROM {STRATEGY_PNL} LIMIT 0").description
        columns = [str(column[0]) for column in about]
        if "strategy" not in columns:
            raise InputError("it has no column strategy")
        apart = [name for name in ("network", "asset") if name in columns]
        if len(apart) < 2 and len({place[1:] for place in found}) > 1:
            raise InputError("several assets are not added together: give it the columns network and asset")
        rows = {place: _known(place, sums, columns) for place, sums in found.items()}
        return sum(_put(connection, {"strategy": place[0], **row}, apart) for place, row in rows.items())


_Place = tuple[str, str, str]


def _by_strategy(sums: Iterable[MoneySum]) -> dict[_Place, dict[str, Decimal]]:
    """Return what each strategy comes to in each asset, in dollars."""
    found: dict[_Place, dict[str, Decimal]] = {}
    for one in sums:
        if not one.key:
            continue
        row = found.setdefault((one.key, one.network, one.asset), defaultdict(Decimal))
        column = _COLUMNS.get(one.state) if one.side == "payment" else {"settled": "revenue_usd"}.get(one.state)
        if column:
            row[column] += dollars_of(one.units, one.decimals)
    return found


def _known(place: _Place, sums: Mapping[str, Decimal], columns: Sequence[str]) -> dict[str, str]:
    """Return those of the values that the table has columns for."""
    revenue, cost = sums.get("revenue_usd", Decimal()), sums.get("cost_usd", Decimal())
    values = {
        "network": place[1],
        # As the rows have it that are there already: they are found by it.
        "asset": address_key(place[2]),
        "revenue_usd": str(revenue),
        "cost_usd": str(cost),
        "pnl_usd": str(revenue - cost),
        "at_risk_usd": str(sums.get("at_risk_usd", Decimal())),
    }
    return {name: value for name, value in values.items() if name in columns}


def _put(connection: Connection, row: Mapping[str, str], apart: Sequence[str]) -> int:
    """Insert the row of a strategy, or change it where its sums have changed."""
    keys = ["strategy", *apart]
    where = " AND ".join(f"{name} = ?" for name in keys)
    values = [row[name] for name in keys]
    sums = [name for name in row if name not in keys]
    there = connection.run(f"SELECT {', '.join(sums) or '1'} FROM {STRATEGY_PNL} WHERE {where}", values)
    if not there:
        marks = ", ".join("?" * len(row))
        connection.run(f"INSERT INTO {STRATEGY_PNL} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        return 1
    if not sums or all(float(told) == float(row[name]) for name, told in zip(sums, there[0], strict=True)):
        return 0
    changes = ", ".join(f"{name} = ?" for name in sums)
    connection.run(f"UPDATE {STRATEGY_PNL} SET {changes} WHERE {where}", [*(row[name] for name in sums), *values])
    return 1
