"""The tables of money there are, and which of them an event moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mayfly.store._database import Connection
from mayfly.store._money import MoneyTable
from mayfly.store._payments import PAYMENTS
from mayfly.store._rows import StoredEvent
from mayfly.store._sales import SALES
from mayfly.store._strategies import NAMED, add_strategy

MONEY_TABLES: tuple[MoneyTable[Any], ...] = (PAYMENTS, SALES)


def move_money(connection: Connection, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    """Write what an event makes of the row it is about."""
    for table in MONEY_TABLES:
        if table.moves(event.kind):
            table.move(connection, event, payload)
    if event.kind == NAMED:
        add_strategy(connection, event, payload)
