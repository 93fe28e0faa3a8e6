"""The source of the building blocks: what has to be copied for a set of names, with all it leans on."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from mayfly.forge.examples.parts import MODULES

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
    """One function or constant of a building-block module: its text, and the names it uses."""

    name: str
    text: str
    uses: frozenset[str]
    constant: bool


@lru_cache(maxsize=1)
def blocks() -> dict[str, Block]:
    """Return every building block by name, in the order in which they are written."""
    found: dict[str, Block] = {}
    for module in MODULES:
        source = inspect.getsource(module)
        lines = source.splitlines()
        for node in ast.parse(source).body:
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            uses = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            if isinstance(node, ast.FunctionDef):
                found[node.name] = Block(name=node.name, text=text, uses=uses, constant=False)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                found[name] = Block(name=name, text=text, uses=uses, constant=True)
    return found


def needed(names: Iterable[str]) -> list[Block]:
    """Return the blocks for *names* and all that they lean on, constants first."""
    everything = blocks()
    wanted: set[str] = set()
    waiting = [name for name in names if name in everything]
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
