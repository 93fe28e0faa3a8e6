"""The wall: untrusted Python in a process the kernel confines, in about a millisecond."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.sandbox._box import GrantedSandbox as GrantedSandbox
    from mayfly.sandbox._box import Sandbox as Sandbox
    from mayfly.sandbox._box import only_reading as only_reading
    from mayfly.sandbox._call import Stream as Stream
    from mayfly.sandbox._data import with_shared_memory as with_shared_memory
    from mayfly.sandbox._doctor import Diagnosis as Diagnosis
    from mayfly.sandbox._doctor import Layer as Layer
    from mayfly.sandbox._doctor import diagnose as diagnose
    from mayfly.sandbox._imports import EPHEMERAL_IMPORTS as EPHEMERAL_IMPORTS
    from mayfly.sandbox._imports import MEMO_IMPORTS as MEMO_IMPORTS
    from mayfly.sandbox._job import JobOptions as JobOptions
    from mayfly.sandbox._job import Ticket as Ticket
    from mayfly.sandbox._purchases import PurchaseAnswer as PurchaseAnswer
    from mayfly.sandbox._purchases import PurchaseReply as PurchaseReply
    from mayfly.sandbox._purchases import PurchaseRequest as PurchaseRequest
    from mayfly.sandbox._purchases import Purchases as Purchases
    from mayfly.sandbox._purchases import Spender as Spender
    from mayfly.sandbox._result import Lane as Lane
    from mayfly.sandbox._result import Level as Level
    from mayfly.sandbox._result import Result as Result
    from mayfly.sandbox._result import Status as Status

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
