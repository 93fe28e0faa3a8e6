"""Built-in tools after a change was taken in: taken up, watched, and rolled back where they fail."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from mayfly.core import Capability, Invocation, MayflyError
from mayfly.library.staging._events import RolledBack, StagingPromoted

if TYPE_CHECKING:
    from mayfly.store import Ledger


def take_up(file: Path) -> str:
    """Run the module of *file* again and let everybody who took something of it have the new one.

    Returns nothing, or why this process has to be started again instead. A module that is not loaded needs nothing.
    """
    module = _loaded(file)
    if module is None:
        return ""
    old = dict(vars(module))
    held = [(other, name, value) for other in _ours(module) for name, value in _taken(other, old)]
    for other, name, value in held:
        if inspect.isclass(value) and value.__module__ == module.__name__:
            return f"{other.__name__} holds the class {name} of {module.__name__}"
    importlib.invalidate_caches()
    try:
        importlib.reload(module)
    except BaseException as error:
        # Half of a module is worse than the old one.
        vars(module).clear()
        vars(module).update(old)
        return f"{module.__name__} could not be loaded again: {type(error).__name__}: {error}"
    for other, name, value in held:
        source = value.__name__ if isinstance(value, FunctionType) else name
        if source in vars(module):
            setattr(other, name, vars(module)[source])
    return ""


def _loaded(file: Path) -> ModuleType | None:
    wanted = str(file.resolve())
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) and str(Path(str(module.__file__)).resolve()) == wanted:
            return module
    return None


def _ours(module: ModuleType) -> list[ModuleType]:
    first = module.__name__.partition(".")[0]
    return [
        other
        for name, other in list(sys.modules.items())
        if name.partition(".")[0] == first and other is not module and isinstance(other, ModuleType)
    ]


def _taken(other: ModuleType, old: dict[str, object]) -> list[tuple[str, object]]:
    """Return what *other* has of the old module: the same thing, under the same name or its own."""
    found: list[tuple[str, object]] = []
    for name, value in list(vars(other).items()):
        own = value.__name__ if isinstance(value, FunctionType) else name
        if not name.startswith("__") and not isinstance(value, ModuleType) and own in old and old[own] is value:
            found.append((name, value))
    return found


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
