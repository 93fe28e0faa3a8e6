"""What a tool may reach: what it was given, and of that what its source can use at all."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence

from mayfly.core import parse_python
from mayfly.gates.stability import import_table


def reaches_outside(grants: Sequence[str]) -> bool:
    """Whether calling something with these grants twice could do something twice."""
    return any(grant.partition(":")[0] in ("net", "buy") or grant.endswith(":rw") for grant in grants)


def default_grants(text: str) -> tuple[str, ...]:
    """Return what the settings give a tool that says nothing itself; the word none is nothing."""
    named = [one.strip() for one in text.split(",") if one.strip()]
    return () if named == ["none"] else tuple(sorted(set(named)))


def opened_grants(source: str, granted: Sequence[str]) -> tuple[str, ...]:
    """Return those of the grants that a source can use at all, by what it imports: no door is opened for nothing."""
    imported = set(_imported(source))
    foreign = bool({name.partition(".")[0] for name in imported} - sys.stdlib_module_names)
    # Of urllib most programs import what only takes addresses apart.
    usable = {"package": foreign}
    for kind in ("net", "buy"):
        reaching = {name for name in imported if name.partition(".")[0] in import_table().granted[kind]}
        usable[kind] = foreign or bool(reaching - {"urllib.parse"})
    return tuple(sorted({grant for grant in granted if usable.get(grant.partition(":")[0], True)}))


def _imported(source: str) -> Iterator[str]:
    """Yield the full names of what a source imports."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from parts & {"urllib.parse"} or {node.module}
