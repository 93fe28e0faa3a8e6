"""The ledger: append-only truth in SQLite or PostgreSQL, held append-only by the database itself.

Importing this package loads no database library; `Ledger` and `Cache` do, on first use. So any package may declare the
events it writes with `event` and stay cheap to import.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.store._archive import Archived as Archived
    from mayfly.store._cache import Cache as Cache
    from mayfly.store._cache import Cached as Cached
    from mayfly.store._claim import Claim as Claim
    from mayfly.store._claim import Fence as Fence
    from mayfly.store._events import JSON as JSON
    from mayfly.store._events import Event as Event
    from mayfly.store._events import Payload as Payload
    from mayfly.store._events import as_payload as as_payload
    from mayfly.store._events import event as event
    from mayfly.store._kinds import DoctorAttacked as DoctorAttacked
    from mayfly.store._kinds import SandboxRan as SandboxRan
    from mayfly.store._kinds import StoreMigrated as StoreMigrated
    from mayfly.store._ledger import Ledger as Ledger
    from mayfly.store._money import PaymentRow as PaymentRow
    from mayfly.store._money import SaleRow as SaleRow
    from mayfly.store._money_list import SUMS_BY as SUMS_BY
    from mayfly.store._money_list import Cap as Cap
    from mayfly.store._money_list import ClaimedSale as ClaimedSale
    from mayfly.store._money_list import MoneySum as MoneySum
    from mayfly.store._money_list import PaymentList as PaymentList
    from mayfly.store._money_list import SaleList as SaleList
    from mayfly.store._money_list import SumBy as SumBy
    from mayfly.store._money_list import check_strategy as check_strategy
    from mayfly.store._money_list import money_sums as money_sums
    from mayfly.store._money_list import name_strategy as name_strategy
    from mayfly.store._runs import RunRow as RunRow
    from mayfly.store._seal import Seal as Seal
    from mayfly.store._seal import SealedFiles as SealedFiles
    from mayfly.store._switch import Killed as Killed
    from mayfly.store._switch import KillSwitch as KillSwitch
    from mayfly.store._switch import KillSwitched as KillSwitched
    from mayfly.store._switch import Switch as Switch
    from mayfly.store._telemetry import Telemetry as Telemetry
    from mayfly.store._tool_list import ServedTool as ServedTool
    from mayfly.store._tool_list import ToolList as ToolList
    from mayfly.store._tools import ToolRow as ToolRow
    from mayfly.store._tools import ToolVersionRow as ToolVersionRow
    from mayfly.store._verify import Verified as Verified

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
