"""Read test sources: which tests they hold, and which of those are plain statements of what the entry gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mayfly.core import parse_python
from mayfly.gates._entry import Entry
from mayfly.gates.proof._as_data import as_data
from mayfly.gates.proof._suite import Test

_LOOSE = "test_at_the_top"
Function = ast.FunctionDef | ast.AsyncFunctionDef


class CallClaim(NamedTuple):
    """One input of the entry and the output a test says it has."""

    input: object
    expected: object


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What one test source holds: tests to be run by their names, and claims to be compared outside."""

    source: str = ""
    picks: tuple[str, ...] = ()
    claims: dict[str, tuple[CallClaim, ...]] = field(default_factory=dict)
    problem: str = ""


def collect(test: Test, entry: Entry) -> Collected:
    """Return the tests of one source; asserts outside every function become a test of their own."""
    try:
        tree = parse_python(test.function)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Collected(problem=f"the test does not parse: {error}")
    loose = any(isinstance(node, ast.Assert) for node in tree.body)
    tree = _with_loose_asserts(tree)
    claims: dict[str, tuple[CallClaim, ...]] = {}
    picks = []
    for name, node in _tests(tree):
        found = None if "." in name else _claims(node, entry)
        if found:
            claims[name] = found
        else:
            picks.append(name)
    if not claims and not picks:
        return Collected(problem="the source holds no test: no function in it is named test_...")
    source = ast.unparse(tree) if loose else test.function
    return Collected(source=source, picks=tuple(picks), claims=claims)


def _with_loose_asserts(tree: ast.Module) -> ast.Module:
    loose: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Assert)]
    if not loose:
        return tree
    made = parse_python(f"def {_LOOSE}():\n    pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = loose
    tree.body = [*(node for node in tree.body if node not in loose), made]
    return ast.fix_missing_locations(tree)


def _tests(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            inner = (item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)))
            yield from ((f"{node.name}.{item.name}", item) for item in inner if item.name.startswith("test"))


def _claims(node: Function, entry: Entry) -> tuple[CallClaim, ...] | None:
    """Return what a test claims where every statement of it is `assert entry(literals) == literal`."""
    if node.args.args or node.decorator_list:
        return None
    found = []
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    for statement in body:
        claim = _claim(statement, entry)
        if claim is None:
            return None
        found.append(claim)
    return tuple(found) or None


def _claim(statement: ast.stmt, entry: Entry) -> CallClaim | None:
    if not isinstance(statement, ast.Assert) or not isinstance(statement.test, ast.Compare):
        return None
    compare = statement.test
    exact = isinstance(compare.ops[0], ast.Is) and isinstance(compare.comparators[0], ast.Constant)
    if len(compare.ops) != 1 or not (isinstance(compare.ops[0], ast.Eq) or exact):
        return None
    sides = (compare.left, compare.comparators[0])
    call, other = sides if isinstance(sides[0], ast.Call) else sides[::-1]
    arguments = _arguments(call, entry)
    try:
        if arguments is None:
            return None
        expected = as_data(ast.literal_eval(other))
        given = as_data([ast.literal_eval(argument) for argument in arguments])
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    assert isinstance(given, list)
    return CallClaim(given if entry.spread else given[0], expected)


def _arguments(call: ast.expr, entry: Entry) -> list[ast.expr] | None:
    """Return the arguments of a call of the entry; anything else is None."""
    if not isinstance(call, ast.Call) or call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if not entry.spread and len(call.args) != 1:
        return None
    return call.args if ast.unparse(call.func) == _called(entry) else None


def _called(entry: Entry) -> str:
    return entry.name if entry.kind == "function" else f"{entry.name}().{entry.method}"


def shape_of(source: str) -> dict[str, Any]:
    """Describe what a program defines, so that its names can be stood for: classes, their methods, functions."""
    classes: dict[str, Any] = {}
    functions: dict[str, bool] = {}
    for node in parse_python(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions[node.name] = isinstance(node, ast.AsyncFunctionDef)
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = _class_shape(node, classes)
    return {"classes": classes, "functions": functions}


_OURS = {"__init__", "__new__", "__eq__", "__hash__", "__repr__", "__getattr__", "__getattribute__", "__post_init__"}


def _is_called(node: Function) -> bool:
    """Whether a test calls this method by its name: no property, and nothing that stands for an object anyway."""
    return node.name not in _OURS and not any("property" in ast.unparse(item) for item in node.decorator_list)


def _class_shape(node: ast.ClassDef, known: dict[str, Any]) -> dict[str, Any]:
    bases = [known[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in known]
    methods = {name: waits for base in bases for name, waits in base["methods"].items()}
    data = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_called(item):
            methods[item.name] = isinstance(item, ast.AsyncFunctionDef)
    errors = [name for base in node.bases if (name := ast.unparse(base)).endswith(("Error", "Exception"))]
    error = next((base["error"] for base in bases if base["error"]), errors[0] if errors else "")
    return {"methods": methods, "data": data or any(base["data"] for base in bases), "error": error}
