"""Payments and sales as the ledger has them: looked up, reserved within caps or claimed once, moved, and added up."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from mayfly.core import (
    ConflictError,
    InputError,
    LimitError,
    StoreError,
    address_key,
    shown,
    with_checksums,
    without_secrets,
)
from mayfly.store._append import append_events
from mayfly.store._database import Connection, where
from mayfly.store._events import Event, Payload, checked
from mayfly.store._kinds import StrategyNamed
from mayfly.store._ledger import Ledger
from mayfly.store._money import ADDRESSES, NAMED, PAYMENTS, SALES, STRATEGY, MoneyRow, PaymentRow, SaleRow, whole
from mayfly.store._projection import Projection
from mayfly.store._rows import EVENTS, StoredEvent, newest

# Rows of a page; a row is a kilobyte or two.
PAGE = 100
# Amounts of 64 bits, added up, do not fit the 64 bits that SQLite adds in: their halves do, and are joined in Python.
_HALF = 2**32
_SUM_OF_UNITS = f"sum(units / {_HALF}), sum(units - units / {_HALF} * {_HALF})"
# What a person types and a column of any width in use holds.
_STRATEGY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_LONGEST_NOTE = 500

M = TypeVar("M", bound=MoneyRow)
# Looks for a row, and raises where the event may not follow it.
Look: TypeAlias = Callable[[Connection, Mapping[str, Any]], M | None]


class MoneyList(Generic[M]):
    """Read and move the rows of one table; nothing is kept, so it is always what any process wrote last."""

    table: Projection[M]
    # What the event that makes a row does.
    verb: str

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @property
    def _noun(self) -> str:
        return self.table.label.partition(" ")[0]

    def get(self, id: str) -> M | None:
        """Return one row, None where there is none."""
        with self._ledger._reading() as connection:
            return self._found(connection, "id = ?", [id])

    def newest(self, states: Collection[str] = (), *, limit: int = PAGE) -> list[M]:
        """Return rows that stand so, those that moved last first."""
        chosen, values = where(_standing(states))
        return self._rows(f"{chosen} ORDER BY changed DESC, id DESC", values, limit)

    def each(self, states: Collection[str] = ()) -> Iterator[M]:
        """Yield rows that stand so in the order of their ids, a page at a time."""
        after = ""
        while True:
            chosen, values = where(_standing(states), ("id > ?", after))
            page = self._rows(f"{chosen} ORDER BY id", values, PAGE)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id

    def move(self, id: str, payload: Payload) -> M:
        """Record one step and return the row it leaves; `ConflictError` where somebody was there before."""
        event = self._event(payload, id)
        with self._ledger._writing() as connection:
            recorded = append_events(connection, [event], fence=self._ledger.fence)
            row = self._written(connection, id)
        self._ledger._announce(recorded)
        return row

    def _begin(self, payload: Payload, id: str, look: Look[M]) -> tuple[M, bool]:
        """Record the event that makes a row, and the name of its strategy before it, unless *look* finds one.

        Nobody appends between the look and the event. Terms that cannot be kept are refused before anything is looked
        up. Return the row, and whether it was made now.
        """
        event = self._event(payload, id)
        if event.kind.partition(".")[2] not in (self.table.states or {})[""]:
            raise InputError(f"{event.kind} does not {self.verb}")
        stored = StoredEvent(0, "", "", event.kind, event.subject, "")
        self.table.folds[event.kind](self.table.blank(id), stored, event.payload)
        with self._ledger._writing() as connection:
            connection.lock(EVENTS)
            there = look(connection, event.payload)
            if there is not None:
                return there, False
            named = _naming(connection, str(event.payload["strategy"]))
            recorded = append_events(connection, [*named, event], fence=self._ledger.fence)
            row = self._written(connection, id)
        self._ledger._announce(recorded)
        return row, True

    def _rows(self, rest: str, values: list[object], limit: int) -> list[M]:
        with self._ledger._reading() as connection:
            rows = self.table.select(connection, f"{rest} LIMIT ?", [*values, max(0, limit)])
        return [_shown_row(row) for row in rows]

    def _found(self, connection: Connection, condition: str, values: list[object]) -> M | None:
        """Return the first row that fits; no row has what a database cannot hold."""
        if not all(value.isprintable() for value in values if isinstance(value, str)):
            return None
        rows = self.table.select(connection, f"WHERE {condition} LIMIT 1", values)
        return _shown_row(rows[0]) if rows else None

    def _event(self, payload: Payload, id: str) -> Event:
        """Return the event that moves a row, checked."""
        with self._ledger._database.translated():  # the first one reads what secrets look like
            event = checked(payload, f"{self._noun}:{id}", self._ledger.secrets.now())
        if event.kind not in self.table.folds:
            raise InputError(f"{event.kind} does not move a {self._noun}")
        return event

    def _written(self, connection: Connection, id: str) -> M:
        row = self.table.get(connection, id)
        if row is None:  # a trigger of somebody else's took it away
            raise StoreError(f"{self.table.label_of(id)} was not written")
        return _shown_row(row)


def _standing(states: Collection[str]) -> tuple[str, list[str]]:
    """Return the condition that rows have one of *states*, all where none is named."""
    if isinstance(states, str):
        raise InputError("several states are asked for at once", fix=f"write ({states!r},)")
    return "state IN ?", list(states)


def _shown_row(row: M) -> M:
    """Return a row with its addresses as they are shown; the table has them as they are found and compared."""
    spelled: dict[str, Any] = {name: with_checksums(getattr(row, name)) for name in ADDRESSES}
    return replace(row, **spelled)


@dataclass(frozen=True, kw_only=True)
class Cap:
    """So many units of one asset may be set aside at most, by one *agent* or by all, *since* a moment or ever.

    Everything that is not released counts, so what is unknown counts as spent. The moment is a text as in the ledger.
    """

    name: str
    units: int
    network: str
    asset: str
    since: str | None = None
    agent: str | None = None


class PaymentList(MoneyList[PaymentRow]):
    """Read and move the payments of a store."""

    table = PAYMENTS
    verb = "reserve"

    def payment_of_call(self, call: str) -> PaymentRow | None:
        """Return the live payment of a call, otherwise the newest one that was released, None where there is none."""
        with self._ledger._reading() as connection:
            return self._live(connection, call) or self._found(connection, "call = ? ORDER BY at DESC, id DESC", [call])

    def reserve(self, payload: Payload, id: str, caps: Sequence[Cap] = ()) -> PaymentRow:
        """Set money aside for a call, within every cap, or return the live payment that the call has already.

        Nobody appends in between, so that a cap holds exactly however many reserve at once. `LimitError` names the cap;
        `ConflictError` says that the call was made before with another request.
        """

        def look(connection: Connection, wanted: Mapping[str, Any]) -> PaymentRow | None:
            live = self._live(connection, str(wanted["call"]))
            if live is None:
                for cap in caps:
                    _check_cap(connection, cap, wanted)
            return None if live is None else _same_request(live, wanted)

        return self._begin(payload, id, look)[0]

    def _live(self, connection: Connection, call: str) -> PaymentRow | None:
        return self._found(connection, "call = ? AND state <> 'released'", [call])


def _same_request(live: PaymentRow, wanted: Mapping[str, Any]) -> PaymentRow:
    if live.request == wanted["request"]:
        return live
    raise ConflictError(
        f"call {live.call} was made before with another request (payment {live.id})",
        fix="give this request a call id of its own",
    )


def _check_cap(connection: Connection, cap: Cap, wanted: Mapping[str, Any]) -> None:
    """Refuse what would go over a cap; one that is about something else is a mistake, not a permission."""
    about = [(cap.network, "network"), (cap.asset, "asset"), (cap.agent, "agent")]
    for value, name in about:
        if value is not None and address_key(value) != address_key(wanted[name]):
            raise InputError(f"the cap {cap.name} is about another {name} than the payment")
    chosen, values = where(
        ("state <> 'released' AND network = ?", cap.network),
        ("asset = ?", address_key(cap.asset)),
        ("agent = ?", cap.agent),
        ("at >= ?", cap.since),
    )
    high, low = connection.run(f"SELECT {_SUM_OF_UNITS} FROM mayfly_payments {chosen}", values)[0]
    used = _join_halves(high, low) + whole(wanted, "units")
    if used > cap.units:
        raise LimitError(f"cap {cap.name}", used=used, limit=cap.units, fix="see: mayfly market pnl")


class ClaimedSale(NamedTuple):
    """The row of an authorization, and whether this call made it."""

    row: SaleRow
    fresh: bool


class SaleList(MoneyList[SaleRow]):
    """Read and move the sales of a store."""

    table = SALES
    verb = "claim"

    def sale_of(self, network: str, asset: str, payer: str, nonce: str) -> SaleRow | None:
        """Return the sale of an authorization, None where nobody has claimed it."""
        with self._ledger._reading() as connection:
            return self._of(connection, network, asset, payer, nonce)

    def claim_sale(self, payload: Payload, id: str) -> ClaimedSale:
        """Claim an authorization, or return the row of whoever did; of any number at once, one claims it."""

        def look(connection: Connection, wanted: Mapping[str, Any]) -> SaleRow | None:
            return self._of(connection, *(str(wanted[name]) for name in ("network", "asset", "payer", "nonce")))

        return ClaimedSale(*self._begin(payload, id, look))

    def _of(self, connection: Connection, network: str, asset: str, payer: str, nonce: str) -> SaleRow | None:
        bare = nonce.lower().removeprefix("0x")
        values: list[object] = [network, address_key(asset), address_key(payer), f"0x{bare}"]
        return self._found(connection, "network = ? AND asset = ? AND payer = ? AND nonce = ?", values)


def check_strategy(name: str) -> None:
    """Refuse what cannot name a strategy."""
    if not _STRATEGY_NAME.fullmatch(name) or without_secrets(name) != name:
        raise InputError(
            f"{shown(name, 60)} is no name of a strategy", fix="use up to 100 letters, digits, _, -, . and :"
        )


def name_strategy(ledger: Ledger, name: str, *, note: str = "") -> None:
    """Name a strategy on first use; later ones change nothing."""
    with ledger._writing() as connection:
        recorded = append_events(connection, _naming(connection, name, note), fence=ledger.fence)
    ledger._announce(recorded)


def _naming(connection: Connection, name: str, note: str = "") -> list[Event]:
    """Return the event that names a strategy, where nobody has; the others wait for this transaction."""
    if not name:
        return []
    check_strategy(name)
    connection.lock(EVENTS)
    subject = f"{STRATEGY}{name}"
    if connection.run(*newest(NAMED, [subject])):
        return []
    told = "".join(char if char.isprintable() else "?" for char in note)[:_LONGEST_NOTE]
    return [Event.of(StrategyNamed(note=without_secrets(told)), subject=subject)]


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
    SELECT {key}, network, asset, decimals, state, count(*), {_SUM_OF_UNITS} FROM {table} GROUP BY 1, 2, 3, 4, 5
    """
    rows = connection.run(query)
    return (((row[0], row[1], row[2], row[3], row[4]), (int(row[5]), _join_halves(row[6], row[7]))) for row in rows)


def _join_halves(high: object, low: object) -> int:
    """Return a sum of units of its two halves; there are none where there is no row."""
    return int(str(high or 0)) * _HALF + int(str(low or 0))


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
