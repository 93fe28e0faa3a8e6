"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.forge._compile_typescript import compile_in_typescript as compile_in_typescript
    from mayfly.forge._compiler import UNSAID as UNSAID
    from mayfly.forge._compiler import Compiler as Compiler
    from mayfly.forge._compiler import verdicts_of as verdicts_of
    from mayfly.forge._events import AgentSpread as AgentSpread
    from mayfly.forge._events import RunBegan as RunBegan
    from mayfly.forge._execute import Within as Within
    from mayfly.forge._execute import execute as execute
    from mayfly.forge._freeze_text import Written as Written
    from mayfly.forge._freeze_text import merge_into as merge_into
    from mayfly.forge._freeze_text import parse_module as parse_module
    from mayfly.forge._function_signature import examples_of as examples_of
    from mayfly.forge._function_signature import signature_of as signature_of
    from mayfly.forge._function_signature import signature_of_node as signature_of_node
    from mayfly.forge._given import look_at as look_at
    from mayfly.forge._inbox import Call as Call
    from mayfly.forge._inbox import Inbox as Inbox
    from mayfly.forge._inbox import order_again as order_again
    from mayfly.forge._known import AgentKept as AgentKept
    from mayfly.forge._known import Compiled as Compiled
    from mayfly.forge._known import keep_agent as keep_agent
    from mayfly.forge._known import load_agent as load_agent
    from mayfly.forge._known import load_suite as load_suite
    from mayfly.forge._known import needs_input as needs_input
    from mayfly.forge._known import no_input as no_input
    from mayfly.forge._known import proofs_made as proofs_made
    from mayfly.forge._known import versions_of as versions_of
    from mayfly.forge._question import check_account as check_account
    from mayfly.forge._question import runs_on_parts as runs_on_parts
    from mayfly.forge._request import Attempt as Attempt
    from mayfly.forge._request import Request as Request
    from mayfly.forge._request import Signature as Signature
    from mayfly.forge._resolve import AskSpread as AskSpread
    from mayfly.forge._resolve import TaskRun as TaskRun
    from mayfly.forge._resolve import collapsed as collapsed
    from mayfly.forge._resolve import recorded_live as recorded_live
    from mayfly.forge._resolve import resolved as resolved
    from mayfly.forge._resolve import weak_collapse as weak_collapse
    from mayfly.forge._spool import Spool as Spool
    from mayfly.forge._spool import collect as collect
    from mayfly.forge._spool import spool as spool
    from mayfly.forge._spread import FilesPart as FilesPart
    from mayfly.forge._spread import PartFile as PartFile
    from mayfly.forge._spread import files_to_spread as files_to_spread
    from mayfly.forge._spread import joined_answer as joined_answer
    from mayfly.forge._story import Collapse as Collapse
    from mayfly.forge._story import Observer as Observer
    from mayfly.forge._story import Ran as Ran
    from mayfly.forge._story import Story as Story
    from mayfly.forge._story import run_ended as run_ended
    from mayfly.forge._task import Task as Task
    from mayfly.forge._task import size_of as size_of
    from mayfly.forge._test_writer import read_tests as read_tests
    from mayfly.forge._tool_maker import ToolMaker as ToolMaker

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
