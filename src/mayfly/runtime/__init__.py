"""The runtime: the one place where sandbox, gates, forge, library, models and ledger are put together.

The names below are loaded on first use: a question to the rules does not load what writes and proves agents.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.runtime._agents import AgentKept, versions_of
    from mayfly.runtime._execute import Ran
    from mayfly.runtime._freeze import Frozen, freeze_module, write_module
    from mayfly.runtime._given import agree, compile_given, compile_now, verdicts_of
    from mayfly.runtime._jit import JitFunction, jit
    from mayfly.runtime._policy import Desk, Understood
    from mayfly.runtime._prove import Reproved, prove_again
    from mayfly.runtime._run import Runtime
    from mayfly.runtime._session import Session, open_approvals, state_of
    from mayfly.runtime._story import Observer
    from mayfly.runtime._task import Task

__all__ = [
    "AgentKept",
    "Desk",
    "Frozen",
    "JitFunction",
    "Observer",
    "Ran",
    "Reproved",
    "Runtime",
    "Session",
    "Task",
    "Understood",
    "agree",
    "compile_given",
    "compile_now",
    "freeze_module",
    "jit",
    "open_approvals",
    "prove_again",
    "state_of",
    "verdicts_of",
    "versions_of",
    "write_module",
]

_HOME = {
    "AgentKept": "mayfly.runtime._agents",
    "versions_of": "mayfly.runtime._agents",
    "Ran": "mayfly.runtime._execute",
    "Frozen": "mayfly.runtime._freeze",
    "freeze_module": "mayfly.runtime._freeze",
    "write_module": "mayfly.runtime._freeze",
    "agree": "mayfly.runtime._given",
    "compile_given": "mayfly.runtime._given",
    "compile_now": "mayfly.runtime._given",
    "verdicts_of": "mayfly.runtime._given",
    "JitFunction": "mayfly.runtime._jit",
    "jit": "mayfly.runtime._jit",
    "Desk": "mayfly.runtime._policy",
    "Understood": "mayfly.runtime._policy",
    "Reproved": "mayfly.runtime._prove",
    "prove_again": "mayfly.runtime._prove",
    "Runtime": "mayfly.runtime._run",
    "Session": "mayfly.runtime._session",
    "open_approvals": "mayfly.runtime._session",
    "state_of": "mayfly.runtime._session",
    "Observer": "mayfly.runtime._story",
    "Task": "mayfly.runtime._task",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.runtime' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
