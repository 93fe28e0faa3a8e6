"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge._agents import AgentKept, keep_agent, load_agent, versions_of
    from mayfly.forge._arbiter import Arbiter
    from mayfly.forge._by_example import ExampleArchitect
    from mayfly.forge._by_model import ModelArchitect
    from mayfly.forge._code import code_in
    from mayfly.forge._collapse import Collapse, collapse_of
    from mayfly.forge._compile import compile_task
    from mayfly.forge._compiler import UNSAID, Compiler, verdicts_of
    from mayfly.forge._contract import ContractWriter, contract_of, type_of
    from mayfly.forge._events import ForgeReflected, ForgeWrote, RunBegan, RunCollapsed, RunResolved
    from mayfly.forge._function_signature import FunctionSignature, examples_of, signature_of, signature_of_node
    from mayfly.forge._inbox import Call, HelpAnswered, HelpAsked, Inbox, order_again
    from mayfly.forge._known import Compiled, find_again, needs_input, no_input
    from mayfly.forge._loop import Forge, Made, allowed_attempts
    from mayfly.forge._question import TOLERATED, agree, check_account
    from mayfly.forge._reflect import Reflector
    from mayfly.forge._request import Architect, Attempt, CannotWrite, Reflection, Request, Signature
    from mayfly.forge._story import Observer, Ran, Story
    from mayfly.forge._task import Task, size_of
    from mayfly.forge._test_writer import TestWriter, contradicts, hold_out
    from mayfly.forge._tool_maker import ToolMaker
    from mayfly.forge._written_tests import read_tests

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
    "agree",
    "allowed_attempts",
    "check_account",
    "code_in",
    "collapse_of",
    "compile_task",
    "contract_of",
    "contradicts",
    "examples_of",
    "find_again",
    "hold_out",
    "keep_agent",
    "load_agent",
    "needs_input",
    "no_input",
    "order_again",
    "read_tests",
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
        "_agents": "AgentKept keep_agent load_agent versions_of",
        "_arbiter": "Arbiter",
        "_by_example": "ExampleArchitect",
        "_by_model": "ModelArchitect",
        "_code": "code_in",
        "_collapse": "Collapse collapse_of",
        "_compile": "compile_task",
        "_compiler": "UNSAID Compiler verdicts_of",
        "_contract": "ContractWriter contract_of type_of",
        "_events": "ForgeReflected ForgeWrote RunBegan RunCollapsed RunResolved",
        "_function_signature": "FunctionSignature examples_of signature_of signature_of_node",
        "_inbox": "Call HelpAnswered HelpAsked Inbox order_again",
        "_known": "Compiled find_again needs_input no_input",
        "_loop": "Forge Made allowed_attempts",
        "_question": "TOLERATED agree check_account",
        "_reflect": "Reflector",
        "_request": "Architect Attempt CannotWrite Reflection Request Signature",
        "_story": "Observer Ran Story",
        "_task": "Task size_of",
        "_test_writer": "TestWriter contradicts hold_out",
        "_tool_maker": "ToolMaker",
        "_written_tests": "read_tests",
    },
)
