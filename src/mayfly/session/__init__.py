"""Sessions: agents that work in a room with tools, within rules, turn by turn.

log        a session as the ledger has it        calls      one call of a tool: checked, permitted, run, logged
executor   the loop of model and tools           approvals  what waits for a person
spawner    agents beside the one that talks
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.session._approvals import ApprovalAsked, Approvals, ApprovalSettled, Waiting, waiting_in
    from mayfly.session._calls import CallsOf, Observer
    from mayfly.session._events import (
        ModelSaid,
        SessionBegan,
        SessionEnded,
        SessionFolded,
        SessionNoted,
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
    from mayfly.session._perceive import Perceived, Talker, perceive
    from mayfly.session._running import RunningSession
    from mayfly.session._spawner import Spawner, SpawnRequest, SubAgent
    from mayfly.session._staging import Stager, left_by_staging, open_approvals, state_of
    from mayfly.session.tools import AskPerson, BuiltinChange, McpServers, session_tools

__all__ = [
    "ApprovalAsked",
    "ApprovalSettled",
    "Approvals",
    "AskPerson",
    "BuiltinChange",
    "CallsOf",
    "Executor",
    "McpServers",
    "ModelSaid",
    "Observer",
    "OfflineTalker",
    "Perceived",
    "RunningSession",
    "SessionBegan",
    "SessionEnded",
    "SessionFolded",
    "SessionLog",
    "SessionNoted",
    "SessionParts",
    "SpawnRequest",
    "Spawner",
    "Stager",
    "SubAgent",
    "Talker",
    "TextPiece",
    "ToolCalled",
    "ToolReturned",
    "TurnAsked",
    "TurnConfigured",
    "TurnEnded",
    "TurnStopAsked",
    "Waiting",
    "left_by_staging",
    "open_approvals",
    "perceive",
    "session_tools",
    "sessions",
    "state_of",
    "tag_of",
    "waiting_in",
]

__getattr__ = lazily(
    __name__,
    {
        "_approvals": "ApprovalAsked Approvals ApprovalSettled Waiting waiting_in",
        "_calls": "CallsOf Observer",
        "_events": (
            "ModelSaid SessionBegan SessionEnded SessionFolded SessionNoted "
            "ToolCalled ToolReturned TurnAsked TurnConfigured TurnEnded TurnStopAsked"
        ),
        "_executor": "Executor TextPiece",
        "_log": "SessionLog sessions tag_of",
        "_offline": "OfflineTalker",
        "_parts": "SessionParts",
        "_perceive": "Perceived Talker perceive",
        "_running": "RunningSession",
        "_spawner": "Spawner SpawnRequest SubAgent",
        "_staging": "Stager left_by_staging open_approvals state_of",
        "tools": "AskPerson BuiltinChange McpServers session_tools",
    },
)
