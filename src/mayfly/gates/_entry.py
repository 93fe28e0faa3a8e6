"""Find what is called in a source, and how: one class with `invoke`, one class with one public method, or a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["class", "method", "function"]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Parameter(NamedTuple):
    """One parameter: its name and its annotation as text, empty where there is none."""

    name: str
    annotation: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Say how the code is called.

    With *spread* the input is a list of positional arguments, otherwise the input is the one argument.
    """

    name: str
    kind: Kind
    method: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    generator: bool = False
    spread: bool = False


class NoEntry(ValueError):
    """The source has no entry, or more than one; the message names what was found."""


def find_entry(tree: ast.Module, wanted: str = "", *, spread: bool | None = None) -> Entry:
    """Return the one entry of *tree*, which is *wanted* where that is given; anything unclear is `NoEntry`."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if wanted:
        named = [node for node in (*classes, *functions) if node.name == wanted]
        if not named:
            defined = ", ".join(node.name for node in (*classes, *functions)) or "nothing"
            raise NoEntry(f"{wanted} is not defined; the source defines {defined}")
        return _entry(named[-1], spread)
    agents = [node for node in classes if _method(node, "invoke")]
    agents = [node for node in agents if node.name.startswith("JIT")] or agents
    callable_ = agents or [node for node in classes if len(_public(node)) == 1 and not _is_data(node)]
    if not callable_ and any(_public(node) for node in classes):
        listed = "; ".join(f"{node.name} has {', '.join(m.name for m in _public(node))}" for node in classes)
        raise NoEntry(f"no class has an invoke method and none has exactly one public method: {listed}")
    found: list[ast.ClassDef | Function] = [
        *(callable_ or [node for node in functions if not node.name.startswith("_")])
    ]
    if len(found) != 1:
        names = " and ".join(node.name for node in found) or "nothing to call"
        raise NoEntry(f"one class with an invoke method is needed, found {names}")
    return _entry(found[0], spread)


def adapted(source: str, entry: Entry) -> tuple[str, str]:
    """Return a source and the name in it that the sandbox can call with one argument."""
    if entry.kind == "method":
        call = f"{entry.name}().{entry.method}(argument)"
    elif entry.kind == "function" and entry.spread:
        call = f"{entry.name}(*argument)"
    else:
        return source, entry.name
    return f"{source}\n\n\ndef _mayfly_call(argument):\n    return {call}\n", "_mayfly_call"


def _entry(node: ast.ClassDef | Function, spread: bool | None) -> Entry:
    if not isinstance(node, ast.ClassDef):
        parameters = _parameters(node)
        spread = len(parameters) != 1 if spread is None else spread
        return _describe(Entry(name=node.name, kind="function", parameters=parameters, spread=spread), node)
    method = _method(node, "invoke")
    kind: Kind = "class" if method else "method"
    if method is None:
        public = _public(node)
        if len(public) != 1:
            raise NoEntry(f"{node.name} needs an invoke method or exactly one public method; it has {len(public)}")
        method = public[0]
    parameters = _parameters(method)[1:]
    return _describe(Entry(name=node.name, kind=kind, method=method.name, parameters=parameters), method)


def _describe(entry: Entry, node: Function) -> Entry:
    from dataclasses import replace

    returns = ast.unparse(node.returns) if node.returns else ""
    return replace(entry, returns=returns, generator=any(_yields(node)))


def _yields(node: Function) -> Iterator[bool]:
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            yield True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(inner))


def _parameters(node: Function) -> tuple[Parameter, ...]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return tuple(Parameter(a.arg, ast.unparse(a.annotation) if a.annotation else "") for a in arguments)


def _method(node: ast.ClassDef, name: str) -> Function | None:
    return next((found for found in _methods(node) if found.name == name), None)


def _public(node: ast.ClassDef) -> list[Function]:
    return [found for found in _methods(node) if not found.name.startswith("_")]


def _methods(node: ast.ClassDef) -> list[Function]:
    return [item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]


def _is_data(node: ast.ClassDef) -> bool:
    """Whether this is a dataclass: its methods serve the agent, they are not the agent."""
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
