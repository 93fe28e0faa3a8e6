"""Which file a built-in tool is written in, and which tests are about that file."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from mayfly.core import Capability, InputError, Tier

_SOURCE = "src/"


def home_of(capability: Capability) -> Path:
    """Return the file that a capability's work is written in."""
    function: Any = capability.call
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        raise InputError(f"{capability.name} is not written in a file of Python")
    return Path(code.co_filename)


def homes_of(capabilities: Iterable[Capability], package: Path) -> dict[str, tuple[Path, ...]]:
    """Return the files of *package* that define each tool that is built in; one name may stand in two."""
    found: dict[str, tuple[Path, ...]] = {}
    for capability in capabilities:
        if capability.tier is not Tier.BUILTIN:
            continue
        home = home_of(capability)
        if package in home.parents and home not in found.get(capability.name, ()):
            found[capability.name] = (*found.get(capability.name, ()), home)
    return found


@dataclass(frozen=True, kw_only=True)
class Trials:
    """What the repository wants tried of every change: tests of what all tools hold to, and how it starts up."""

    contracts: tuple[str, ...] = ()
    smoke: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def load(cls, tree: Path) -> Trials:
        """Read `[tool.mayfly.staging]` of the repository's pyproject.toml."""
        try:
            table = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"pyproject.toml of the repository cannot be read: {error}") from None
        given: Mapping[str, Any] = table.get("tool", {}).get("mayfly", {}).get("staging", {})
        smoke = tuple(tuple(shlex.split(line)) for line in given.get("smoke", ()))
        if not smoke:
            raise InputError(
                "the repository does not say how it is started to see whether it works",
                fix="add smoke to [tool.mayfly.staging] in pyproject.toml",
            )
        return cls(contracts=tuple(given.get("contracts", ())), smoke=smoke)


def tests_about(tree: Path, path: str, tools: Sequence[str]) -> list[str]:
    """Return the test files that import the file at *path*, or stand beside it and name one of its *tools*.

    Tests mirror the source tree, so those that name a tool are looked for in the directory that mirrors the file's;
    where none do, all of that directory are meant, and without one all tests there are.
    """
    inner = PurePosixPath(path.removeprefix(_SOURCE))
    module = ".".join(inner.with_suffix("").parts)
    beside = tree.joinpath("tests", *inner.parent.parts[1:])
    named = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in tools))
    files = sorted((tree / "tests").rglob("test_*.py"))
    found = [file for file in files if _imports(file, module) or (beside in file.parents and _names(file, named))]
    found = found or [file for file in files if beside in file.parents and beside != tree / "tests"] or files
    return [file.relative_to(tree).as_posix() for file in found]


def _names(file: Path, named: re.Pattern[str]) -> bool:
    return named.search(file.read_text(encoding="utf-8", errors="replace")) is not None


def _imports(file: Path, module: str) -> bool:
    text = file.read_text(encoding="utf-8", errors="replace")
    package, _, last = module.rpartition(".")
    if last not in text:
        return False  # most files, and parsing all of them takes seconds
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name == module for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = {alias.name for alias in node.names}
            if node.module == module or (node.module == package and last in names):
                return True
    return False
