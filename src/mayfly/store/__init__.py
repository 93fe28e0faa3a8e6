"""The ledger: append-only truth in SQLite or PostgreSQL, held append-only by the database itself.

Importing this package loads no database library; `Ledger` and `Cache` do, on first use. So any package may declare the
events it writes with `event` and stay cheap to import.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.store._cache import Cache, Cached
    from mayfly.store._claim import Claim
    from mayfly.store._events import JSON, Event, Payload, event
    from mayfly.store._kinds import DoctorAttacked, SandboxRan, StoreMigrated
    from mayfly.store._ledger import Ledger
    from mayfly.store._payload import as_payload
    from mayfly.store._seal import Seal
    from mayfly.store._sealed import SealedFiles
    from mayfly.store._switch import Killed, KillSwitch, KillSwitched, Switch

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

__getattr__ = lazily(
    __name__,
    {
        "_cache": "Cache Cached",
        "_claim": "Claim",
        "_events": "JSON Event Payload event",
        "_kinds": "DoctorAttacked SandboxRan StoreMigrated",
        "_ledger": "Ledger",
        "_payload": "as_payload",
        "_seal": "Seal",
        "_sealed": "SealedFiles",
        "_switch": "Killed KillSwitch KillSwitched Switch",
    },
)
