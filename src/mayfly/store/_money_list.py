"""What lists of payments and of sales have in common: look up, page through, and move a row by one event."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Generic

from mayfly.core import InputError, StoreError
from mayfly.store._append import append_events
from mayfly.store._database import Connection
from mayfly.store._events import Event, Payload, checked
from mayfly.store._ledger import Ledger
from mayfly.store._money import MoneyTable, R

# Rows of a page; a row is a kilobyte or two.
PAGE = 100


class MoneyList(Generic[R]):
    """Read and move the rows of one table; nothing is kept, so it is always what any process wrote last."""

    def __init__(self, ledger: Ledger, table: MoneyTable[R]) -> None:
        self._ledger = ledger
        self._table = table

    def _get(self, id: str) -> R | None:
        with self._ledger._reading() as connection:
            return self._table.get(connection, id)

    def _page(self, states: Collection[str], after: str, limit: int) -> list[R]:
        if isinstance(states, str):
            raise InputError("several states are asked for at once", fix=f"write ({states!r},)")
        where, values = "id > ?", list[object]([after])
        if states:
            where += f" AND state IN ({', '.join('?' * len(states))})"
            values += states
        query = f"SELECT {self._table.columns} FROM {self._table.name} WHERE {where} ORDER BY id LIMIT ?"
        with self._ledger._reading() as connection:
            return [self._table.to_row(row) for row in connection.run(query, [*values, max(0, limit)])]

    def _event(self, payload: Payload, id: str) -> Event:
        """Return the event that moves a row, checked."""
        with self._ledger._database.translated():  # the first one reads what secrets look like
            event = checked(payload, self._table.subject(id))
        if not self._table.moves(event.kind):
            raise InputError(f"{event.kind} does not move a {self._table.noun}")
        return event

    def _move(self, id: str, payload: Payload) -> R:
        event = self._event(payload, id)
        with self._ledger._writing() as connection:
            recorded = append_events(connection, [event], fence=self._ledger.fence)
            row = self._written(connection, id)
        self._announce(recorded)
        return row

    def _written(self, connection: Connection, id: str) -> R:
        row = self._table.get(connection, id)
        if row is None:  # a trigger of somebody else's took it away
            raise StoreError(f"{self._table.noun} {id} was not written")
        return row

    def _announce(self, recorded: Sequence[Event]) -> None:
        self._ledger._announce(list(recorded))
