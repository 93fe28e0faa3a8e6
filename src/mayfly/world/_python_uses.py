"""What one Python file defines, imports and uses, read from its tree; nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mayfly.core import parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Definition(NamedTuple):
    """A function, method, class or name of the module, and its line."""

    name: str
    kind: str
    line: int
    end: int


class Imported(NamedTuple):
    """What a name stands for: something of a module, or the module itself; *level* counts the dots before it."""

    level: int
    module: str
    name: str
    line: int


class NameUse(NamedTuple):
    """A name as it is written, such as `core.shown`, and the function it stands in; nothing is the module itself."""

    dotted: str
    within: str
    line: int
    called: bool


@dataclass(kw_only=True)
class PythonFile:
    """Everything about one file that the others may have to do with."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    bases: dict[str, list[str]] = field(default_factory=dict)
    imported: dict[str, Imported] = field(default_factory=dict)
    stars: list[Imported] = field(default_factory=list)
    uses: list[NameUse] = field(default_factory=list)
    attributes: list[NameUse] = field(default_factory=list)

    def imports(self) -> Iterator[Imported]:
        """Yield everything that is imported, once."""
        yield from dict.fromkeys((*self.imported.values(), *self.stars))


def read_python(source: str) -> PythonFile:
    """Read one file; what is no Python, or is nested too deeply, raises what the parser raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parse_python(source)
    reader = _Reader()
    reader.read(tree, _Where())
    return reader.found


class _Where(NamedTuple):
    """What stands around a node: functions and classes; in a method also its class, and its name for its object."""

    scope: tuple[str, ...] = ()
    owner: tuple[str, str] | None = None

    @property
    def within(self) -> str:
        return ".".join(self.scope)


class _Reader:
    def __init__(self) -> None:
        self.found = PythonFile()

    def read(self, node: ast.AST, where: _Where, *, called: bool = False) -> None:
        """Note what a node defines, imports or uses, and what is in it; *called* where it is what a call is of."""
        match node:
            case ast.ClassDef():
                self._class(node, where)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, where)
            case ast.Import():
                for alias in node.names:
                    # `import a.b` binds a, and makes a.b known.
                    one = Imported(0, alias.name, "", node.lineno)
                    self.found.imported[alias.asname or alias.name] = one
            case ast.ImportFrom():
                self._import_from(node)
            case ast.Call():
                self.read(node.func, where, called=True)
                self._all((*node.args, *node.keywords), where)
            case ast.Name():
                if isinstance(node.ctx, ast.Load):
                    self.found.uses.append(NameUse(node.id, where.within, node.lineno, called))
            case ast.Attribute():
                self._attribute(node, where, called)
            case _:
                if isinstance(node, (ast.Assign, ast.AnnAssign)) and not where.scope:
                    self._names(node)
                self._all(ast.iter_child_nodes(node), where)

    def _all(self, nodes: Iterable[ast.AST], where: _Where) -> None:
        for one in nodes:
            self.read(one, where)

    def _class(self, node: ast.ClassDef, where: _Where) -> None:
        self._all((*node.decorator_list, *(keyword.value for keyword in node.keywords)), where)
        name = self._define(node, where, "class")
        self.found.bases[name] = [written for base in node.bases if (written := _dotted(base))]
        inside = _Where((*where.scope, node.name), where.owner)
        # A class depends on its bases, not what stands around it.
        self._all(node.bases, inside)
        self._all(node.body, inside._replace(owner=(name, "")))

    def _function(self, node: Function, where: _Where) -> None:
        in_class = bool(where.scope) and where.owner is not None and where.owner[0] == where.within
        self._define(node, where, "method" if in_class else "function")
        first = next((argument.arg for argument in (*node.args.posonlyargs, *node.args.args)), "")
        owner = (where.within, first) if in_class else where.owner
        inside = _Where((*where.scope, node.name), owner)
        self._all((*node.decorator_list, node.args, *((node.returns,) if node.returns else ()), *node.body), inside)

    def _define(self, node: Function | ast.ClassDef, where: _Where, kind: str) -> str:
        name = ".".join((*where.scope, node.name))
        self.found.definitions.setdefault(name, Definition(name, kind, node.lineno, node.end_lineno or node.lineno))
        return name

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            one = Imported(node.level, node.module or "", alias.name, node.lineno)
            if alias.name == "*":
                self.found.stars.append(one)
            else:
                self.found.imported[alias.asname or alias.name] = one

    def _names(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for one in (inner for target in targets for inner in ast.walk(target)):
            if isinstance(one, ast.Name):
                there = Definition(one.id, "name", node.lineno, node.end_lineno or node.lineno)
                self.found.definitions.setdefault(one.id, there)

    def _attribute(self, node: ast.Attribute, where: _Where, called: bool) -> None:
        """Note a chain of names once, and its last name for whoever looks for a method of that name."""
        written = _dotted(node)
        self.found.attributes.append(NameUse(node.attr, where.within, node.lineno, called))
        if not written:
            self.read(node.value, where)
            return
        root, _, rest = written.partition(".")
        owner, own = where.owner or ("", "")
        if own and root == own:
            written = f"{owner}.{rest}"
        self.found.uses.append(NameUse(written, where.within, node.lineno, called))
        for inner in ast.walk(node.value):
            if isinstance(inner, ast.Attribute):
                self.found.attributes.append(NameUse(inner.attr, where.within, inner.lineno, False))


def _dotted(node: ast.expr) -> str:
    """Return a chain of names as it is written; nothing for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""
