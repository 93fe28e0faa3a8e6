"""The runtime: the one place where sandbox, gates, forge, library, models and ledger are put together.

The names below are loaded on first use: a question to the rules does not load what writes and proves agents.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.runtime._caller import called_by as called_by
    from mayfly.runtime._freeze import Frozen as Frozen
    from mayfly.runtime._freeze import freeze_module as freeze_module
    from mayfly.runtime._freeze import jit_functions as jit_functions
    from mayfly.runtime._freeze import prove_function as prove_function
    from mayfly.runtime._freeze import write_module as write_module
    from mayfly.runtime._help import answer_help as answer_help
    from mayfly.runtime._help import answer_in as answer_in
    from mayfly.runtime._jit import JitFunction as JitFunction
    from mayfly.runtime._jit import jit as jit
    from mayfly.runtime._parts import ask_person as ask_person
    from mayfly.runtime._prove import Reproved as Reproved
    from mayfly.runtime._prove import prove_again as prove_again
    from mayfly.runtime._run import Runtime as Runtime
    from mayfly.runtime._session_opened import Session as Session

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
