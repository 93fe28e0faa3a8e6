"""The wall: untrusted Python in a process the kernel confines, in about a millisecond."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.sandbox._box import GrantedSandbox, Sandbox, only_reading
    from mayfly.sandbox._call import Stream
    from mayfly.sandbox._doctor import Diagnosis, Layer, diagnose
    from mayfly.sandbox._imports import EPHEMERAL_IMPORTS, MEMO_IMPORTS
    from mayfly.sandbox._job import JobOptions, Ticket
    from mayfly.sandbox._purchases import PurchaseAnswer, PurchaseReply, PurchaseRequest, Purchases, Spender
    from mayfly.sandbox._result import Lane, Level, Result, Status

__all__ = [
    "EPHEMERAL_IMPORTS",
    "MEMO_IMPORTS",
    "Diagnosis",
    "GrantedSandbox",
    "JobOptions",
    "Lane",
    "Layer",
    "Level",
    "PurchaseAnswer",
    "PurchaseReply",
    "PurchaseRequest",
    "Purchases",
    "Result",
    "Sandbox",
    "Spender",
    "Status",
    "Stream",
    "Ticket",
    "diagnose",
    "only_reading",
]

__getattr__ = lazily(
    __name__,
    {
        "_box": "GrantedSandbox Sandbox only_reading",
        "_call": "Stream",
        "_doctor": "Diagnosis Layer diagnose",
        "_imports": "EPHEMERAL_IMPORTS MEMO_IMPORTS",
        "_job": "JobOptions Ticket",
        "_purchases": "PurchaseAnswer PurchaseReply PurchaseRequest Purchases Spender",
        "_result": "Lane Level Result Status",
    },
)
