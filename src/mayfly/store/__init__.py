"""The ledger: append-only truth in SQLite or PostgreSQL, held append-only by the database itself.

Importing this package loads no database library; `Ledger` and `Cache` do, on first use. So any package may declare the
events it writes with `event` and stay cheap to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from mayfly.store._events import JSON, Event, Payload, event
from mayfly.store._kinds import DoctorAttacked, SandboxRan, StoreMigrated
from mayfly.store._payload import as_payload
from mayfly.store._seal import Seal
from mayfly.store._sealed import SealedFiles
from mayfly.store._switch import Killed, KillSwitch, KillSwitched, Switch

if TYPE_CHECKING:
    from mayfly.store._cache import Cache, Cached
    from mayfly.store._claim import Claim
    from mayfly.store._ledger import Ledger

__all__ = [
    "JSON",
    "Cache",
    "Cached",
    "Claim",
    "DoctorAttacked",
    "Event",
    "KillSwitch",
    "KillSwitched",
    "Killed",
    "Ledger",
    "Payload",
    "SandboxRan",
    "Seal",
    "SealedFiles",
    "StoreMigrated",
    "Switch",
    "as_payload",
    "event",
]


def __getattr__(name: str) -> object:
    home = {"Ledger": "_ledger", "Cache": "_cache", "Cached": "_cache", "Claim": "_claim"}
    if name not in home:
        raise AttributeError(f"module 'mayfly.store' has no attribute {name!r}")
    return getattr(import_module(f"mayfly.store.{home[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
