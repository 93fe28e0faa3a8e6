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
        ToolCalled,
        ToolReturned,
        TurnAsked,
        TurnConfigured,
        TurnEnded,
        TurnStopAsked,
    )
    from mayfly.session._executor import TextPiece
    from mayfly.session._log import SessionLog, sessions, tag_of
    from mayfly.session._perceive import perceive
    from mayfly.session._running import RunningSession
    from mayfly.session._spawner import SpawnRequest
    from mayfly.session._staging import Stager, left_by_staging, open_approvals, state_of
    from mayfly.session.tools import AskPerson, McpServers

__all__ = [
    "ApprovalAsked",
    "Approvals",
    "AskPerson",
    "CallsOf",
    "McpServers",
    "ModelSaid",
    "Observer",
    "RunningSession",
    "SessionLog",
    "SpawnRequest",
    "Stager",
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
    "sessions",
    "state_of",
    "tag_of",
    "waiting_in",
]

__getattr__ = lazily(
    __name__,
    {
        "_approvals": "ApprovalAsked Approvals Waiting waiting_in",
        "_calls": "CallsOf Observer",
        "_events": "ModelSaid ToolCalled ToolReturned TurnAsked TurnConfigured TurnEnded TurnStopAsked",
        "_executor": "TextPiece",
        "_log": "SessionLog sessions tag_of",
        "_perceive": "perceive",
        "_running": "RunningSession",
        "_spawner": "SpawnRequest",
        "_staging": "Stager left_by_staging open_approvals state_of",
        "tools": "AskPerson McpServers",
    },
)
