"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge._by_example import ExampleArchitect
    from mayfly.forge._by_model import ModelArchitect
    from mayfly.forge._compile import compile_task
    from mayfly.forge._compile_typescript import compile_in_typescript
    from mayfly.forge._compiler import UNSAID, Compiler, verdicts_of
    from mayfly.forge._contract import ContractWriter, contract_of, type_of
    from mayfly.forge._events import ForgeReflected, ForgeWrote, RunBegan, RunCollapsed, RunResolved
    from mayfly.forge._freeze_text import Written, merge_into, parse_module
    from mayfly.forge._function_signature import FunctionSignature, examples_of, signature_of, signature_of_node
    from mayfly.forge._inbox import Call, HelpAnswered, HelpAsked, Inbox, order_again
    from mayfly.forge._known import (
        AgentKept,
        Compiled,
        find_again,
        keep_agent,
        load_agent,
        needs_input,
        no_input,
        versions_of,
    )
    from mayfly.forge._loop import Forge, Made, allowed_attempts
    from mayfly.forge._prompt import code_in
    from mayfly.forge._question import TOLERATED, agree, check_account
    from mayfly.forge._reflect import Arbiter, Reflector
    from mayfly.forge._request import Architect, Attempt, CannotWrite, Reflection, Request, Signature
    from mayfly.forge._story import Collapse, Observer, Ran, Story, collapse_of, run_ended
    from mayfly.forge._task import Task, size_of
    from mayfly.forge._test_writer import TestWriter, contradicts, hold_out, read_tests
    from mayfly.forge._tool_maker import ToolMaker

__all__ = [
    "TOLERATED",
    "UNSAID",
    "AgentKept",
    "Arbiter",
    "Architect",
    "Attempt",
    "Call",
    "CannotWrite",
    "Collapse",
    "Compiled",
    "Compiler",
    "ContractWriter",
    "ExampleArchitect",
    "Forge",
    "ForgeReflected",
    "ForgeWrote",
    "FunctionSignature",
    "HelpAnswered",
    "HelpAsked",
    "Inbox",
    "Made",
    "ModelArchitect",
    "Observer",
    "Ran",
    "Reflection",
    "Reflector",
    "Request",
    "RunBegan",
    "RunCollapsed",
    "RunResolved",
    "Signature",
    "Story",
    "Task",
    "TestWriter",
    "ToolMaker",
    "Written",
    "agree",
    "allowed_attempts",
    "check_account",
    "code_in",
    "collapse_of",
    "compile_in_typescript",
    "compile_task",
    "contract_of",
    "contradicts",
    "examples_of",
    "find_again",
    "hold_out",
    "keep_agent",
    "load_agent",
    "merge_into",
    "needs_input",
    "no_input",
    "order_again",
    "parse_module",
    "read_tests",
    "run_ended",
    "signature_of",
    "signature_of_node",
    "size_of",
    "type_of",
    "verdicts_of",
    "versions_of",
]

__getattr__ = lazily(
    __name__,
    {
        "_by_example": "ExampleArchitect",
        "_by_model": "ModelArchitect",
        "_compile": "compile_task",
        "_compile_typescript": "compile_in_typescript",
        "_compiler": "UNSAID Compiler verdicts_of",
        "_contract": "ContractWriter contract_of type_of",
        "_events": "ForgeReflected ForgeWrote RunBegan RunCollapsed RunResolved",
        "_freeze_text": "Written merge_into parse_module",
        "_function_signature": "FunctionSignature examples_of signature_of signature_of_node",
        "_inbox": "Call HelpAnswered HelpAsked Inbox order_again",
        "_known": "Compiled find_again needs_input no_input AgentKept keep_agent load_agent versions_of",
        "_loop": "Forge Made allowed_attempts",
        "_prompt": "code_in",
        "_question": "TOLERATED agree check_account",
        "_reflect": "Reflector Arbiter",
        "_request": "Architect Attempt CannotWrite Reflection Request Signature",
        "_story": "Observer Ran Story Collapse collapse_of run_ended",
        "_task": "Task size_of",
        "_test_writer": "TestWriter contradicts hold_out read_tests",
        "_tool_maker": "ToolMaker",
    },
)
