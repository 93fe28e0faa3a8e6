"""Packages of others made lean: their `__init__` re-exports hundreds of names, and who needs five pays for all.

`openai.types` alone takes thirty times as long as starting Python. Where the face of a package is nothing but imports,
each of them is put off until its name is asked for; a face that does anything else is left as it is.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import CodeType

# Statements that neither define a thing which could look for its neighbours, nor loop over them.
_HARMLESS = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr, ast.If)
# Who calls one of these sees which names are there.
_LOOKING = frozenset({"locals", "globals", "vars", "dir"})
# How the face's own `__getattr__` is made.
_TAIL = "from mayfly._lean import put_off as __put_off\n__getattr__ = __put_off(__name__, {names!r}, {modules!r})\n"


def lean_code(source: bytes, path: str) -> CodeType | None:
    """Return the code of a package's `__init__` with its imports put off; None where that could be noticed."""
    tree = ast.parse(source)
    if not all(map(_is_harmless, tree.body)):
        return None
    near = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
    kept_nodes = [node for node in tree.body if node not in near]
    used = {inner.id for node in kept_nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    modules = sorted({node.module.partition(".")[0] for node in near if node.module})
    # A name that is also a module's would be taken by the module as soon as anybody imports that.
    eager = [node for node in near if any(name in used or name in modules for name, _, _ in _bound(node))]
    names = {name: (module, there) for node in near if node not in eager for name, module, there in _bound(node)}
    tree.body = [node for node in tree.body if node not in near or node in eager]
    if "__all__" not in used:
        # What `import *` takes: everything that is public, put off or not.
        listed = sorted(name for name in {*names, *modules, *_kept_names(tree)} if not name.startswith("_"))
        tree.body += ast.parse(f"__all__ = {listed!r}").body
    tree.body += ast.parse(_TAIL.format(names=names, modules=modules)).body
    return compile(tree, path, "exec", dont_inherit=True)


def put_off(package: str, names: Mapping[str, tuple[str, str]], modules: list[str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of *package*, given where its names are and which modules its face would have loaded."""

    def load(name: str) -> Any:
        if name in names:
            module, there = names[name]
            found = _taken(f"{package}.{module}" if module else package, there)
            setattr(sys.modules[package], name, found)
            return found
        if name in modules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load


def _taken(module: str, name: str) -> Any:
    """Return what `from module import name` gives: an attribute, or a module beneath."""
    found = import_module(module)
    if name in vars(found) or not hasattr(found, "__path__"):
        return getattr(found, name)
    try:
        return import_module(f"{module}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{module}.{name}":
            raise
        return getattr(found, name)


def _is_harmless(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
        return False
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    looks = any(isinstance(called, ast.Name) and called.id in _LOOKING for called in calls)
    inside = all(map(_is_harmless, [*node.body, *node.orelse])) if isinstance(node, ast.If) else True
    named = isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in ("__getattr__", "__dir__") for target in node.targets
    )
    return isinstance(node, _HARMLESS) and not looks and not named and inside


def _kept_names(tree: ast.Module) -> Iterator[str]:
    """Yield what the face still binds by itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _bound(node: ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
    """Yield each name that is bound, the module it comes from and its name there."""
    for alias in node.names:
        yield alias.asname or alias.name, node.module or "", alias.name
