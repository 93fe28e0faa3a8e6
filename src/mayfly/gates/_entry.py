"""Find what is called in a source, and how: a class with `invoke`, a class with one public method, or a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

Kind = Literal["class", "method", "function"]
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.ClassDef | Function
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Classes that hold data or say what went wrong: their methods serve the agent, they are not the agent.
_PASSIVE_BASES = frozenset(
    {"NamedTuple", "TypedDict", "Enum", "IntEnum", "StrEnum", "Protocol", "Exception", "ValueError"}
)
CALL = "_mayfly_call"
# Puts what a program works on into files: text as it is, items one a line, those that are no text as JSON. The one
# directory that a job may write to is that to which DuckDB spills. With several files the argument is a list of what
# each of them holds.
_FILES = """


def _mayfly_files(argument):
    return [_mayfly_file(held) for held in argument] if {several} else _mayfly_file(argument)


def _mayfly_file(held, made=[]):
    import json

    made.append(None)
    directory = duckdb.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
    name = f"{{directory}}/input-{{len(made)}}"
    if isinstance(held, dict) and held.keys() == {{"file", "lines"}}:
        # One of several files of a table, in which they are told apart by their names.
        name, held = f"{{directory}}/{{held['file'].rpartition('/')[2]}}", held["lines"]
    with open(name, "w", encoding="utf-8", errors="replace", newline="") as file:
        if isinstance(held, str):
            file.write(held)
        else:
            texts = (one.rstrip("\\r\\n") if isinstance(one, str) else json.dumps(one) for one in held)
            file.writelines(f"{{text}}\\n" for text in texts)
    return name
