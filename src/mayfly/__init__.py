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
        LimitError,
        MayflyError,
        Outcome,
        Proof,
        Settings,
        Verdict,
        limit,
    )
    from mayfly.library import Builtin, Committed, Invocation, NotSent
    from mayfly.policy import Kernel
    from mayfly.promise import Promise, Service, State
    from mayfly.runtime import Runtime, jit
    from mayfly.sandbox import Result, Sandbox
    from mayfly.store import Event, Ledger

__version__ = "0.1.0.dev0"

__all__ = [
    "Artifact",
    "Budget",
    "Builtin",
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
    "Outcome",
    "Promise",
    "Proof",
    "Result",
    "Runtime",
    "Sandbox",
    "Service",
    "Settings",
    "State",
    "Verdict",
    "__version__",
    "jit",
    "limit",
]

_HOME = {
    **dict.fromkeys(
        ("Artifact", "Budget", "Capability", "Intent", "LimitError", "MayflyError", "Outcome", "Proof", "Settings"),
        "mayfly.core",
    ),
    **dict.fromkeys(("Verdict", "limit"), "mayfly.core"),
    **dict.fromkeys(("Builtin", "Committed", "Invocation", "NotSent"), "mayfly.library"),
    "Kernel": "mayfly.policy",
    **dict.fromkeys(("Promise", "Service", "State"), "mayfly.promise"),
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
