"""An agent's configuration: who it is told to be, what it may use, and which policies govern it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from mayfly.core import InputError
from mayfly.mangle import Name, Symbol

if TYPE_CHECKING:
    from mayfly.persona._compile import Placed
    from mayfly.policy import Fact

Mode: TypeAlias = Literal["SingleTurn", "Campaign"]
MODES: Final[tuple[str, ...]] = get_args(Mode)
_GRANTED_TOOL: Final = Symbol("granted_tool", 1)


@dataclass(frozen=True, kw_only=True)
class AgentConfig:
    """What one agent is made of. No tool in it means no tool: what is not listed is not there."""

    identity_prompt: str
    tools: tuple[str, ...]
    policies: tuple[str, ...]
    mode: Mode = "SingleTurn"
    personas: tuple[str, ...] = ()
    manifest: tuple[Placed, ...] = ()
    priority: int = 0
    problem: str = ""
    """Why the prompt is the plain one, where compiling the full one failed."""

    def __post_init__(self) -> None:
        if not self.identity_prompt.strip():
            raise InputError("an agent without a prompt", fix="give it an identity_prompt")
        if not self.policies:
            raise InputError("an agent that no policy governs", fix="give it base.mg at least")
        if self.mode not in MODES:
            raise InputError(f"there is no mode {self.mode!r}", fix=f"use {' or '.join(MODES)}")

    def facts(self) -> tuple[Fact, ...]:
        """Return what the kernel has to know of it; its policies are handed to the kernel by name."""
        return granted_tools(self.tools)


def granted_tools(tools: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return tools as the facts that the rules ask for."""
    return tuple((_GRANTED_TOOL, (Name(f"/{tool}"),)) for tool in tools)
