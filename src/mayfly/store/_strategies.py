"""Names of strategies: tags on runs, purchases and sales, in a table that tables of agents may refer to.

The table follows from the events `strategy.named`. A database that an application shares may have a table of the same
name; that one is left alone, and the names are in the events only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, shown, without_secrets
from mayfly.store._database import Connection
from mayfly.store._events import Event
from mayfly.store._kinds import StrategyNamed
from mayfly.store._rows import EVENTS, StoredEvent, newest

if TYPE_CHECKING:
    from mayfly.store._ledger import Ledger

NAMED = "strategy.named"
COLUMNS = "name, note, at"
_SUBJECT = "strategy:"
# What a person types and a column of any width in use holds.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_LONGEST_NOTE = 500


def check_strategy(name: str) -> None:
    """Refuse what cannot name a strategy."""
    if not _NAME.fullmatch(name) or without_secrets(name) != name:
        raise InputError(
            f"{shown(name, 60)} is no name of a strategy", fix="use up to 100 letters, digits, _, -, . and :"
        )


def naming(connection: Connection, name: str, note: str = "") -> list[Event]:
    """Return the event that names a strategy, where nobody has; the others wait for this transaction."""
    if not name:
        return []
    check_strategy(name)
    connection.lock(EVENTS)
    subject = f"{_SUBJECT}{name}"
    if connection.run(*newest(NAMED, [subject])):
        return []
    told = "".join(char if char.isprintable() else "?" for char in note)[:_LONGEST_NOTE]
    return [Event.of(StrategyNamed(note=without_secrets(told)), subject=subject)]


def name_strategy(ledger: Ledger, name: str, *, note: str = "") -> None:
    """Name a strategy on first use; later ones change nothing."""
    from mayfly.store._append import append_events

    with ledger._writing() as connection:
        recorded = append_events(connection, naming(connection, name, note), fence=ledger.fence)
    ledger._announce(recorded)


def strategy_in(event: StoredEvent, payload: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the row that an event brings."""
    return event.subject.removeprefix(_SUBJECT), str(payload["note"]), event.at


def add_strategy(connection: Connection, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    """Write the row, where the table is ours."""
    row = strategy_in(event, payload)
    known = is_ours(connection) and connection.run("SELECT 1 FROM strategies WHERE name = ?", [row[0]])
    if known == []:
        connection.run(f"INSERT INTO strategies ({COLUMNS}) VALUES (?, ?, ?)", row)


def is_ours(connection: Connection) -> bool:
    """Whether the table of this name is the one that the migration made."""
    return bool(connection.value(connection.database.has_strategies))
