"""The source of the building blocks: what has to be copied for a set of names, with all it leans on."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType

from mayfly.core import parse_python
from mayfly.synthesis.examples.parts import MODULES

_IMPORTED = {
    "re": "re",
    "math": "math",
    "json": "json",
    "date": "datetime",
    "datetime": "datetime",
    "timedelta": "datetime",
}


@dataclass(frozen=True, kw_only=True)
class Block:
    """One function or constant of a building-block module: its text, all names in it, and the blocks it leans on.

    Functions get a leading underscore, so that no name of a caller's choosing meets theirs.
    """

    name: str
    text: str
    names: frozenset[str]
    uses: frozenset[str]
    constant: bool


@lru_cache(maxsize=1)
def blocks() -> dict[str, Block]:
    """Return every building block by name, in the order in which they are written."""
    nodes = [(node, lines) for tree, lines in map(_parsed, MODULES) for node in tree.body]
    functions = {node.name for node, _ in nodes if isinstance(node, ast.FunctionDef)}
    calls = re.compile(rf"(?<![\w.])({'|'.join(sorted(functions))})(?=\()")
    found: dict[str, Block] = {}
    for node, lines in nodes:
        name = _defined(node)
        if name:
            text = calls.sub(r"_\1", "\n".join(lines[node.lineno - 1 : node.end_lineno]))
            names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            called = {
                each.func.id
                for each in ast.walk(node)
                if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
            }
            uses = frozenset(called & functions | {each for each in names if each.isupper()})
            found[name] = Block(name=name, text=text, names=names, uses=uses, constant=name.isupper())
    return found


def _parsed(module: ModuleType) -> tuple[ast.Module, list[str]]:
    source = inspect.getsource(module)
    return parse_python(source), source.splitlines()


def _defined(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    return node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""


def needed(names: Iterable[str]) -> list[Block]:
    """Return the blocks for *names* and all that they lean on, constants first."""
    everything = blocks()
    wanted: set[str] = set()
    waiting = [name.removeprefix("_") for name in names if name.removeprefix("_") in everything]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting.extend(used for used in everything[name].uses if used in everything)
    chosen = [block for block in everything.values() if block.name in wanted]
    return [block for block in chosen if block.constant] + [block for block in chosen if not block.constant]


def imports(names: Iterable[str]) -> list[str]:
    """Return the import lines for the names that a source uses."""
    by_module: dict[str, set[str]] = {}
    for name in names:
        if name in _IMPORTED:
            by_module.setdefault(_IMPORTED[name], set()).add(name)
    lines = [f"import {module}" for module in sorted(by_module) if module != "datetime"]
    if "datetime" in by_module:
        lines.append(f"from datetime import {', '.join(sorted(by_module['datetime']))}")
    return lines
