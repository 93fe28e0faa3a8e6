"""Refuse chance without a seed: what is proven once has to give the same the next time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mayfly.core import Verdict
from mayfly.gates.stability._found import Scan
from mayfly.gates.stability._verdict import reject

_SEEDED = "random.Random"


def check_chance(scan: Scan, used: dict[int, str]) -> Iterator[Verdict]:
    """Yield a verdict for each generator of random numbers that gets no seed.

    *used* names attributes of modules by the node they stand at. `random.Random` may be called with a seed and named
    in annotations; handed around in any other way, nobody can see whether it gets one.
    """
    modules = {module for node in scan.imports for module in _modules(node)}
    if "random" in modules:
        yield from _unseeded(scan, used)
        yield from _methods(scan, "seed")
    if "statistics" in modules and "samples" not in scan.defined:
        yield from _methods(scan, "samples")


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def _unseeded(scan: Scan, used: dict[int, str]) -> Iterator[Verdict]:
    own = {
        alias.asname or alias.name
        for node in scan.imports
        if isinstance(node, ast.ImportFrom) and node.module == "random"
        for alias in node.names
        if alias.name == "Random"
    }
    named: list[ast.expr] = [node for node in scan.attributes if used.get(id(node)) == _SEEDED]
    named += [use.node for use in scan.names if use.node.id in own]
    calls = [call for scope in scan.scopes for call in scope.calls]
    fine = {id(call.func) for call in calls if _has_seed(call)} | _annotated(scan)
    for node in named:
        if id(node) not in fine:
            yield _refused(_SEEDED, node, "random.Random(seed)")


def _methods(scan: Scan, name: str) -> Iterator[Verdict]:
    """Judge a method that takes its seed as an argument and the computer's chance without one."""
    for scope in scan.scopes:
        for call in scope.calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr == name:
                # `seed(x)` has it first, `samples(n, seed=x)` by its name only.
                given = _has_seed(call) if name == "seed" else any(word.arg == "seed" for word in call.keywords)
                if not given:
                    yield _refused(name, call, "seed(x)" if name == "seed" else "samples(n, seed=x)")


def _has_seed(call: ast.Call) -> bool:
    given = [*call.args, *(word.value for word in call.keywords)]
    return bool(given) and not (isinstance(given[0], ast.Constant) and given[0].value is None)


def _annotated(scan: Scan) -> set[int]:
    """Return the nodes that stand in annotations, where a class is only named."""
    annotations: list[ast.expr | None] = [node.annotation for node in scan.of(ast.arg)]
    annotations += [node.annotation for node in scan.of(ast.AnnAssign)]
    annotations += [node.returns for node in scan.of(ast.FunctionDef)]
    annotations += [node.returns for node in scan.of(ast.AsyncFunctionDef)]
    return {id(inner) for node in annotations if node is not None for inner in ast.walk(node)}


def _refused(name: str, node: ast.expr, instead: str) -> Verdict:
    return reject(
        code="CHANCE",
        message=f"{name} without a seed gives another value in every run",
        measured=name,
        line=node.lineno,
        fix=f"give a seed: {instead}",
    )
