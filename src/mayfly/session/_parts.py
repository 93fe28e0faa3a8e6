"""What an executor works with: the rules, who configures, the model, the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mayfly.core import SessionSettings
from mayfly.session._calls import Observer
from mayfly.session._perceive import Talker

if TYPE_CHECKING:
    from mayfly.models import ModelPool
    from mayfly.persona import AgentConfig, Desk
    from mayfly.session.tools import SessionLibrary


@dataclass(kw_only=True)
class SessionParts:
    """What an executor works with; sub-agents share all of it but the room and the log."""

    settings: SessionSettings
    desk: Desk
    # Makes the configuration of an agent from personas, verbs and task; an unknown persona is an `InputError`.
    configure: Callable[..., AgentConfig]
    kill: Callable[[], None]
    model: Talker | None = None
    pool: ModelPool | None = None
    library: SessionLibrary | None = None
    observe: Observer = field(default=lambda _: None)
