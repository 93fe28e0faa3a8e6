"""The runtime: the one place where sandbox, gates, forge, library, models and ledger are put together.

The names below are loaded on first use: a question to the rules does not load what writes and proves agents.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.runtime._caller import called_by
    from mayfly.runtime._freeze import Frozen, freeze_module, jit_functions, prove_function, write_module
    from mayfly.runtime._help import answer_help, answer_in
    from mayfly.runtime._jit import JitFunction, jit
    from mayfly.runtime._parts import ask_person
    from mayfly.runtime._prove import Reproved, prove_again
    from mayfly.runtime._run import Runtime
    from mayfly.runtime._session_opened import Session

__all__ = [
    "Frozen",
    "JitFunction",
    "Reproved",
    "Runtime",
    "Session",
    "answer_help",
    "answer_in",
    "ask_person",
    "called_by",
    "freeze_module",
    "jit",
    "jit_functions",
    "prove_again",
    "prove_function",
    "write_module",
]

__getattr__ = lazily(
    __name__,
    {
        "_caller": "called_by",
        "_freeze": "Frozen freeze_module jit_functions prove_function write_module",
        "_help": "answer_help answer_in",
        "_jit": "JitFunction jit",
        "_parts": "ask_person",
        "_prove": "Reproved prove_again",
        "_run": "Runtime",
        "_session_opened": "Session",
    },
)
