"""Mechanical repairs: what a tool can put right about types before a model is asked. Behaviour stays as it was."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from mayfly.core import Verdict, parse_python
from mayfly.gates._entry import NoEntry, find_entry
from mayfly.gates.types._repair_annotations import allow_none, allow_none_returned, fill_generics, import_names
from mayfly.gates.types._repair_edit import Function, functions
from mayfly.gates.types._repair_kinds import join, of_value
from mayfly.gates.types._repair_locals import (
    annotate_variables,
    drop_replaced,
    name_results,
    return_none,
    widen_numbers,
)
from mayfly.gates.types._repair_ruff import tidy
from mayfly.gates.types._repair_signatures import Sample, complete_signatures
from mayfly.gates.types._repair_work import Work

Example = tuple[Sequence[object], object]


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
    try:
        work = Work(text, errors, loose=loose)
        samples = {} if loose else _samples(work.tree, examples, entry)
        drop_replaced(work)
        fill_generics(work, samples)
        complete_signatures(work, samples)
        allow_none(work)
        allow_none_returned(work)
        import_names(work)
        annotate_variables(work)
        widen_numbers(work)
        name_results(work)
        return_none(work)
        made = work.result()
        parse_python(made)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Repaired(source=source)
    return Repaired(source=made, repairs=tuple(work.notes)) if work.notes else Repaired(source=source)


def tidied(done: Repaired) -> Repaired:
    """Return *done* after ruff has removed unused imports and old type names."""
    text = tidy(done.source)
    if text == done.source:
        return done
    return Repaired(source=text, repairs=(*done.repairs, "removed unused imports and old type names"))


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
    return Sample(parameters, join(of_value(result) for _, result in examples))
