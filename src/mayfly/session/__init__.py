"""Sessions: agents that work in a room with tools, within rules, turn by turn.

log        a session as the ledger has it        calls      one call of a tool: checked, permitted, run, logged
executor   the loop of model and tools           approvals  what waits for a person
spawner    agents beside the one that talks
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.session._approvals import ApprovalAsked as ApprovalAsked
    from mayfly.session._approvals import Approvals as Approvals
    from mayfly.session._approvals import Waiting as Waiting
    from mayfly.session._approvals import waiting_in as waiting_in
    from mayfly.session._calls import CallsOf as CallsOf
    from mayfly.session._calls import Observer as Observer
    from mayfly.session._events import ModelSaid as ModelSaid
    from mayfly.session._events import ToolCalled as ToolCalled
    from mayfly.session._events import ToolReturned as ToolReturned
    from mayfly.session._events import TurnAsked as TurnAsked
    from mayfly.session._events import TurnConfigured as TurnConfigured
    from mayfly.session._events import TurnEnded as TurnEnded
    from mayfly.session._events import TurnStopAsked as TurnStopAsked
    from mayfly.session._executor import TextPiece as TextPiece
    from mayfly.session._log import SessionLog as SessionLog
    from mayfly.session._log import sessions as sessions
    from mayfly.session._log import tag_of as tag_of
    from mayfly.session._perceive import perceive as perceive
    from mayfly.session._running import RunningSession as RunningSession
    from mayfly.session._spawner import SpawnRequest as SpawnRequest
    from mayfly.session._staging import Stager as Stager
    from mayfly.session._staging import left_by_staging as left_by_staging
    from mayfly.session._staging import open_approvals as open_approvals
    from mayfly.session.tools import AskPerson as AskPerson
    from mayfly.session.tools import McpServers as McpServers

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
