"""Every touch of the workspace, its tests, its git and the network: one set of capabilities over the workbench.

builtins    what a step of a plan can have done      room_tools  what an agent of a session works with
Room        where changes are judged, committed, held or dropped; trees and sessions write through it alike
exchange    the one HTTP client                      run_project the tests of a workspace
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.world._all import builtins, room_tools
    from mayfly.world._declare import NUMBER, TEXT, Declared, Schema, listed, said, takes, tool
    from mayfly.world._git_history import History
    from mayfly.world._http_client import Answer, KeptConnections, address_of, exchange
    from mayfly.world._project import SuiteReport, run_project
    from mayfly.world._push import plan_push, planned_again, push
    from mayfly.world._room import HeldChanges, Room, Settled, ToolResult
    from mayfly.world._steps import StepChanges

__all__ = [
    "NUMBER",
    "TEXT",
    "Answer",
    "Declared",
    "HeldChanges",
    "History",
    "KeptConnections",
    "Room",
    "Schema",
    "Settled",
    "StepChanges",
    "SuiteReport",
    "ToolResult",
    "address_of",
    "builtins",
    "exchange",
    "listed",
    "plan_push",
    "planned_again",
    "push",
    "room_tools",
    "run_project",
    "said",
    "takes",
    "tool",
]

__getattr__ = lazily(
    __name__,
    {
        "_all": "builtins room_tools",
        "_git_history": "History",
        "_http_client": "Answer KeptConnections address_of exchange",
        "_project": "SuiteReport run_project",
        "_push": "plan_push planned_again push",
        "_room": "HeldChanges Room Settled ToolResult",
        "_steps": "StepChanges",
        "_declare": "NUMBER TEXT Declared Schema listed said takes tool",
    },
)
