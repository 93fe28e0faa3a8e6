"""The health window: a tool that was changed a short while ago and crashes is put back as it was."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly.core import Capability, Invocation, MayflyError
from mayfly.library.staging._events import RolledBack, StagingPromoted

if TYPE_CHECKING:
    from mayfly.store import Ledger

# What is told of a crash: the id of the staging and what happened.
Crashed = Callable[[str, str], object]


def under_watch(ledger: Ledger, *, now: float | None = None) -> dict[str, str]:
    """Return the tools whose window is open, each with the id of its staging."""
    moment = time.time() if now is None else now
    found: dict[str, str] = {}
    if ledger.last("staging.promoted") is None:
        return found
    for entry in ledger.read(kind="staging.promoted"):
        data = entry.data
        if isinstance(data, StagingPromoted) and data.until > moment:
            found |= dict.fromkeys((data.tool, *data.tools), entry.subject)
    for entry in ledger.read(kind="staging.rolled_back"):
        if isinstance(entry.data, RolledBack):
            found = {tool: id for tool, id in found.items() if id != entry.subject}
    return found


def watched(capabilities: Iterable[Capability], watch: dict[str, str], crashed: Crashed) -> list[Capability]:
    """Return *capabilities*, those under *watch* such that a crash is told before it is passed on."""
    return [
        replace(one, call=_watching(one, watch[one.name], crashed)) if one.name in watch else one
        for one in capabilities
    ]


def _watching(capability: Capability, id: str, crashed: Crashed) -> Callable[[Invocation], object | Awaitable[object]]:
    call = capability.call

    def told(error: Exception) -> None:
        # What a tool says of its input, of a limit or of the machine is an answer, no crash.
        if not isinstance(error, (MayflyError, OSError)):
            crashed(id, f"{capability.name} crashed: {type(error).__name__}: {error}")

    async def waiting(made: Awaitable[object]) -> object:
        try:
            return await made
        except Exception as error:
            told(error)
            raise

    def watching(invocation: Invocation) -> object | Awaitable[object]:
        try:
            made = call(invocation)
        except Exception as error:
            told(error)
            raise
        return waiting(made) if inspect.isawaitable(made) else made

    return watching
