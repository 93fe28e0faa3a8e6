"""Judge whether code reads well: what it says about itself, how it names things, how long its functions are."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from mayfly.gates.judge._ruff import Finding, ruff_findings
from mayfly.gates.judge._signal import TASTEFUL, Signal, signal
from mayfly.gates.stability import Scan, Scope

LONGEST_FUNCTION = 60
_CAMEL = re.compile(r"_*[a-z]+[A-Z]")
# The contract's own parameter, and names that every reader knows from mathematics and counting.
_USUAL = frozenset("ijknxy_")
_OWN_WORDS = frozenset(
    {"input", "id", "type", "format", "hash", "license", "copyright", "credits", "exit", "quit", "help"}
)
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower() and not name.startswith("_")) - _OWN_WORDS
_SHOWN = 3

Found = list[tuple[int, str]]


def taste(tree: ast.Module, text: str, scan: Scan, *, lint: bool) -> Iterator[Signal]:
    """Yield what there is to say about the look of the code."""
    yield signal("docstrings", TASTEFUL, _undocumented(tree), each=0.15, most=0.15, confidence=0.9)
    yield signal("short names", TASTEFUL, _short_names(scan), each=0.05, most=0.25, confidence=0.6)
    yield signal("camelCase", TASTEFUL, _camel_case(scan), each=0.1, most=0.3, confidence=0.9)
    yield signal("shadowed builtins", TASTEFUL, _shadowing(scan), each=0.1, most=0.3, confidence=0.9)
    yield signal("function length", TASTEFUL, _long(scan), each=0.35, most=0.7, confidence=0.9)
    yield (
        _ruff(ruff_findings(text), "ruff is not installed or gave no answer")
        if lint
        else _ruff(None, "ruff was not asked")
    )


def _undocumented(tree: ast.Module) -> Found:
    """Find the absence of any docstring; one at the top, on a class or on a function says what the code is for."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    named = [node for node in tree.body if isinstance(node, kinds)]
    inner = [item for node in named if isinstance(node, ast.ClassDef) for item in node.body if isinstance(item, kinds)]
    if ast.get_docstring(tree) or any(ast.get_docstring(node) for node in (*named, *inner)):
        return []
    return [(1, "nothing says what the code is for: no docstring anywhere")]


def _functions(scan: Scan) -> Iterator[tuple[Scope, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for scope in scan.scopes:
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield scope, scope.node


def _short_names(scan: Scan) -> Found:
    """Find names of one letter, except where one is enough: in loops, comprehensions and lambdas."""
    targets = [part.target for part in scan.of(ast.comprehension)]
    targets += [loop.target for loop in scan.of(ast.For)] + [loop.target for loop in scan.of(ast.AsyncFor)]
    fine = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    fine |= {argument.arg for node in scan.of(ast.Lambda) for argument in node.args.args} | _USUAL
    pairs = ((node, name) for scope, node in _functions(scan) for name in sorted(scope.stored - fine))
    return [(node.lineno, f"{name} in {node.name} says nothing") for node, name in pairs if len(name) == 1]


def _camel_case(scan: Scan) -> Found:
    names = ((node.lineno, node.name) for _, node in _functions(scan) if "visit_" not in node.name)
    return [(line, f"the function {name} is in camelCase") for line, name in names if _CAMEL.match(name)]


def _shadowing(scan: Scan) -> Found:
    pairs = ((node, name) for scope, node in _functions(scan) for name in sorted(scope.stored & _BUILTINS))
    return [(node.lineno, f"{name} in {node.name} hides Python's own {name}") for node, name in pairs]


def _long(scan: Scan) -> Found:
    lengths = ((node, (node.end_lineno or node.lineno) - node.lineno + 1) for _, node in _functions(scan))
    return [(node.lineno, f"{node.name} has {lines} lines") for node, lines in lengths if lines > LONGEST_FUNCTION]


def _ruff(findings: tuple[Finding, ...] | None, reason: str) -> Signal:
    if findings is None:
        return Signal(name="ruff", criterion=TASTEFUL, skipped=True, confidence=0.0, reasons=(reason,))
    found = [(finding.line, f"{finding.rule} {finding.message}") for finding in findings]
    made = signal("ruff", TASTEFUL, found, each=0.05, most=0.3, confidence=0.8)
    more = (f"and {len(found) - _SHOWN} more from ruff",) if len(found) > _SHOWN else ()
    return Signal(
        name="ruff",
        criterion=TASTEFUL,
        passed=made.passed,
        confidence=made.confidence,
        penalty=made.penalty,
        reasons=made.reasons[:_SHOWN] + more,
        line=made.line,
    )
