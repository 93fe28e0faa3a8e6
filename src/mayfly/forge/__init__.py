"""The forge: architects write, a test writer writes tests before that, reflection leads to the next attempt."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge._compile_typescript import compile_in_typescript
    from mayfly.forge._compiler import UNSAID, Compiler, verdicts_of
    from mayfly.forge._events import RunBegan
    from mayfly.forge._execute import Ran, Within, execute
    from mayfly.forge._freeze_text import Written, merge_into, parse_module
    from mayfly.forge._function_signature import examples_of, signature_of, signature_of_node
    from mayfly.forge._inbox import Call, Inbox, order_again
    from mayfly.forge._known import (
        AgentKept,
        Compiled,
        keep_agent,
        load_agent,
        load_suite,
        needs_input,
        no_input,
        proofs_made,
        versions_of,
    )
    from mayfly.forge._question import check_account
    from mayfly.forge._request import Attempt, Request, Signature
    from mayfly.forge._resolve import TaskRun, collapsed, recorded_live, resolved, weak_collapse
    from mayfly.forge._spool import Spool, collect, spool
    from mayfly.forge._story import Collapse, Observer, Story, run_ended
    from mayfly.forge._task import Task, size_of
    from mayfly.forge._test_writer import read_tests
    from mayfly.forge._tool_maker import ToolMaker

__all__ = [
    "UNSAID",
    "AgentKept",
    "Attempt",
    "Call",
    "Collapse",
    "Compiled",
    "Compiler",
    "Inbox",
    "Observer",
    "Ran",
    "Request",
    "RunBegan",
    "Signature",
    "Spool",
    "Story",
    "Task",
    "TaskRun",
    "ToolMaker",
    "Within",
    "Written",
    "check_account",
    "collapsed",
    "collect",
    "compile_in_typescript",
    "examples_of",
    "execute",
    "keep_agent",
    "load_agent",
    "load_suite",
    "merge_into",
    "needs_input",
    "no_input",
    "order_again",
    "parse_module",
    "proofs_made",
    "read_tests",
    "recorded_live",
    "resolved",
    "run_ended",
    "signature_of",
    "signature_of_node",
    "size_of",
    "spool",
    "verdicts_of",
    "versions_of",
    "weak_collapse",
]

__getattr__ = lazily(
    __name__,
    {
        "_compile_typescript": "compile_in_typescript",
        "_compiler": "UNSAID Compiler verdicts_of",
        "_events": "RunBegan",
        "_execute": "Ran Within execute",
        "_freeze_text": "Written merge_into parse_module",
        "_function_signature": "examples_of signature_of signature_of_node",
        "_inbox": "Call Inbox order_again",
        "_known": "Compiled needs_input no_input AgentKept keep_agent load_agent versions_of load_suite proofs_made",
        "_question": "check_account",
        "_request": "Attempt Request Signature",
        "_resolve": "TaskRun collapsed recorded_live resolved weak_collapse",
        "_spool": "Spool collect spool",
        "_story": "Observer Story Collapse run_ended",
        "_task": "Task size_of",
        "_test_writer": "read_tests",
        "_tool_maker": "ToolMaker",
    },
)
