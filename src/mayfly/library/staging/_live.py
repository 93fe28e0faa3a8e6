"""A changed file in a running process: taken up where that is possible, and where not, why a restart is needed."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from types import FunctionType, ModuleType


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
