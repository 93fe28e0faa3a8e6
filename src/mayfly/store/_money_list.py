"""What lists of payments and of sales have in common: look up, page through, and move a row by one event."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Generic

from mayfly.core import InputError, StoreError
from mayfly.store._append import append_events
from mayfly.store._database import Connection
from mayfly.store._events import Event, Payload, checked
from mayfly.store._ledger import Ledger
from mayfly.store._money import MoneyTable, R, shown_row

# Rows of a page; a row is a kilobyte or two.
PAGE = 100


class MoneyList(Generic[R]):
    """Read and move the rows of one table; nothing is kept, so it is always what any process wrote last."""

    def __init__(self, ledger: Ledger, table: MoneyTable[R]) -> None:
        self._ledger = ledger
        self._table = table

    def newest(self, states: Collection[str] = (), *, limit: int = PAGE) -> list[R]:
        """Return rows that stand so, those that moved last first."""
        where, values = _standing(states)
        return self._rows(f"WHERE {where} ORDER BY changed DESC, id DESC", values, limit)

    def _get(self, id: str) -> R | None:
        with self._ledger._reading() as connection:
            row = self._table.get(connection, id)
            return None if row is None else shown_row(row)

    def _page(self, states: Collection[str], after: str, limit: int) -> list[R]:
        where, values = _standing(states)
        return self._rows(f"WHERE {where} AND id > ? ORDER BY id", [*values, after], limit)

    def _rows(self, where: str, values: list[object], limit: int) -> list[R]:
        query = f"SELECT {self._table.columns} FROM {self._table.name} {where} LIMIT ?"
        with self._ledger._reading() as connection:
            return [shown_row(self._table.to_row(row)) for row in connection.run(query, [*values, max(0, limit)])]

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
        return shown_row(row)

    def _announce(self, recorded: Sequence[Event]) -> None:
        self._ledger._announce(list(recorded))


def _standing(states: Collection[str]) -> tuple[str, list[object]]:
    """Return the condition that rows have one of *states*, all where none is named, and its values."""
    if isinstance(states, str):
        raise InputError("several states are asked for at once", fix=f"write ({states!r},)")
    return (f"state IN ({', '.join('?' * len(states))})", list(states)) if states else ("1 = 1", [])
