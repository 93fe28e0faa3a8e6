"""What an executor works with: the rules, who configures, the model, the limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from mayfly.core import SessionSettings
from mayfly.session._calls import Observer
from mayfly.session._perceive import Router, Talker

if TYPE_CHECKING:
    from mayfly.models import Pool
    from mayfly.persona import AgentConfig
    from mayfly.policy import Kernel


class Desk(Router, Protocol):
    """The rules in force, and what decides for one agent by them."""

    def agent(self, config: AgentConfig, *, session: str, only_asked: bool) -> Kernel:
        """Return what decides for an agent with this configuration; where it is *only_asked*, nothing is changed."""
        ...


# Makes the configuration of an agent from its personas and verbs, for a *task*; an unknown persona is an `InputError`.
Configure = Callable[..., "AgentConfig"]


class Offers(Protocol):
    """The tools of the library, of which there may be any number: some are shown, all may be called by name."""

    def shown(self, task: str) -> Sequence[str]:
        """Return the names that are shown for what is asked."""
        ...

    def serves(self, name: str) -> bool:
        """Whether there is a tool of this name."""
        ...


@dataclass(kw_only=True)
class SessionParts:
    """What an executor works with; sub-agents share all of it but the room and the log."""

    settings: SessionSettings
    desk: Desk
    configure: Configure
    kill: Callable[[], None]
    model: Talker | None = None
    pool: Pool | None = None
    library: Offers | None = None
    observe: Observer = field(default=lambda _: None)
