"""Find what is written and never used or never reached."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from mayfly.gates.judge._signal import TASTEFUL, Signal, signal
from mayfly.gates.stability import Scan, truth

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = frozenset({"body", "orelse", "finalbody"})
_LONGEST_ANNOTATION = 200
_WORD = re.compile(r"\w+")

Found = list[tuple[int, str]]


def dead_code(scan: Scan) -> Iterator[Signal]:
    """Yield what could be taken away and nobody would notice."""
    used = _used(scan)
    yield signal("unreachable", TASTEFUL, _unreachable(scan), each=0.3, most=0.5)
    yield signal("unused imports", TASTEFUL, _imports(scan, used), each=0.1, most=0.3)
    yield signal("unused functions", TASTEFUL, _functions(scan, used), each=0.2, most=0.4)
    yield signal("unused variables", TASTEFUL, _variables(scan), each=0.1, most=0.3)


def _used(scan: Scan) -> set[str]:
    """Return every name that is read, as a name, as an attribute, or as a word of a string such as an annotation."""
    used = {use.node.id for use in scan.names} | {node.attr for node in scan.of(ast.Attribute)}
    for text, _ in scan.texts:
        if len(text) < _LONGEST_ANNOTATION:
            used.update(_WORD.findall(text))
    return used


def _unreachable(scan: Scan) -> Found:
    found: Found = []
    for kind, nodes in scan.kinds.items():
        for name in _BLOCKS.intersection(kind._fields):
            for node in nodes:
                block = getattr(node, name)
                found += [(line, "this is never reached") for line in _after_the_end(block)]
    conditions = (node for node in scan.of(ast.If) if truth(node.test) is False)
    return found + [(node.lineno, "this condition is never true") for node in conditions]


def _after_the_end(block: object) -> list[int]:
    if not isinstance(block, list):
        return []
    for index, statement in enumerate(block[:-1]):
        # A bare yield after a return makes a generator that gives nothing.
        if isinstance(statement, _LEAVING) and not _is_yield(block[index + 1]):
            return [block[index + 1].lineno]
    return []


def _is_yield(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Yield, ast.YieldFrom))


def _imports(scan: Scan, used: set[str]) -> Found:
    found: Found = []
    for node in scan.imports:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        names = [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
        found += [(node.lineno, f"{name} is imported and not used") for name in names if name not in used | {"*"}]
    return found


def _functions(scan: Scan, used: set[str]) -> Found:
    """Find private and inner functions that nothing calls; a public one may be what was asked for."""
    found: Found = []
    for scope in scan.scopes:
        inner = scope.parent is not None and scope.parent is not scan.module and scope.owner is None
        private = scope.name.startswith("_") and not scope.name.startswith("__")
        if (inner or private) and scope.name not in used and not getattr(scope.node, "decorator_list", None):
            found.append((scope.line, f"{scope.name} is never called"))
    return found


def _variables(scan: Scan) -> Found:
    """Find plain assignments that nothing reads; what a loop or an unpacking binds is often there for its place."""
    read = _read_in(scan)
    shared = {name for node in scan.of(ast.Nonlocal) for name in node.names} | scan.deleted
    shared |= {name for node in scan.of(ast.Global) for name in node.names}
    found: Found = []
    for scope in scan.scopes:
        if scope is scan.module:
            continue
        first = {target.id: target.lineno for target in sorted(scope.assigned, key=_backwards)}
        idle = first.keys() - read[id(scope)] - shared
        found += [(first[name], f"{name} is set and not used") for name in idle if not name.startswith("_")]
    return found


def _backwards(target: ast.Name) -> int:
    return -target.lineno


def _read_in(scan: Scan) -> defaultdict[int, set[str]]:
    """Return for each function the names that it, or a function inside it, reads."""
    read: defaultdict[int, set[str]] = defaultdict(set)
    for use in scan.names:
        for around in use.scope.outwards():
            read[id(around)].add(use.node.id)
    return read
