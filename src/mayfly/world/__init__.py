"""Every touch of the workspace, its tests, its git and the network: one set of capabilities over the workbench.

builtins    what a step of a plan can have done      room_tools  what an agent of a session works with
Room        where changes are judged, committed, held or dropped; trees and sessions write through it alike
exchange    the one HTTP client                      run_project the tests of a workspace
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.world._all import builtins as builtins
    from mayfly.world._all import room_tools as room_tools
    from mayfly.world._declare import NUMBER as NUMBER
    from mayfly.world._declare import TEXT as TEXT
    from mayfly.world._declare import Declared as Declared
    from mayfly.world._declare import Schema as Schema
    from mayfly.world._declare import listed as listed
    from mayfly.world._declare import said as said
    from mayfly.world._declare import takes as takes
    from mayfly.world._declare import tool as tool
    from mayfly.world._git_history import History as History
    from mayfly.world._http_client import HttpAnswer as HttpAnswer
    from mayfly.world._http_client import KeptConnections as KeptConnections
    from mayfly.world._http_client import address_of as address_of
    from mayfly.world._http_client import exchange as exchange
    from mayfly.world._push import plan_push as plan_push
    from mayfly.world._push import planned_again as planned_again
    from mayfly.world._push import push as push
    from mayfly.world._room import HeldChanges as HeldChanges
    from mayfly.world._room import Room as Room
    from mayfly.world._room import SettledChanges as SettledChanges
    from mayfly.world._room import ToolResult as ToolResult
    from mayfly.world._steps import StepChanges as StepChanges
    from mayfly.world._tests import run_project as run_project

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
