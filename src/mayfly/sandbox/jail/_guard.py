"""The second layer, for quality and early refusals: fewer builtins, and imports from a list.

It is no wall. Python reaches everything from anything; what holds is the kernel outside.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

# Left out: open input eval exec compile globals locals breakpoint help exit quit and the like.
_NAMES = """
    abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir divmod
    enumerate filter float format frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map
    max memoryview min next object oct ord pow print property range repr reversed round set setattr slice sorted
    staticmethod str sum super tuple type vars zip
    None True False Ellipsis NotImplemented __build_class__ __debug__ __name__
"""

# C code imports these by itself, through the importer of whatever Python frame called it; it asks with a list, where
# an import statement has a tuple or None. The job's own module is asked for by pickle.
_HELPERS = frozenset({"_strptime", "time", "copyreg", "_pylong", "_pydatetime", "_pydecimal", "collections.abc", "job"})

Importer = Callable[..., ModuleType]


def restricted(allowed: frozenset[str], *, files: bool = False) -> dict[str, object]:
    """Return the builtins of a job that may import only *allowed*; with *files*, one that was granted a workspace."""
    names = {name: getattr(builtins, name) for name in _NAMES.split() if hasattr(builtins, name)}
    if files:
        names["open"] = open
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = value
    return {**names, "__import__": _importer(allowed)}


def _importer(allowed: frozenset[str]) -> Importer:
    def guarded(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        from_c = name in _HELPERS and (type(fromlist) is list or name == "job")
        future = name == "__future__" and not level
        if not (from_c or future) and (level or not _is_allowed(name, fromlist, allowed)):
            listed = ", ".join(sorted(allowed)) or "nothing"
            raise ImportError(f"import of {'.' * level + name!r} is not allowed here; allowed: {listed}", name=name)
        return __import__(name, globals, locals, fromlist or (), level)

    return guarded


def _is_allowed(name: str, fromlist: Sequence[str] | None, allowed: frozenset[str]) -> bool:
    """Whether the module or a package it is in is allowed, or all parts that are taken from it (`urllib.parse`)."""
    parts = name.split(".")
    if any(".".join(parts[: count + 1]) in allowed for count in range(len(parts))):
        return True
    return bool(fromlist) and all(f"{name}.{part}" in allowed for part in fromlist or ())


class NoCompiler:
    """Refuse Mayfly itself inside the sandbox: compiled code cannot compile."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Raise for `mayfly` and all below it; know nothing else."""
        if name.partition(".")[0] == "mayfly":
            raise ImportError("JIT recursion forbidden: compiled code cannot compile", name=name)
        return None


def forbid_compiler() -> None:
    """Put `NoCompiler` first on the import path."""
    sys.meta_path.insert(0, NoCompiler)
