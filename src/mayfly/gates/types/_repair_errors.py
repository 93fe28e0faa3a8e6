"""Repair what single errors of mypy name: bare generics, defaults of None, imports, empty containers, Any."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mayfly.core import Verdict, shipped_table
from mayfly.gates._profile import SIX_IMPORTS
from mayfly.gates.types._repair_edits import Function, Work, arguments, functions
from mayfly.gates.types._repair_kinds import ANY, FLOAT, Kind, kind

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_QUOTED = re.compile(r'"([^"]+)"')
_NEEDED = re.compile(r'Need type annotation for "(\w+)"(?: \(hint: "\w+: ([\w.]+)\[)?')
_NUMBERS = re.compile(r'\(expression has type "float", variable has type "int"\)$')
_TABLE = Path(__file__).parent / "typeserver" / "data" / "generics.toml"
_BY_HINT = {name: kind(name, ANY) for name in ("list", "set", "frozenset")} | {"dict": kind("dict", ANY, ANY)}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What the examples say of one function: the kinds of its arguments by name, and of its result."""

    parameters: dict[str, Kind] = field(default_factory=dict)
    result: Kind | None = None


@cache
def _generics() -> dict[str, str]:
    return {name: str(text) for name, text in shipped_table(_TABLE).items()}


def fill_generics(work: Work, samples: dict[Function, Sample]) -> None:
    """Say what bare generics hold: what the examples show where there are any, else anything."""
    if not work.coded("TYPE_ARG"):
        return
    for function, sample in samples.items():
        for argument in arguments(function):
            _fill_from(work, argument.annotation, sample.parameters.get(argument.arg), function)
        _fill_from(work, function.returns, sample.result, function)
    for annotation in _annotations(work.tree):
        for node, name in _bare(annotation):
            end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            text = _generics()[name]
            done = work.edits.insert(*end, text)
            work.want(*({"Any"} if done and "Any" in text else ()))
            work.note(done, f"wrote {name}{text} for {name}")


def _fill_from(work: Work, annotation: ast.expr | None, shown: Kind | None, function: Function) -> None:
    if not isinstance(annotation, ast.Name) or shown is None or work.loose:
        return
    if annotation.id.lower() == shown.name.removesuffix("...") and shown.args:
        text = work.write(shown, work.parents.get(function))
        work.note(work.edits.replace(annotation, text), f"wrote {text} for {annotation.id}")


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from (argument.annotation for argument in arguments(node) if argument.annotation)
            yield from [node.returns] if node.returns else []
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation
        elif isinstance(node, ast.ClassDef):
            yield from node.bases


