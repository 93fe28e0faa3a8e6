"""The ledger: append-only truth in SQLite or PostgreSQL, held append-only by the database itself.

Importing this package loads no database library; `Ledger` and `Cache` do, on first use. So any package may declare the
events it writes with `event` and stay cheap to import.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.store._archive import Archived
    from mayfly.store._cache import Cache, Cached
    from mayfly.store._claim import Claim, Fence
    from mayfly.store._events import JSON, Event, Payload, as_payload, event
    from mayfly.store._kinds import (
        DoctorAttacked,
        SandboxRan,
        StoreMigrated,
    )
    from mayfly.store._ledger import Ledger
    from mayfly.store._money import PaymentRow, SaleRow
    from mayfly.store._money_list import (
        SUMS_BY,
        Cap,
        ClaimedSale,
        MoneySum,
        PaymentList,
        SaleList,
        SumBy,
        check_strategy,
        money_sums,
        name_strategy,
    )
    from mayfly.store._runs import RunRow
    from mayfly.store._seal import Seal, SealedFiles
    from mayfly.store._switch import Killed, KillSwitch, KillSwitched, Switch
    from mayfly.store._telemetry import Telemetry
    from mayfly.store._tool_list import Served, ToolList
    from mayfly.store._tools import ToolRow, ToolVersionRow
    from mayfly.store._verify import Verified

__all__ = [
    "JSON",
    "SUMS_BY",
    "Archived",
    "Cache",
    "Cached",
    "Cap",
    "Claim",
    "ClaimedSale",
    "DoctorAttacked",
    "Event",
    "Fence",
    "KillSwitch",
    "KillSwitched",
    "Killed",
    "Ledger",
    "MoneySum",
    "Payload",
    "PaymentList",
    "PaymentRow",
    "RunRow",
    "SaleList",
    "SaleRow",
    "SandboxRan",
    "Seal",
    "SealedFiles",
    "Served",
    "StoreMigrated",
    "SumBy",
    "Switch",
    "Telemetry",
    "ToolList",
    "ToolRow",
    "ToolVersionRow",
    "Verified",
    "as_payload",
    "check_strategy",
    "event",
    "money_sums",
    "name_strategy",
]

__getattr__ = lazily(
    __name__,
    {
        "_archive": "Archived",
        "_cache": "Cache Cached",
        "_claim": "Claim Fence",
        "_events": "JSON Event Payload as_payload event",
        "_kinds": "DoctorAttacked SandboxRan StoreMigrated",
        "_ledger": "Ledger",
        "_money": "PaymentRow SaleRow",
        "_money_list": (
            "Cap ClaimedSale MoneySum PaymentList SUMS_BY SaleList SumBy check_strategy money_sums name_strategy"
        ),
        "_runs": "RunRow",
        "_seal": "Seal SealedFiles",
        "_switch": "Killed KillSwitch KillSwitched Switch",
        "_telemetry": "Telemetry",
        "_tool_list": "Served ToolList",
        "_tools": "ToolRow ToolVersionRow",
        "_verify": "Verified",
    },
)
