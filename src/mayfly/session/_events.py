"""What a session writes to the ledger: every turn, every answer of the model, every call of a tool before and after."""

from __future__ import annotations

from collections.abc import Mapping

from mayfly.store import JSON, event


@event("session.began")
class SessionBegan:
    """Record that a session was opened: where, with which model, and which one spawned it."""

    workspace: str
    model: str
    parent: str = ""
    name: str = ""
    kind: str = ""
    timeout: float = 0.0


@event("session.turn_asked")
class TurnAsked:
    """Record what was asked in a turn, as it was said."""

    turn: int
    text: str


@event("session.turn_configured")
class TurnConfigured:
    """Record who takes a turn on and with what: a resumed turn goes on with exactly this."""

    turn: int
    personas: tuple[str, ...]
    tools: tuple[str, ...]
    policies: tuple[str, ...]
    mode: str
    prompt: str
    manifest: str
    only_asked: bool = False
    """Whether the turn only asks: then nothing of the workspace is changed, whoever acts."""
    told: tuple[str, ...] = ()


@event("session.model_said")
class ModelSaid:
    """Record one answer of the model: its text and the tools it calls."""

    turn: int
    step: int
    text: str
    calls: tuple[Mapping[str, JSON], ...] = ()
    truncated: bool = False
    carried: JSON = None
    tokens: int = 0
    dollars: float = 0.0


@event("session.tool_called")
class ToolCalled:
    """Record a call before anything is done for it; *key* is what its effect is known by."""

    turn: int
    key: str
    call: str
    tool: str
    arguments: JSON
    effect: str = "none"


@event("session.tool_returned")
class ToolReturned:
    """Record what became of a call; *whole* is the blob of a result that is longer than what the model was given."""

    turn: int
    key: str
    call: str
    tool: str
    status: str
    text: str
    whole: str = ""
    commit: str = ""
    held: str = ""


@event("session.turn_ended")
class TurnEnded:
    """Record how a turn ended: done, stopped, failed, killed, or at a limit."""

    turn: int
    status: str
    text: str
    reason: str = ""


@event("session.stop_asked")
class TurnStopAsked:
    """Record that somebody asked the turn under way to stop, from whatever process."""

    by: str
    reason: str = ""


@event("session.noted")
class SessionNoted:
    """Record what the agent is told between turns, such as that something was approved."""

    text: str
    about: str = ""


@event("session.folded")
class SessionFolded:
    """Record that all turns up to *turn* are told to the model by a summary from now on."""

    turn: int
    summary: str


@event("session.ended")
class SessionEnded:
    """Record that a session takes no further turn, or is parked until somebody speaks to it."""

    status: str
    reason: str = ""
