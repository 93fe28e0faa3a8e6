"""The runtime: the one place where sandbox, gates, forge, library, models and ledger are put together."""

from mayfly.runtime._execute import Ran
from mayfly.runtime._freeze import Frozen, freeze_module, write_module
from mayfly.runtime._given import compile_given, compile_now, verdicts_of
from mayfly.runtime._jit import JitFunction, jit
from mayfly.runtime._metrics import Metrics, metrics
from mayfly.runtime._policy import Desk, Understood
from mayfly.runtime._prove import Reproved, prove_again
from mayfly.runtime._run import Runtime
from mayfly.runtime._spool import Spool
from mayfly.runtime._story import Observer
from mayfly.runtime._task import Task

__all__ = [
    "Desk",
    "Frozen",
    "JitFunction",
    "Metrics",
    "Observer",
    "Ran",
    "Reproved",
    "Runtime",
    "Spool",
    "Task",
    "Understood",
    "compile_given",
    "compile_now",
    "freeze_module",
    "jit",
    "metrics",
    "prove_again",
    "verdicts_of",
    "write_module",
]