def _bare(annotation: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """Yield the generics in *annotation* that have no arguments."""
    held = {id(node.value) for node in ast.walk(annotation) if isinstance(node, ast.Subscript)}
    held |= {id(node.value) for node in ast.walk(annotation) if isinstance(node, ast.Attribute)}
    for node in ast.walk(annotation):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in _generics() and id(node) not in held and isinstance(node, (ast.Name, ast.Attribute)):
            yield node, name


def allow_none(work: Work) -> None:
    """Declare that a parameter whose default is None may be None."""
    for error in work.coded("ASSIGNMENT"):
        found = _QUOTED.search(error.message)
        if not (error.message.startswith("Incompatible default for") and 'type "None"' in error.message and found):
            continue
        for argument in _arguments_near(work, error):
            if argument.arg == found[1] and argument.annotation is not None:
                _add_none(work, argument.annotation, f"{argument.arg}, whose default is None,")


def allow_none_returned(work: Work) -> None:
    """Declare that a function which returns None on some path may do so."""
    for error in work.coded("RETURN_VALUE"):
        got, expected = [*_QUOTED.findall(error.message), "", ""][:2]
        function = work.function_at(error.line)
        if function is None or function.returns is None or not expected:
            continue
        if got in ("None", f"{expected} | None"):
            _add_none(work, function.returns, f"the result of {function.name}")


def _add_none(work: Work, annotation: ast.expr, what: str) -> None:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        text = f'"{annotation.value} | None"'
    else:
        text = f"{ast.unparse(annotation)} | None"
    work.note(work.edits.replace(annotation, text), f"declared that {what} may be None")


def _arguments_near(work: Work, error: Verdict) -> Iterator[ast.arg]:
    for function, _ in functions(work.tree):
        if error.line and function.lineno <= error.line <= function.body[0].lineno:
            yield from arguments(function)


def import_names(work: Work) -> bool:
    """Import what is used and was not: names of typing, and the modules every tier may import; say whether any was."""
    missing = {found[1] for error in work.coded("NAME_DEFINED") if (found := _QUOTED.search(error.message))}
    modules = sorted(missing & SIX_IMPORTS & _modules_used(work.tree))
    work.want(*(missing & set(typing.__all__)))
    if modules:
        text = "".join(f"import {name}\n" for name in modules)
        work.note(work.edits.insert(work.first_line(), 0, text), f"imported {', '.join(modules)}")
    return bool(modules or missing & set(typing.__all__))


def _modules_used(tree: ast.Module) -> set[str]:
    owners = (node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def annotate_variables(work: Work) -> None:
    """Say what a container holds that starts empty: anything."""
    for error in work.coded("VAR_ANNOTATED"):
        found = _NEEDED.match(error.message)
        statement = _assignment(work, error)
        if found and statement is not None:
            text = work.write(_BY_HINT.get(found[2] or "", ANY), statement)
            work.note(_declare(work, statement, found[1], text), f"annotated {found[1]} as {text}")


def _assignment(work: Work, error: Verdict) -> ast.Assign | None:
    at = [node for node in ast.walk(work.tree) if isinstance(node, ast.Assign)]
    return next((node for node in at if error.line and node.lineno <= error.line <= (node.end_lineno or 0)), None)


def _declare(work: Work, statement: ast.Assign, name: str, text: str) -> bool:
    target = statement.targets[0]
    if name in _outer_names(work.function_at(statement.lineno)):
        return False
    if len(statement.targets) == 1 and isinstance(target, ast.Name):
        return work.edits.insert(target.end_lineno or 0, target.end_col_offset or 0, f": {text}")
    if len(statement.targets) == 1 and isinstance(target, ast.Attribute) and target.attr == name:
        return work.edits.insert(target.end_lineno or 0, target.end_col_offset or 0, f": {text}")
    indent = work.edits.indent(statement)
    if indent is None:
        return False
    return work.edits.insert(statement.lineno, 0, f"{indent}{name}: {text}\n")


def _outer_names(function: Function | None) -> set[str]:
    """Return the names that belong to a scope further out, which is where they would have to be annotated."""
    nodes = list(ast.walk(function)) if function else []
    return {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}


def widen_numbers(work: Work) -> None:
    """Declare a variable float that starts as a whole number and is given a fraction later."""
    for error in work.coded("ASSIGNMENT"):
        function = work.function_at(error.line)
        if function is None or not _NUMBERS.search(error.message):
            continue
        for name in _assigned_at(function, error.line) - {argument.arg for argument in arguments(function)}:
            first = _first_assignment(function, name)
            if first is not None:
                text = work.write(FLOAT, function)
                work.note(_declare(work, first, name, text), f"annotated {name} as {text}")


def _assigned_at(function: Function, line: int | None) -> set[str]:
    names = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign)) and node.lineno == line:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _first_assignment(function: Function, name: str) -> ast.Assign | None:
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    ]
    return min(found, key=lambda node: node.lineno, default=None)


def cast_results(work: Work) -> None:
    """Give Any that is returned the declared type."""
    for error in work.coded("NO_ANY_RETURN"):
        function = work.function_at(error.line)
        if function is None or function.returns is None:
            continue
        declared = ast.unparse(function.returns)
        quoted = declared if declared.startswith(("'", '"')) else repr(declared)
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None and node.lineno == error.line:
                done = work.edits.replace(node.value, f"cast({quoted}, {work.written(node.value)})")
                work.want(*({"cast"} if done else ()))
                work.note(done, f"gave what {function.name} returns its declared type")


def return_none(work: Work) -> None:
    """Write out the None that a function returns when its end is reached."""
    for error in work.coded("RETURN"):
        function = work.function_at(error.line)
        if function is None or not error.message.startswith("Missing return statement"):
            continue
        last = function.body[-1]
        indent = work.edits.indent(function.body[0])
        if indent is None:
            continue
        done = work.edits.after(last.end_lineno or last.lineno, f"\n{indent}return None")
        work.note(done, f"wrote out the None that {function.name} returns")


def drop_replaced(work: Work) -> None:
    """Remove a function that another of the same name replaces before anything can have called it."""
    body = work.tree.body
    for error in work.coded("NO_REDEF"):
        second = next((one for one in body if one.lineno == error.line and isinstance(one, _FUNCTIONS)), None)
        if second is None:
            continue
        earlier = [one for one in body[: body.index(second)] if isinstance(one, _FUNCTIONS) and one.name == second.name]
        between = body[body.index(earlier[-1]) + 1 : body.index(second)] if earlier else []
        if earlier and not earlier[-1].decorator_list and all(_runs_nothing(one) for one in [*between, second]):
            text = f"removed the first {second.name}, which another replaces"
            work.note(work.edits.replace(earlier[-1], "" if len(body) > 1 else "pass"), text)


def _runs_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of a module only defines or imports."""
    if isinstance(statement, _FUNCTIONS):
        defaults = [*statement.args.defaults, *(one for one in statement.args.kw_defaults if one)]
        return not statement.decorator_list and all(isinstance(one, (ast.Constant, ast.Name)) for one in defaults)
    return isinstance(statement, (ast.Import, ast.ImportFrom))
