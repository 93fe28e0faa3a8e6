"""The runtime: the one place where sandbox, gates, forge, library, models and ledger are put together.

The names below are loaded on first use: a question to the rules does not load what writes and proves agents.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.runtime._agents import AgentKept, versions_of
    from mayfly.runtime._caller import called_by
    from mayfly.runtime._execute import Ran
    from mayfly.runtime._freeze import Frozen, freeze_module, jit_functions, prove_function, write_module
    from mayfly.runtime._given import agree, compile_given, compile_now, verdicts_of
    from mayfly.runtime._help import answer_help, answer_in
    from mayfly.runtime._jit import JitFunction, jit
    from mayfly.runtime._languages import compile_in_typescript
    from mayfly.runtime._policy import Desk, Understood
    from mayfly.runtime._promotion import Promotion
    from mayfly.runtime._promotion_candidates import Standing
    from mayfly.runtime._prove import Reproved, prove_again
    from mayfly.runtime._purchases import ask_person
    from mayfly.runtime._run import Runtime
    from mayfly.runtime._session import Session, open_approvals, state_of
    from mayfly.runtime._staging import Stager, left_by_staging
    from mayfly.runtime._story import Observer
    from mayfly.runtime._task import Task
    from mayfly.runtime._tool_values import ToolChange, ToolListed, ToolMade, ToolOrder, ToolOutcome
    from mayfly.runtime._tools import Tools

__all__ = [
    "AgentKept",
    "Desk",
    "Frozen",
    "JitFunction",
    "Observer",
    "Promotion",
    "Ran",
    "Reproved",
    "Runtime",
    "Session",
    "Stager",
    "Standing",
    "Task",
    "ToolChange",
    "ToolListed",
    "ToolMade",
    "ToolOrder",
    "ToolOutcome",
    "Tools",
    "Understood",
    "agree",
    "answer_help",
    "answer_in",
    "ask_person",
    "called_by",
    "compile_given",
    "compile_in_typescript",
    "compile_now",
    "freeze_module",
    "jit",
    "jit_functions",
    "left_by_staging",
    "open_approvals",
    "prove_again",
    "prove_function",
    "state_of",
    "verdicts_of",
    "versions_of",
    "write_module",
]

_HOME = {
    "AgentKept": "mayfly.runtime._agents",
    "versions_of": "mayfly.runtime._agents",
    "called_by": "mayfly.runtime._caller",
    "Ran": "mayfly.runtime._execute",
    "Promotion": "mayfly.runtime._promotion",
    "Standing": "mayfly.runtime._promotion_candidates",
    "Frozen": "mayfly.runtime._freeze",
    "freeze_module": "mayfly.runtime._freeze",
    "jit_functions": "mayfly.runtime._freeze",
    "prove_function": "mayfly.runtime._freeze",
    "write_module": "mayfly.runtime._freeze",
    "agree": "mayfly.runtime._given",
    "compile_given": "mayfly.runtime._given",
    "compile_now": "mayfly.runtime._given",
    "verdicts_of": "mayfly.runtime._given",
    "answer_help": "mayfly.runtime._help",
    "answer_in": "mayfly.runtime._help",
    "JitFunction": "mayfly.runtime._jit",
    "jit": "mayfly.runtime._jit",
    "compile_in_typescript": "mayfly.runtime._languages",
    "Desk": "mayfly.runtime._policy",
    "Understood": "mayfly.runtime._policy",
    "Reproved": "mayfly.runtime._prove",
    "prove_again": "mayfly.runtime._prove",
    "ask_person": "mayfly.runtime._purchases",
    "Runtime": "mayfly.runtime._run",
    "Session": "mayfly.runtime._session",
    "open_approvals": "mayfly.runtime._session",
    "state_of": "mayfly.runtime._session",
    "Stager": "mayfly.runtime._staging",
    "left_by_staging": "mayfly.runtime._staging",
    "Observer": "mayfly.runtime._story",
    "Task": "mayfly.runtime._task",
    "ToolChange": "mayfly.runtime._tool_values",
    "ToolListed": "mayfly.runtime._tool_values",
    "ToolMade": "mayfly.runtime._tool_values",
    "ToolOrder": "mayfly.runtime._tool_values",
    "ToolOutcome": "mayfly.runtime._tool_values",
    "Tools": "mayfly.runtime._tools",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.runtime' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
