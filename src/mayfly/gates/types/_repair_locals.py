"""Repair inside functions: containers that start empty, Any that is returned, paths that return nothing."""

from __future__ import annotations

import ast
import re

from mayfly.core import Verdict, parse_python
from mayfly.gates.types._repair_edit import Function, arguments, bound_names
from mayfly.gates.types._repair_kinds import ANY, FLOAT, UNKNOWN, Kind, kind
from mayfly.gates.types._repair_work import Work

_NEEDED = re.compile(r'Need type annotation for "(\w+)"(?: \(hint: "\w+: ([\w.]+)\[)?')
_NUMBERS = re.compile(r'\(expression has type "float", variable has type "int"\)$')


def annotate_variables(work: Work) -> None:
    """Say what a container holds that starts empty: what is put into it later, else anything."""
    for error in work.coded("VAR_ANNOTATED"):
        found = _NEEDED.match(error.message)
        statement = _assignment(work, error)
        if found and statement is not None:
            text = work.write(_held(work, statement, found[1], found[2] or ""), statement)
            work.note(_declare(work, statement, found[1], text), f"annotated {found[1]} as {text}")


def _assignment(work: Work, error: Verdict) -> ast.Assign | None:
    at = [node for node in ast.walk(work.tree) if isinstance(node, ast.Assign)]
    return next((node for node in at if error.line and node.lineno <= error.line <= (node.end_lineno or 0)), None)


def _held(work: Work, statement: ast.Assign, name: str, hint: str) -> Kind:
    """Return the kind of the variable: mypy's hint names the container, what is put in says the rest."""
    function = work.function_at(statement.lineno)
    found = None
    if function is not None and not work.loose:
        scope = work.scope(function)
        found = scope.name(name) or scope.infer(statement.value)
    if found is not None and UNKNOWN not in found.args:
        return found
    if found is not None and found.args:
        return kind(found.name, *(ANY if argument == UNKNOWN else argument for argument in found.args))
    plain = {"list": 1, "set": 1, "frozenset": 1, "dict": 2}
    return kind(hint, *[ANY] * plain[hint]) if hint in plain else ANY


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


def name_results(work: Work) -> None:
    """Give Any that is returned the declared type, by way of a variable, or a cast where there is no room for one."""
    taken: dict[Function, set[str]] = {}
    for error in work.coded("NO_ANY_RETURN"):
        function = work.function_at(error.line)
        if function is None or function.returns is None:
            continue
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.lineno == error.line]
        names = taken.setdefault(function, bound_names(function))
        if len(returns) == 1 and returns[0].value is not None:
            _name_result(work, function, returns[0], returns[0].value, names)


def _name_result(work: Work, function: Function, node: ast.Return, value: ast.expr, names: set[str]) -> None:
    declared = ast.unparse(function.returns) if function.returns else ""
    start = value.lineno, value.col_offset
    written = work.edits.read(start, (value.end_lineno or 0, value.end_col_offset or 0))
    indent = work.edits.indent(node)
    used = {found.id for found in ast.walk(parse_python(declared)) if isinstance(found, ast.Name)}
    single = value.lineno == node.lineno and value.end_lineno == node.lineno
    if indent is None or used & names or not single:
        quoted = declared if declared.startswith(("'", '"')) else repr(declared)
        done = work.edits.replace(node, f"return cast({quoted}, {written})")
        work.want(*({"cast"} if done else ()))
    else:
        name = next(one for one in ("result", *(f"result_{number}" for number in range(2, 99))) if one not in names)
        names.add(name)
        done = work.edits.replace(node, f"{name}: {declared} = {written}\n{indent}return {name}")
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


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _runs_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of a module only defines or imports."""
    if isinstance(statement, _FUNCTIONS):
        defaults = [*statement.args.defaults, *(one for one in statement.args.kw_defaults if one)]
        return not statement.decorator_list and all(isinstance(one, (ast.Constant, ast.Name)) for one in defaults)
    return isinstance(statement, (ast.Import, ast.ImportFrom))
