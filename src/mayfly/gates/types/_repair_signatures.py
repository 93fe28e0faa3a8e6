"""Complete signatures: what a function plainly returns, what its defaults and the examples say of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mayfly.gates.types._repair_edit import Function, arguments, colon, functions, inside
from mayfly.gates.types._repair_infer import Scope, known_return
from mayfly.gates.types._repair_kinds import ANY, NONE, UNKNOWN, Kind, join, kind
from mayfly.gates.types._repair_work import Work

_CODES = ("NO_UNTYPED_DEF", "NO_UNTYPED_CALL")


class Sample:
    """Hold what the examples say of one function: the kinds of its arguments by name, and of its result."""

    def __init__(self, parameters: dict[str, Kind] | None = None, result: Kind | None = None) -> None:
        self.parameters = parameters or {}
        self.result = result


def complete_signatures(work: Work, samples: dict[Function, Sample]) -> None:
    """Annotate every parameter and return value that is not, if mypy asks for any."""
    if not any(work.coded(code) for code in _CODES):
        return
    for function, parent in functions(work.tree):
        sample = samples.get(function, Sample())
        given = dict(_parameters(work, function, parent, sample))
        if function.returns is None:
            found = _returned(work, function, parent, work.scope(function, given), sample)
            place = colon(work.source, function)
            if place is not None:
                text = work.write(found, work.parents.get(function))
                work.note(work.edits.insert(*place, f" -> {text}"), f"added -> {text} to {function.name}")


def _parameters(work: Work, function: Function, parent: ast.AST, sample: Sample) -> Iterator[tuple[str, Kind]]:
    """Annotate the parameters that need it, and yield what was said of each."""
    defaults = _defaults(function)
    skipped = _receiver(function, parent)
    scope = work.scope(function)
    for argument in arguments(function):
        if argument.annotation is not None or argument is skipped:
            continue
        default = defaults.get(argument)
        found = ANY if work.loose else _parameter(function, argument, default, scope, sample)
        yield argument.arg, found
        text = work.write(found, work.parents.get(function))
        work.note(_annotate(work, argument, default, text), f"annotated {argument.arg} of {function.name} as {text}")


def _parameter(function: Function, argument: ast.arg, default: ast.expr | None, scope: Scope, sample: Sample) -> Kind:
    if function.name in ("__eq__", "__ne__"):
        return kind("object")
    shown = sample.parameters.get(argument.arg)
    if argument in (function.args.vararg, function.args.kwarg):
        return ANY
    said = scope.infer(default) if default is not None else None
    if shown is not None:
        return join([shown, said or UNKNOWN]) if default is None or said is not None else ANY
    return ANY if said in (None, NONE) else said or ANY


def _annotate(work: Work, argument: ast.arg, default: ast.expr | None, text: str) -> bool:
    end = argument.end_lineno or argument.lineno, argument.end_col_offset or argument.col_offset
    if default is not None:
        start = default.lineno, default.col_offset
        if work.edits.read(end, start).strip() == "=":
            return work.edits.between(end, start, f": {text} = ")
    return work.edits.insert(*end, f": {text}")


def _defaults(function: Function) -> dict[ast.arg, ast.expr]:
    made = function.args
    positional = [*made.posonlyargs, *made.args]
    named = zip(made.kwonlyargs, made.kw_defaults, strict=True)
    paired = dict(zip(reversed(positional), reversed(made.defaults), strict=False))
    return paired | {argument: default for argument, default in named if default is not None}


def _receiver(function: Function, parent: ast.AST) -> ast.arg | None:
    """Return the parameter that is the object or the class itself, which needs no annotation."""
    static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0] if isinstance(parent, ast.ClassDef) and positional and not static else None


def _returned(work: Work, function: Function, parent: ast.AST, scope: Scope, sample: Sample) -> Kind:
    special = known_return("special methods", function.name) if isinstance(parent, ast.ClassDef) else None
    if special is not None:
        return special
    nodes = list(inside(function))
    values = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    yields = [node for node in nodes if isinstance(node, (ast.Yield, ast.YieldFrom))]
    if yields:
        return _generator(function, yields, scope, returns=bool(values))
    if not values:
        return NONE
    if _gives_itself(function, parent, values):
        return kind("Self")
    return ANY if work.loose else _of_values(function, nodes, values, scope, sample)


def _of_values(function: Function, nodes: list[ast.AST], values: list[ast.expr], scope: Scope, sample: Sample) -> Kind:
    bare = any(isinstance(node, ast.Return) and node.value is None for node in nodes)
    rest = [NONE] if bare or not ends(function.body) else []
    kinds = [scope.infer(value) for value in values]
    known = join([one for one in kinds if one is not None] + rest)
    if None not in kinds and not known.names() & {"Any"}:
        return known
    if sample.result is not None:
        return join([sample.result, *rest, *([NONE] if NONE in kinds else [])])
    return known if None not in kinds else ANY


def _generator(function: Function, yields: list[ast.Yield | ast.YieldFrom], scope: Scope, *, returns: bool) -> Kind:
    if returns:
        return ANY
    items = [
        scope.infer(node.value) or ANY if isinstance(node, ast.Yield) and node.value is not None else ANY
        for node in yields
    ]
    return kind("AsyncIterator" if isinstance(function, ast.AsyncFunctionDef) else "Iterator", join(items))


def _gives_itself(function: Function, parent: ast.AST, values: list[ast.expr]) -> bool:
    receiver = _receiver(function, parent)
    names = {value.id if isinstance(value, ast.Name) else "" for value in values}
    return receiver is not None and names == {receiver.arg}


def ends(body: list[ast.stmt]) -> bool:
    """Whether the end of *body* is never reached."""
    match body[-1]:
        case ast.Return() | ast.Raise() | ast.Continue():
            return True
        case ast.If(body=first, orelse=second):
            return bool(second) and ends(first) and ends(second)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return ends(inner)
        case ast.While(test=ast.Constant(value=value), body=inner):
            return bool(value) and not any(isinstance(one, ast.Break) for stmt in inner for one in ast.walk(stmt))
        case ast.Try() as attempt:
            return _attempt_ends(attempt)
        case ast.Match(cases=cases):
            return _choice_ends(cases)
    return False


def _attempt_ends(attempt: ast.Try) -> bool:
    normal = ends(attempt.orelse or attempt.body)
    return (bool(attempt.finalbody) and ends(attempt.finalbody)) or (
        normal and all(ends(handler.body) for handler in attempt.handlers)
    )


def _choice_ends(cases: list[ast.match_case]) -> bool:
    last = cases[-1].pattern
    every = isinstance(last, ast.MatchAs) and last.pattern is None and cases[-1].guard is None
    return every and all(ends(case.body) for case in cases)
