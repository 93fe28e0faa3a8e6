"""Mechanical repairs: what a tool can put right about types before a model is asked. Behaviour stays as it was.

Ruff says what a function plainly returns and which parameters may be None. Then each code of mypy that has a rule here
is met where its errors say; whatever nobody wrote a type for becomes Any.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mayfly.core import Verdict, parse_python, shipped_table
from mayfly.gates._profile import SIX_IMPORTS
from mayfly.gates.judge import run_ruff
from mayfly.gates.types._edits import FUNCTIONS, TYPING_NAMES, Edits, Function, parameters

# Defaults of None, and the results of functions: all that are plain, or those alone that Python itself demands.
PLAIN, DEMANDED = "ANN2,RUF013", "ANN204,RUF013"
# What is unused, and type names of old.
_TIDY = "F401,UP006,UP007,UP035,UP045"
_RUFF_SECONDS = 10.0
_QUOTED = re.compile(r'"([^"]+)"')
_NEEDED = re.compile(r'Need type annotation for "(\w+)"(?: \(hint: "\w+: ([\w.]+)\[)?')
_EMPTY = {"list": "list[Any]", "set": "set[Any]", "frozenset": "frozenset[Any]", "dict": "dict[Any, Any]"}
_TABLE = Path(__file__).parent / "typeserver" / "data" / "generics.toml"


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """Hold the source as it is now, and the name of each repair that was made."""

    source: str
    repairs: tuple[str, ...] = ()


def complete(source: str, rules: str) -> Repaired:
    """Return a source with all declared that ruff can tell by *rules*, of which it calls some unsafe."""
    text = _fix_by_ruff(source.replace("\r\n", "\n").replace("\r", "\n"), rules, "--unsafe-fixes")
    return Repaired(source=text, repairs=() if text == source else ("declared what ruff can tell",))


def tidied(done: Repaired) -> Repaired:
    """Return a repaired source without unused imports and old type names."""
    text = _fix_by_ruff(done.source, _TIDY)
    if text == done.source:
        return done
    return Repaired(source=text, repairs=(*done.repairs, "removed unused imports and old type names"))


def repair(source: str, errors: Sequence[Verdict]) -> Repaired:
    """Repair what *errors* name and a tool can; comments and layout stay."""
    try:
        edits = Edits(source, errors)
        for rule in _RULES:
            rule(edits)
        made = edits.result()
        parse_python(made)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Repaired(source=source)
    return Repaired(source=made, repairs=tuple(edits.notes))


def _fix_by_ruff(source: str, rules: str, *options: str) -> str:
    """Return *source* as ruff leaves it by these rules, or as it is where ruff gives no answer."""
    try:
        how = ("--fix-only", "--target-version=py311", f"--select={rules}", *options)
        code, made = run_ruff(source.encode(), *how, seconds=_RUFF_SECONDS) or (2, b"")
        return made.decode() if code == 0 and made else source
    except ValueError:
        return source


def _drop_replaced(edits: Edits) -> None:
    """Remove a function that another of the same name replaces before anything can have called it."""
    body = edits.tree.body
    for _, line in edits.coded("NO_REDEF"):
        second = next((one for one in body if isinstance(one, FUNCTIONS) and one.lineno == line), None)
        if second is None:
            continue
        before = body[: body.index(second)]
        earlier = [one for one in before if isinstance(one, FUNCTIONS) and one.name == second.name]
        between = before[before.index(earlier[-1]) + 1 :] if earlier else []
        if earlier and not earlier[-1].decorator_list and all(map(_runs_nothing, [*between, second])):
            edits.replace(earlier[-1], "", f"removed the first {second.name}, which another replaces")


def _runs_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of a module only defines or imports."""
    if isinstance(statement, FUNCTIONS):
        defaults = [*statement.args.defaults, *(one for one in statement.args.kw_defaults if one)]
        return not statement.decorator_list and all(isinstance(one, (ast.Constant, ast.Name)) for one in defaults)
    return isinstance(statement, (ast.Import, ast.ImportFrom))


def _annotate_functions(edits: Edits) -> None:
    """Let every parameter and result be anything that has no annotation."""
    if not any(error.code in ("NO_UNTYPED_DEF", "NO_UNTYPED_CALL") for error in edits.errors):
        return
    for parent in ast.walk(edits.tree):
        for function in ast.iter_child_nodes(parent):
            if isinstance(function, FUNCTIONS):
                _annotate_function(edits, function, method=isinstance(parent, ast.ClassDef))


def _annotate_function(edits: Edits, function: Function, *, method: bool) -> None:
    static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    receiver = [*function.args.posonlyargs, *function.args.args][: int(method and not static)]
    for argument in parameters(function):
        if argument.annotation is None and argument not in receiver:
            edits.use("Any")
            edits.insert(argument, ": Any", f"annotated {argument.arg} of {function.name} as Any")
    if function.returns is None:
        edits.use("Any")
        edits.add_result(function, "Any", f"added -> Any to {function.name}")


