"""Mechanical repairs: what a tool can put right about types before a model is asked. Behaviour stays as it was."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.core import Verdict, parse_python
from mayfly.gates._entry import NoEntry, find_entry
from mayfly.gates.judge import ruff_program
from mayfly.gates.types._repair_edits import Function, Work, arguments, colon, functions, inside
from mayfly.gates.types._repair_errors import (
    Sample,
    allow_none,
    allow_none_returned,
    annotate_variables,
    cast_results,
    drop_replaced,
    fill_generics,
    import_names,
    return_none,
    widen_numbers,
)
from mayfly.gates.types._repair_kinds import ANY, NONE, OBJECT, UNKNOWN, Kind, join, of_value

Example = tuple[Sequence[object], object]

_UNTYPED = ("NO_UNTYPED_DEF", "NO_UNTYPED_CALL")
# What a function plainly returns, or a method that Python itself calls; what is unused, and type names of old.
_RETURN_RULES = ("--select=ANN2", "--unsafe-fixes")
_SPECIAL_RULES = ("--select=ANN204", "--unsafe-fixes")
_TIDY_RULES = ("--select=F401,UP006,UP007,UP035,UP045",)
_RUFF_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """Hold the source as it is now, and the name of each repair that was made."""

    source: str
    repairs: tuple[str, ...] = ()


def repair(
    source: str,
    errors: Sequence[Verdict],
    *,
    examples: Sequence[Example] = (),
    entry: str = "",
    loose: bool = False,
) -> Repaired:
    """Repair what *errors* name and a tool can; comments and layout stay.

    *examples* are the positional arguments of *entry* (or of the only thing that is called from outside) and its
    result. With *loose*, whatever has no annotation becomes Any, for when a narrower guess did not fit.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    examples = () if loose else examples
    try:
        work = Work(text, errors, loose=loose)
        samples = _samples(work.tree, examples, entry)
        untyped = any(work.coded(code) for code in _UNTYPED)
        drop_replaced(work)
        fill_generics(work, samples)
        if untyped:
            _annotate_parameters(work, samples)
        allow_none(work)
        allow_none_returned(work)
        annotate_variables(work)
        widen_numbers(work)
        # What a module that was never imported gives is Any, until it is imported.
        if not import_names(work):
            cast_results(work)
        return_none(work)
        made, notes = work.result(), work.notes
        if untyped:
            made, added = _annotate_returns(made, examples, entry, loose=loose)
            notes = [*notes, *added]
        parse_python(made)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Repaired(source=source)
    return Repaired(source=made, repairs=tuple(notes)) if notes else Repaired(source=source)


def tidied(done: Repaired) -> Repaired:
    """Return a repaired source without unused imports and old type names."""
    text = _fix_by_ruff(done.source, *_TIDY_RULES)
    if text == done.source:
        return done
    return Repaired(source=text, repairs=(*done.repairs, "removed unused imports and old type names"))


def _fix_by_ruff(source: str, *options: str) -> str:
    """Return *source* as ruff leaves it by these *options*, or as it is where ruff gives no answer."""
    program = ruff_program()
    if program is None:
        return source
    command = [program, "check", "--fix-only", "--isolated", "--no-cache", "--quiet"]
    try:
        ran = subprocess.run(
            [*command, "--target-version=py311", *options, "--stdin-filename=source.py", "-"],
            input=source.encode(),
            capture_output=True,
            timeout=_RUFF_SECONDS,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            cwd="/",
            check=False,
        )
        return ran.stdout.decode() if ran.returncode == 0 and ran.stdout else source
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return source


def _samples(tree: ast.Module, examples: Sequence[Example], entry: str) -> dict[Function, Sample]:
    """Return what the examples say of the function that is called from outside."""
    if not examples:
        return {}
    try:
        found = find_entry(tree, entry)
    except NoEntry:
        return {}
    name, owner = (found.method, found.name) if found.method else (found.name, "")
    for function, parent in functions(tree):
        inside = parent.name if isinstance(parent, ast.ClassDef) else ""
        if (function.name, inside) == (name, owner) and (inside or isinstance(parent, ast.Module)):
            return {function: _sample(function, examples, method=bool(owner))}
    return {}


def _sample(function: Function, examples: Sequence[Example], *, method: bool) -> Sample:
    positional = [*function.args.posonlyargs, *function.args.args][1 if method else 0 :]
    parameters = {
        argument.arg: join(of_value(arguments[index]) for arguments, _ in examples if len(arguments) > index)
        for index, argument in enumerate(positional)
    }
    return Sample(parameters=parameters, result=join(of_value(result) for _, result in examples))


def _annotate_parameters(work: Work, samples: dict[Function, Sample]) -> None:
    """Say of each parameter what the examples and its default show, else anything."""
    for function, parent in functions(work.tree):
        sample = samples.get(function, Sample())
        defaults = _defaults(function)
        skipped = _receiver(function, parent)
        for argument in arguments(function):
            if argument.annotation is not None or argument is skipped:
                continue
            default = defaults.get(argument)
            found = ANY if work.loose else _parameter(function, argument, default, sample)
            text = work.write(found, work.parents.get(function))
            done = _annotate(work, argument, default, text)
            work.note(done, f"annotated {argument.arg} of {function.name} as {text}")


def _parameter(function: Function, argument: ast.arg, default: ast.expr | None, sample: Sample) -> Kind:
    if function.name in ("__eq__", "__ne__"):
        return OBJECT
    if argument in (function.args.vararg, function.args.kwarg):
        return ANY
    shown = sample.parameters.get(argument.arg)
    said = _of_default(default)
    if shown is not None:
        return join([shown, said or UNKNOWN]) if default is None or said is not None else ANY
    return ANY if said in (None, NONE) else said or ANY


def _of_default(default: ast.expr | None) -> Kind | None:
    """Return the kind of a default that is written out, else None."""
    try:
        return None if default is None else of_value(ast.literal_eval(default))
    except (ValueError, TypeError, SyntaxError):
        return None


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


def _annotate_returns(source: str, examples: Sequence[Example], entry: str, *, loose: bool) -> tuple[str, list[str]]:
    """Say what each function returns: ruff reads off what is plain, the examples show the entry's, the rest is Any."""
    found = functions(parse_python(source))
    before = {_place(function, parent) for function, parent in found if function.returns is None}
    work = Work(_fix_by_ruff(source, *(_SPECIAL_RULES if loose else _RETURN_RULES)), (), loose=loose)
    samples = _samples(work.tree, examples, entry)
    for function, parent in functions(work.tree):
        text = ast.unparse(function.returns) if function.returns else ""
        done = bool(text) and _place(function, parent) in before
        place = None if text else colon(work.source, function)
        if place is not None:
            yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside(function))
            shown = None if yields else samples.get(function, Sample()).result
            text = work.write(shown or ANY, work.parents.get(function))
            done = work.edits.insert(*place, f" -> {text}")
        work.note(done, f"added -> {text} to {function.name}")
    return work.result(), work.notes


def _place(function: Function, parent: ast.AST) -> tuple[str, str]:
    return getattr(parent, "name", ""), function.name
