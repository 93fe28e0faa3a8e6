"""Repair annotations that are there: bare generics, defaults of None, names that were never imported."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mayfly.core import Verdict, shipped_table
from mayfly.gates._profile import SIX_IMPORTS
from mayfly.gates.types._repair_edit import Function, arguments, functions
from mayfly.gates.types._repair_kinds import of_annotation
from mayfly.gates.types._repair_signatures import Sample
from mayfly.gates.types._repair_work import Work

_QUOTED = re.compile(r'"([^"]+)"')
_TABLE = Path(__file__).parent / "typeserver" / "data" / "generics.toml"


@cache
def _generics() -> dict[str, str]:
    return {name: str(text) for name, text in shipped_table(_TABLE).items()}


def fill_generics(work: Work, samples: dict[Function, Sample]) -> None:
    """Say what bare generics hold: what the examples show where there are any, else anything."""
    if not work.coded("TYPE_ARG"):
        return
    for function, sample in samples.items():
        for argument in arguments(function):
            _fill_from(work, argument.annotation, sample, argument.arg, function)
        _fill_from(work, function.returns, sample, "", function)
    for annotation in _annotations(work.tree):
        for node, name in _bare(annotation):
            end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            text = _generics()[name]
            done = work.edits.insert(*end, text)
            work.want(*({"Any"} if done and "Any" in text else ()))
            work.note(done, f"wrote {name}{text} for {name}")


def _fill_from(work: Work, annotation: ast.expr | None, sample: Sample, name: str, function: Function) -> None:
    shown = sample.parameters.get(name) if name else sample.result
    said = of_annotation(annotation)
    if annotation is None or shown is None or said is None or work.loose:
        return
    if not said.args and said.name == shown.name.removesuffix("...") and shown.args:
        text = work.write(shown, work.parents.get(function))
        work.note(work.edits.replace(annotation, text), f"wrote {text} for {ast.unparse(annotation)}")


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


def import_names(work: Work) -> None:
    """Import what is used and was not: names of typing, and the modules every tier may import."""
    missing = {found[1] for error in work.coded("NAME_DEFINED") if (found := _QUOTED.search(error.message))}
    modules = sorted(missing & SIX_IMPORTS & _modules_used(work.tree))
    work.want(*(missing & set(typing.__all__)))
    if modules:
        text = "".join(f"import {name}\n" for name in modules)
        work.note(work.edits.insert(work.first_line(), 0, text), f"imported {', '.join(modules)}")


def _modules_used(tree: ast.Module) -> set[str]:
    owners = (node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}