"""


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
    # The last of the parameters, which a call has to name; where a list is spread, its last values are theirs.
    keywords: tuple[str, ...] = ()
    # Whether it asks DuckDB about files: then it takes the path of its input, or a list of paths.
    data: bool = False


class NoEntry(ValueError):
    """The source has no entry, or more than one; the message names what was found."""


def find_entry(tree: ast.Module, wanted: str = "", *, spread: bool | None = None) -> Entry:
    """Return the one entry of *tree*, which is *wanted* where that is given; anything unclear is `NoEntry`."""
    defined = [node for node in tree.body if isinstance(node, (ast.ClassDef, *_FUNCTIONS))]
    data = any(isinstance(node, ast.Import) and node.names[0].name == "duckdb" for node in tree.body)
    if wanted:
        return replace(_entry(_named(defined, wanted), spread), data=data)
    agents = [node for node in defined if isinstance(node, ast.ClassDef) and _method(node, "invoke")]
    agents = [node for node in agents if node.name.startswith("JIT")] or agents
    found: list[Definition] = [*agents] if agents else _unused(tree, _callable(defined))
    if len(found) != 1:
        raise NoEntry(_unclear(defined, found))
    return replace(_entry(found[0], spread), data=data)


def adapted(source: str, entry: Entry) -> tuple[str, str]:
    """Return a source and the name in it that the sandbox can call with one argument.

    A program that takes paths is called on the files that its argument is written to, in the directory of the job.
    """
    if entry.data:
        return (
            f"{with_files(source, entry)}\n\ndef {CALL}(argument):\n    return {entry.name}(_mayfly_files(argument))\n",
            CALL,
        )
    target = entry.name if entry.kind == "function" else f"{entry.name}().{entry.method}"
    if not entry.spread and entry.kind != "method":
        return source, entry.name
    given = "*argument" if entry.spread else "argument"
    if entry.spread and entry.keywords:
        count = len(entry.parameters) - len(entry.keywords)
        given = f"*argument[:{count}], **dict(zip({entry.keywords!r}, argument[{count}:]))"
    return f"{source}\n\n\ndef {CALL}(argument):\n    return {target}({given})\n", CALL


def with_files(source: str, entry: Entry) -> str:
    """Return a source with `_mayfly_files`, which writes an argument to files, whose paths the program takes."""
    several = bool(entry.parameters) and entry.parameters[0].annotation.startswith("list")
    return f"{source}{_FILES.format(several=several)}"


def _named(defined: list[Definition], wanted: str) -> Definition:
    named = [node for node in defined if node.name == wanted]
    if not named:
        raise NoEntry(f"{wanted} is not defined; the source defines {', '.join(n.name for n in defined) or 'nothing'}")
    return named[-1]


def _callable(defined: list[Definition]) -> list[Definition]:
    """Return what could be meant: public functions, and classes with exactly one public method."""
    latest = {node.name: node for node in defined}.values()
    return [
        node
        for node in latest
        if not node.name.startswith("_")
        and (not isinstance(node, ast.ClassDef) or (len(_public(node)) == 1 and not _is_passive(node)))
    ]


def _unused(tree: ast.Module, found: list[Definition]) -> list[Definition]:
    """Leave out what the others use: a helper is not what is called from outside."""
    used = {id(node) for node in found if _is_used(node.name, (other for other in tree.body if other is not node))}
    return [node for node in found if id(node) not in used] if len(found) > 1 else found


def _is_used(name: str, elsewhere: Iterable[ast.stmt]) -> bool:
    # The usual guard at the end of a script calls the entry; it is no part of the program.
    parts = (node for node in elsewhere if not isinstance(node, (ast.If, ast.Expr)))
    return any(isinstance(inner, ast.Name) and inner.id == name for node in parts for inner in ast.walk(node))


def _unclear(defined: list[Definition], found: list[Definition]) -> str:
    if found:
        return f"one class with an invoke method is needed, found {' and '.join(node.name for node in found)}"
    classes = [node for node in defined if isinstance(node, ast.ClassDef) and _public(node)]
    if not classes:
        return "one class with an invoke method is needed, found nothing to call"
    listed = "; ".join(f"{node.name} has {', '.join(method.name for method in _public(node))}" for node in classes)
    return f"no class has an invoke method and none has exactly one public method: {listed}"


def _entry(node: Definition, spread: bool | None) -> Entry:
    if not isinstance(node, ast.ClassDef):
        return _described("function", node.name, "", node, _parameters(node), spread)
    method = _method(node, "invoke")
    kind: Kind = "class" if method else "method"
    if method is None:
        public = _public(node)
        if len(public) != 1:
            raise NoEntry(f"{node.name} needs an invoke method or exactly one public method; it has {len(public)}")
        method = public[0]
    parameters = _parameters(method)[0 if "staticmethod" in _decorators(method) else 1 :]
    return _described(kind, node.name, method.name, method, parameters, spread)


def _described(
    kind: Kind, name: str, method: str, node: Function, parameters: tuple[Parameter, ...], spread: bool | None
) -> Entry:
    return Entry(
        name=name,
        kind=kind,
        method=method,
        parameters=parameters,
        returns=ast.unparse(node.returns) if node.returns else "",
        generator=any(_yields(node)),
        spread=_needed(node) != 1 if spread is None else spread,
        keywords=tuple(argument.arg for argument in node.args.kwonlyargs),
    )


def _needed(node: Function) -> int:
    """Return how many arguments a caller has to give; those with a default can be left out.

    One that has to be named cannot be the only one, since that is given without a name: then there are several.
    """
    arguments = [*node.args.posonlyargs, *node.args.args]
    named = sum(default is None for default in node.args.kw_defaults)
    bound = 1 if arguments and arguments[0].arg in ("self", "cls") else 0
    given = len(arguments) - bound
    least = given - len(node.args.defaults)
    if named:
        return max(2, least + named)
    return 1 if least <= 1 <= given else least


def _yields(node: Function) -> Iterator[bool]:
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            yield True
        if not isinstance(inner, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(inner))


def _parameters(node: Function) -> tuple[Parameter, ...]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return tuple(Parameter(a.arg, ast.unparse(a.annotation) if a.annotation else "") for a in arguments)


def _method(node: ast.ClassDef, name: str) -> Function | None:
    return next((found for found in _methods(node) if found.name == name), None)


def _public(node: ast.ClassDef) -> list[Function]:
    return [found for found in _methods(node) if not found.name.startswith("_")]


def _methods(node: ast.ClassDef) -> list[Function]:
    """Return the methods; a property is read, not called."""
    found = [item for item in node.body if isinstance(item, _FUNCTIONS)]
    return [item for item in found if not {"property", "cached_property", "setter"} & _decorators(item)]


def _decorators(node: Definition) -> set[str]:
    called = (item.func if isinstance(item, ast.Call) else item for item in node.decorator_list)
    return {ast.unparse(item).rpartition(".")[2] for item in called}


def _is_passive(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    return "dataclass" in _decorators(node) or bool(bases & _PASSIVE_BASES)