@cache
def _generics() -> dict[str, str]:
    return {name: str(text) for name, text in shipped_table(_TABLE).items()}


def _fill_generics(edits: Edits) -> None:
    """Let bare generics hold anything."""
    if not any(edits.coded("TYPE_ARG")):
        return
    for annotation in _annotations(edits.tree):
        held = {id(node.value) for node in ast.walk(annotation) if isinstance(node, (ast.Subscript, ast.Attribute))}
        for node in ast.walk(annotation):
            name = getattr(node, "id", getattr(node, "attr", ""))
            if isinstance(node, ast.expr) and name in _generics() and id(node) not in held:
                edits.use(*({"Any"} if "Any" in _generics()[name] else ()))
                edits.insert(node, _generics()[name], f"wrote {name}{_generics()[name]} for {name}")


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            yield from [node.returns] if node.returns else []
        elif isinstance(node, ast.ClassDef):
            yield from node.bases
        elif isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation


def _allow_none_returned(edits: Edits) -> None:
    """Declare that a function which returns None on some path may do so."""
    for error, line in edits.coded("RETURN_VALUE"):
        got, expected = [*_QUOTED.findall(error.message), "", ""][:2]
        function = edits.function_at(line)
        if function is not None and function.returns is not None and got in ("None", f"{expected} | None"):
            written = edits.written(function.returns)
            text = f"{written[:-1]} | None{written[-1]}" if written[-1] in "\"'" else f"{written} | None"
            edits.replace(function.returns, text, f"declared that the result of {function.name} may be None")


def _import_names(edits: Edits) -> bool:
    """Import what is used and was not, names of typing and the modules every tier may import; say whether any was."""
    missing = {found[1] for error, _ in edits.coded("NAME_DEFINED") if (found := _QUOTED.search(error.message))}
    owners = (node.value for node in ast.walk(edits.tree) if isinstance(node, ast.Attribute))
    used = {owner.id for owner in owners if isinstance(owner, ast.Name)}
    edits.use(*(missing & TYPING_NAMES))
    modules = missing & SIX_IMPORTS & used
    for module in modules:
        edits.add_import(module)
    return bool(modules or missing & TYPING_NAMES)


def _annotate_variables(edits: Edits) -> None:
    """Say of a container that starts empty that it holds anything."""
    assignments = [node for node in ast.walk(edits.tree) if isinstance(node, ast.Assign)]
    hidden = {node.arg for node in ast.walk(edits.tree) if isinstance(node, ast.arg)}
    for error, line in edits.coded("VAR_ANNOTATED"):
        found = _NEEDED.match(error.message)
        at = next((node for node in assignments if node.lineno <= line <= (node.end_lineno or 0)), None)
        if found is None or at is None or found[1] in _names_from_outside(edits.function_at(at.lineno)):
            continue
        text = "Any" if found[2] in hidden else _EMPTY.get(found[2] or "", "Any")
        note = f"annotated {found[1]} as {text}"
        edits.use("Any")
        if len(at.targets) == 1 and isinstance(at.targets[0], (ast.Name, ast.Attribute)):
            edits.insert(at.targets[0], f": {text}", note)
        else:
            edits.insert_line(at, f"{found[1]}: {text}", note)


def _names_from_outside(function: Function | None) -> set[str]:
    """Return the names that belong to a scope further out, which is where they would have to be annotated."""
    nodes = list(ast.walk(function)) if function else []
    return {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}


def _cast_results(edits: Edits) -> None:
    """Give Any that is returned the declared type; what a module gives that was not imported is Any until it is."""
    if _import_names(edits):
        return
    for _, line in edits.coded("NO_ANY_RETURN"):
        function = edits.function_at(line)
        if function is None or function.returns is None:
            continue
        declared = ast.unparse(function.returns)
        quoted = declared if declared.startswith(("'", '"')) else repr(declared)
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None and node.lineno == line:
                edits.use("cast")
                text = f"cast({quoted}, {edits.written(node.value)})"
                edits.replace(node.value, text, f"gave what {function.name} returns its declared type")


def _return_none(edits: Edits) -> None:
    """Write out the None that a function returns when its end is reached."""
    for error, line in edits.coded("RETURN"):
        function = edits.function_at(line)
        if function is not None and error.message.startswith("Missing return statement"):
            note = f"wrote out the None that {function.name} returns"
            edits.insert_line(function.body[-1], "return None", note, behind=True)


_RULES: tuple[Callable[[Edits], None], ...] = (
    _drop_replaced,
    _fill_generics,
    _annotate_functions,
    _allow_none_returned,
    _annotate_variables,
    _cast_results,
    _return_none,
)
