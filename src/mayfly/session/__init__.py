"""Sessions: agents that work in a room with tools, within rules, turn by turn.

log        a session as the ledger has it        calls      one call of a tool: checked, permitted, run, logged
executor   the loop of model and tools           approvals  what waits for a person
spawner    agents beside the one that talks
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.session._approvals import ApprovalAsked, Approvals, Waiting, waiting_in
    from mayfly.session._calls import CallsOf, Observer
    from mayfly.session._events import (
        ModelSaid,
        SessionBegan,
        SessionEnded,
        ToolCalled,
        ToolReturned,
        TurnAsked,
        TurnConfigured,
        TurnEnded,
        TurnStopAsked,
    )
    from mayfly.session._executor import Executor, TextPiece
    from mayfly.session._log import SessionLog, sessions, tag_of
    from mayfly.session._offline import OfflineTalker
    from mayfly.session._parts import SessionParts
    from mayfly.session._perceive import Talker
    from mayfly.session._spawner import Spawner, SpawnRequest
    from mayfly.session.tools import AskPerson, BuiltinChange, LibraryDesk, McpServers, session_tools

__all__ = [
    "ApprovalAsked",
    "Approvals",
    "AskPerson",
    "BuiltinChange",
    "CallsOf",
    "Executor",
    "LibraryDesk",
    "McpServers",
    "ModelSaid",
    "Observer",
    "OfflineTalker",
    "SessionBegan",
    "SessionEnded",
    "SessionLog",
    "SessionParts",
    "SpawnRequest",
    "Spawner",
    "Talker",
    "TextPiece",
    "ToolCalled",
    "ToolReturned",
    "TurnAsked",
    "TurnConfigured",
    "TurnEnded",
    "TurnStopAsked",
    "Waiting",
    "session_tools",
    "sessions",
    "tag_of",
    "waiting_in",
]

__getattr__ = lazily(
    __name__,
    {
        "_approvals": "ApprovalAsked Approvals Waiting waiting_in",
        "_calls": "CallsOf Observer",
        "_events": (
            "ModelSaid SessionBegan SessionEnded "
            "ToolCalled ToolReturned TurnAsked TurnConfigured TurnEnded TurnStopAsked"
        ),
        "_executor": "Executor TextPiece",
        "_log": "SessionLog sessions tag_of",
        "_offline": "OfflineTalker",
        "_parts": "SessionParts",
        "_perceive": "Talker",
        "_spawner": "Spawner SpawnRequest",
        "tools": "AskPerson BuiltinChange LibraryDesk McpServers session_tools",
    },
)
