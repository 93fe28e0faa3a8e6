"""Freeze: put the proven source of a `jit` function into the module it stands in, for people to review and keep."""

from __future__ import annotations

import ast
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import InputError, StoreError, parse_python
from mayfly.runtime._signature import examples_of, signature_of_node

if TYPE_CHECKING:
    from mayfly.core import Proof
    from mayfly.runtime._compile import Compiled
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
    after = before
    for node in reversed(chosen):
        after = _put(after, node, _compiled(runtime, node, model), path)
    _parse(after, path)
    return Frozen(path=path, before=before, after=after, functions=tuple(node.name for node in chosen))


def _chosen(text: str, path: Path, only: str) -> list[Function]:
    """Return the functions under `jit` that are meant."""
    asked = [node for node in _jit_nodes(_parse(text, path)) if only in ("", node.name)]
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
    return {node.name: node.lineno for node in _jit_nodes(_parse(_read(path), path))}


def prove_function(runtime: Runtime, path: Path, name: str, *, model: str | None = None) -> Proof:
    """Prove a function under `jit`: one that is remembered by its tests again, another by writing it; or raise.

    The fallback counts as no proof, and neither does a weak one.
    """
    from mayfly.runtime._prove import rerun

    [node] = _chosen(_read(path), path, name)
    signature = signature_of_node(node)
    examples = examples_of(signature)
    if not examples:
        return _must_hold(runtime.compile(runtime.function_task(signature, examples), model=model).proof, name)
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
    task = runtime.function_task(signature, examples_of(signature))
    return runtime.compile(task, model=model)


def _is_jit(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called) in ("jit", "mayfly.jit", "mayfly.runtime.jit"):
            return True
    return False


def _put(text: str, node: Function, compiled: Compiled, path: Path) -> str:
    """Return *text* with the function replaced by what was written, and its helpers and imports before it."""
    written = parse_python(compiled.artifact.source)
    module = _parse(text, path)
    lines = text.splitlines(keepends=True)
    start = min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1
    proof = compiled.proof
    told = f"{proof.tests} tests, {proof.mutants_killed} of {proof.mutants} mutants caught"
    note = f"# Written and proven by mayfly freeze: proof {proof.strength}, {told}.\n"
    imports, helpers, function = _split(written, node.name)
    _refuse_clashes(module, helpers, node.name, path)
    body = "\n\n\n".join([*(ast.unparse(item) for item in helpers), _function(function, node)])
    lines[start : node.end_lineno] = [note, body, "\n"]
    return _with_imports("".join(lines), imports, module)


def _split(written: ast.Module, name: str) -> tuple[list[ast.stmt], list[ast.stmt], Function]:
    imports: list[ast.stmt] = [item for item in written.body if isinstance(item, (ast.Import, ast.ImportFrom))]
    functions = [item for item in written.body if isinstance(item, ast.FunctionDef) and item.name == name]
    skipped = {id(item) for item in (*imports, *functions)}
    helpers = [item for item in written.body if id(item) not in skipped and not _is_text(item)]
    return imports, helpers, functions[-1]


def _is_text(item: ast.stmt) -> bool:
    return isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)


def _function(function: Function, node: Function) -> str:
    """Return the written function under the docstring of the one it replaces."""
    documented = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if documented else function.body
    own = node.body[:1] if ast.get_docstring(node) else []
    # Whoever calls it goes by its own parameters: their kinds and defaults, which the written one may not have.
    parameters = node.args if _listed(node.args) == _listed(function.args) else function.args
    return ast.unparse(ast.fix_missing_locations(_copy(function, parameters, [*own, *body])))


def _listed(arguments: ast.arguments) -> list[str]:
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _copy(function: Function, parameters: ast.arguments, body: list[ast.stmt]) -> Function:
    made = ast.FunctionDef(
        name=function.name,
        args=parameters,
        body=body,
        decorator_list=[],
        returns=function.returns,
        type_comment=None,
    )
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []  # type: ignore[attr-defined,unused-ignore]
    return ast.copy_location(made, function)


def _refuse_clashes(module: ast.Module, helpers: list[ast.stmt], name: str, path: Path) -> None:
    taken = {found for item in module.body for found in _names(item)} - {name}
    clash = sorted(taken & {found for item in helpers for found in _names(item)})
    if clash:
        raise InputError(
            f"{path} already has {', '.join(clash)}, which {name} needs for itself", fix="rename it and try again"
        )


def _names(item: ast.stmt) -> list[str]:
    if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [item.name]
    targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _with_imports(text: str, imports: list[ast.stmt], module: ast.Module) -> str:
    """Put missing imports behind the module's docstring and `__future__` imports."""
    present = {ast.unparse(item) for item in module.body if isinstance(item, (ast.Import, ast.ImportFrom))}
    missing = [line for item in imports if (line := ast.unparse(item)) not in present and "__future__" not in line]
    if not missing:
        return text
    head = [item for item in module.body[:1] if _is_text(item)]
    head += [item for item in module.body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    at = max((item.end_lineno or item.lineno for item in head), default=0)
    lines = text.splitlines(keepends=True)
    gap = ["\n"] if at else []
    return "".join([*lines[:at], *gap, *(f"{line}\n" for line in missing), *lines[at:]])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def _parse(text: str, path: Path) -> ast.Module:
    try:
        return parse_python(text)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{path} is not Python: {error}") from None
