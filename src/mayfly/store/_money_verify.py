"""Count the rows of money and the strategies anew from the events, and compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from mayfly.core import MayflyError
from mayfly.store._database import Connection, Row
from mayfly.store._money import MoneyTable
from mayfly.store._money_moves import MONEY_TABLES
from mayfly.store._payload import decode
from mayfly.store._rows import StoredEvent
from mayfly.store._strategies import COLUMNS, NAMED, is_ours, strategy_in

# Rows fetched at a time.
_PAGE = 5000


class MoneyRecount:
    """Fold the events of all money as they are read; `compare` says what a row has that they do not say."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Any]] = {table.name: {} for table in MONEY_TABLES}
        self._strategies: dict[str, Row] = {}
        self._wrong = ""

    def take(self, row: Row) -> None:
        """Count one row of the table of events."""
        for table in MONEY_TABLES:
            if table.moves(row[3]):
                self._fold(table, StoredEvent(*row))
        if row[3] == NAMED:
            event = StoredEvent(*row)
            named = strategy_in(event, decode(event.payload, id=event.id))
            self._strategies.setdefault(named[0], named)

    def _fold(self, table: MoneyTable[Any], event: StoredEvent) -> None:
        rows, id = self._rows[table.name], table.id_of(event.subject)
        try:
            rows[id] = table.fold(rows.get(id), event, decode(event.payload, id=event.id))
        except MayflyError as error:
            self._wrong = self._wrong or f"event {event.id} cannot have been appended: {error.message}"

    def compare(self, connection: Connection) -> str:
        """Return the first thing that is not as the events say, nothing where all is."""
        if self._wrong:
            return self._wrong
        for table in MONEY_TABLES:
            if wrong := _differing(connection, table, self._rows[table.name]):
                return wrong
        return self._compare_strategies(connection)

    def _compare_strategies(self, connection: Connection) -> str:
        if not is_ours(connection):
            return ""
        told = {row[0]: tuple(row) for row in connection.run(f"SELECT {COLUMNS} FROM strategies")}
        for name in sorted(told.keys() | self._strategies.keys()):
            if told.get(name) != self._strategies.get(name):
                return f"the strategy {name} is not what its event says"
        return ""


def _differing(connection: Connection, table: MoneyTable[Any], wanted: dict[str, Any]) -> str:
    left = dict(wanted)
    for row in _pages(connection, table):
        counted = left.pop(row[0], None)
        if counted is None:
            return f"the row of {table.noun} {row[0]} was inserted: no event is about it"
        for name, told, value in zip(table.columns.split(", "), row, astuple(counted), strict=True):
            if told != value:
                return f"the row of {table.noun} {row[0]} says {name} {told!r}, its events {value!r}"
    return f"the row of {table.noun} {next(iter(left))} is missing" if left else ""


def _pages(connection: Connection, table: MoneyTable[Any]) -> Iterator[Row]:
    after: object = ""
    query = f"SELECT {table.columns} FROM {table.name} WHERE id > ? ORDER BY id LIMIT {_PAGE}"
    while rows := connection.run(query, [after]):
        yield from rows
        after = rows[-1][0]
