"""Freeze: put the proven source of a `jit` function into the module it stands in, for people to review and keep."""

from __future__ import annotations

import ast
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import InputError, StoreError
from mayfly.forge import Written, examples_of, merge_into, parse_module, signature_of_node

if TYPE_CHECKING:
    from mayfly.core import Proof
    from mayfly.forge import Compiled
    from mayfly.runtime._run import Runtime

Function = ast.FunctionDef


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """Hold a module before and after, and which functions were frozen."""

    path: Path
    before: str
    after: str
    functions: tuple[str, ...]


def freeze_module(runtime: Runtime, path: Path, *, only: str = "", model: str | None = None) -> Frozen:
    """Write and prove every `jit` function of a module and return the module with their bodies; nothing is written.

    The module is read, never imported: what it does when it runs does not matter here.
    """
    before = _read(path)
    chosen = _chosen(before, path, only)
    after = merge_into(before, path, [_written(runtime, node, model) for node in chosen])
    return Frozen(path=path, before=before, after=after, functions=tuple(node.name for node in chosen))


def _chosen(text: str, path: Path, only: str) -> list[Function]:
    """Return the functions under `jit` that are meant."""
    asked = [node for node in _jit_nodes(parse_module(text, path)) if only in ("", node.name)]
    for node in asked:
        signature_of_node(node)
    chosen = [node for node in asked if isinstance(node, ast.FunctionDef)]
    if not chosen:
        named = f" called {only}" if only else ""
        raise InputError(
            f"{path} has no function{named} under @mayfly.jit", fix="decorate one: @mayfly.jit(ground=None)"
        )
    return chosen


def _jit_nodes(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in tree.body if isinstance(node, kinds) and _is_jit(node)]


def jit_functions(path: Path) -> dict[str, int]:
    """Return the functions of a module under `jit`, each with its line; the module is read, never imported."""
    return {node.name: node.lineno for node in _jit_nodes(parse_module(_read(path), path))}


def prove_function(runtime: Runtime, path: Path, name: str, *, model: str | None = None) -> Proof:
    """Prove a function under `jit`: one that is remembered by its tests again, another by writing it; or raise.

    The fallback counts as no proof, and neither does a weak one.
    """
    from mayfly.runtime._prove import rerun

    [node] = _chosen(_read(path), path, name)
    signature = signature_of_node(node)
    examples = examples_of(signature)
    if not examples:
        return _must_hold(_compiled(runtime, node, model).proof, name)
    given = examples[0].input
    outcome = runtime.call(
        signature, given if isinstance(given, list) else [given], examples=examples, ground=None, model=model
    )
    if not outcome.resolved or outcome.proof is None:
        raise StoreError(f"{name} is not proven: {outcome.reason}", fix=f"see: mayfly why {outcome.id}")
    if outcome.cached:
        failed = [result for result in rerun(runtime, outcome.id).results if not result.passed]
        if failed:
            raise StoreError(f"a test of {name} does not pass again: {failed[0].name}: {failed[0].error}")
    return _must_hold(outcome.proof, name)


def _must_hold(proof: Proof, name: str) -> Proof:
    if not proof.holds:
        raise StoreError(f"{name} has a {proof.strength} proof only: nobody but its author speaks for it")
    return proof


def write_module(frozen: Frozen) -> None:
    """Replace the module at once: a reader sees the old one or the new one."""
    if _read(frozen.path) != frozen.before:
        raise InputError(f"{frozen.path} was changed meanwhile; nothing was written", fix="run it again")
    mode = frozen.path.stat().st_mode & 0o777
    descriptor, name = tempfile.mkstemp(dir=frozen.path.parent, prefix=f".{frozen.path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(frozen.after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, frozen.path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _compiled(runtime: Runtime, node: Function, model: str | None) -> Compiled:
    signature = signature_of_node(node)
    task = runtime.function_task(signature, examples=examples_of(signature), model=model)
    return runtime.compiler.compile(task)


def _is_jit(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called) in ("jit", "mayfly.jit", "mayfly.runtime.jit"):
            return True
    return False


def _written(runtime: Runtime, node: Function, model: str | None) -> Written:
    """Write and prove one function."""
    compiled = _compiled(runtime, node, model)
    proof = compiled.proof
    told = f"{proof.tests} tests, {proof.mutants_killed} of {proof.mutants} mutants caught"
    note = f"# Written and proven by mayfly freeze: proof {proof.strength}, {told}."
    return Written(node, compiled.artifact.source, note)


def _read(path: Path) -> str:
    try:
        # Line endings stay as they are.
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
