"""Judge whether code reads well and is pleasant to use: its names, its length, what it prints, errors it hides."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import replace

from mayfly.gates.judge._ruff import Finding, ruff_findings
from mayfly.gates.judge._signal import JOYFUL, TASTEFUL, Signal, signal
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


def taste(tree: ast.Module, text: str, scan: Scan) -> Iterator[Signal]:
    """Yield what there is to say about the look of the code."""
    yield signal("docstrings", TASTEFUL, _undocumented(tree), each=0.15, most=0.15)
    yield signal("short names", TASTEFUL, _short_names(scan), each=0.05, most=0.25)
    yield signal("camelCase", TASTEFUL, _camel_case(scan), each=0.1, most=0.3)
    yield signal("shadowed builtins", TASTEFUL, _shadowing(scan), each=0.1, most=0.3)
    yield signal("function length", TASTEFUL, _long(scan), each=0.35, most=0.7)
    yield _ruff(ruff_findings(text))


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


def _ruff(findings: tuple[Finding, ...] | None) -> Signal:
    if findings is None:
        return Signal(name="ruff", criterion=TASTEFUL, reasons=("ruff is not installed or gave no answer",))
    found = [(finding.line, f"{finding.rule} {finding.message}") for finding in findings]
    made = signal("ruff", TASTEFUL, found, each=0.05, most=0.3)
    more = (f"and {len(found) - _SHOWN} more from ruff",) if len(found) > _SHOWN else ()
    return replace(made, reasons=made.reasons[:_SHOWN] + more)


_BROAD = frozenset({"Exception", "BaseException"})


def joy(tree: ast.Module, intent: str, scan: Scan) -> Iterator[Signal]:
    """Yield what would annoy whoever uses the code."""
    asked = "print" in intent.lower()
    noise = [] if asked else _prints(tree, scan)
    yield signal("printing", JOYFUL, noise, each=0.2, most=0.45)
    yield signal("hidden errors", JOYFUL, _hidden(scan), each=0.3, most=0.7)
    yield signal("undocumented entry", JOYFUL, _undocumented_entry(tree), each=0.15, most=0.15)
    yield signal("vague errors", JOYFUL, _vague(scan), each=0.1, most=0.2)


def _prints(tree: ast.Module, scan: Scan) -> Found:
    """Find prints that would run whenever the code does; those under a main guard run only for whoever wants them."""
    guards = [node for node in tree.body if _is_main_guard(node)]
    guarded = {id(inner) for node in guards for inner in ast.walk(node)}
    uses = (use.node for use in scan.names if use.node.id == "print" and id(use.node) not in guarded)
    return [(node.lineno, "it prints, where a result should be returned") for node in uses]


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _hidden(scan: Scan) -> Found:
    found: Found = []
    for node in scan.of(ast.ExceptHandler):
        if node.type is None:
            found.append((node.lineno, "a bare except hides every error"))
        elif _names(node.type) & _BROAD and all(_is_nothing(statement) for statement in node.body):
            found.append((node.lineno, f"except {ast.unparse(node.type)} with nothing done hides every error"))
    return found


def _names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_nothing(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, (ast.Pass, ast.Continue))


def _undocumented_entry(tree: ast.Module) -> Found:
    """Find a source whose public classes and functions all say nothing about how they are used."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    if not public or ast.get_docstring(tree) or any(ast.get_docstring(node) for node in public):
        return []
    return [(public[-1].lineno, f"{public[-1].name} does not say how it is used")]


def _vague(scan: Scan) -> Found:
    found: Found = []
    for node in scan.of(ast.Raise):
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(kind, ast.Name) and kind.id in _BROAD:
            found.append((node.lineno, f"raising {kind.id} leaves the caller no way to tell what it was"))
    return found
