"""The ledger: append-only truth in SQLite or PostgreSQL, held append-only by the database itself.

Importing this package loads no database library; `Ledger` does, on first use. So any package may declare the events
it writes with `event` and stay cheap to import.
"""

from typing import TYPE_CHECKING

from mayfly.store._events import JSON, Event, Payload, event
from mayfly.store._kinds import DoctorAttacked, SandboxRan, StoreMigrated

if TYPE_CHECKING:
    from mayfly.store._ledger import Ledger

__all__ = [
    "JSON",
    "DoctorAttacked",
    "Event",
    "Ledger",
    "Payload",
    "SandboxRan",
    "StoreMigrated",
    "event",
]


def __getattr__(name: str) -> object:
    if name != "Ledger":
        raise AttributeError(f"module 'mayfly.store' has no attribute {name!r}")
    from mayfly.store._ledger import Ledger

    return Ledger


def __dir__() -> list[str]:
    return sorted(__all__)
