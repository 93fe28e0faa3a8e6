"""Agents compiled on demand, proven before they fly.

The names below are loaded on first use, so that ``import mayfly`` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.core import (
        Artifact,
        Budget,
        Capability,
        Intent,
        Invocation,
        LimitError,
        MayflyError,
        NotSent,
        Order,
        Outcome,
        Proof,
        Settings,
        Verdict,
        limit,
    )
    from mayfly.library import Committed, capability
    from mayfly.policy import Kernel
    from mayfly.promise import Promise, State, result_of
    from mayfly.runtime import Runtime, jit
    from mayfly.sandbox import Result, Sandbox
    from mayfly.store import Event, Ledger

__version__ = "0.1.0.dev0"

__all__ = [
    "Artifact",
    "Budget",
    "Capability",
    "Committed",
    "Event",
    "Intent",
    "Invocation",
    "Kernel",
    "Ledger",
    "LimitError",
    "MayflyError",
    "NotSent",
    "Order",
    "Outcome",
    "Promise",
    "Proof",
    "Result",
    "Runtime",
    "Sandbox",
    "Settings",
    "State",
    "Verdict",
    "__version__",
    "capability",
    "jit",
    "limit",
    "result_of",
]

_HOME = {
    **dict.fromkeys(
        ("Artifact", "Budget", "Capability", "Intent", "LimitError", "MayflyError", "Outcome", "Proof", "Settings"),
        "mayfly.core",
    ),
    **dict.fromkeys(("Invocation", "NotSent", "Order", "Verdict", "limit"), "mayfly.core"),
    **dict.fromkeys(("Committed", "capability"), "mayfly.library"),
    "Kernel": "mayfly.policy",
    **dict.fromkeys(("Promise", "State", "result_of"), "mayfly.promise"),
    **dict.fromkeys(("Runtime", "jit"), "mayfly.runtime"),
    **dict.fromkeys(("Result", "Sandbox"), "mayfly.sandbox"),
    **dict.fromkeys(("Event", "Ledger"), "mayfly.store"),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
