"""What one Python file defines, imports and uses, read from its tree; nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
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


class Use(NamedTuple):
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
    uses: list[Use] = field(default_factory=list)
    attributes: list[Use] = field(default_factory=list)

    def imports(self) -> Iterator[Imported]:
        """Yield everything that is imported, once."""
        yield from dict.fromkeys((*self.imported.values(), *self.stars))


def read_python(source: str) -> PythonFile:
    """Read one file; what is no Python, or is nested too deeply, raises what the parser raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parse_python(source)
    found = PythonFile()
    _Walk(found).visit(tree)
    return found


class _Walk(ast.NodeVisitor):
    def __init__(self, found: PythonFile) -> None:
        self._found = found
        self._scope: list[str] = []
        # The class that a method belongs to, with the name by which the method knows its object.
        self._owner: list[tuple[str, str]] = []
        self._called = False

    @property
    def _within(self) -> str:
        return ".".join(self._scope)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Note a class, its bases and what is in it."""
        for one in (*node.decorator_list, *(keyword.value for keyword in node.keywords)):
            self.visit(one)
        name = self._define(node, "class")
        self._scope.append(node.name)
        # A class depends on its bases, not what stands around it.
        self._found.bases[name] = [written for base in node.bases if (written := _dotted(base))]
        for base in node.bases:
            self.visit(base)
        self._owner.append((name, ""))
        self._body(node.body)
        self._owner.pop()
        self._scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Note a function or method and what is in it."""
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Note one that is awaited."""
        self._function(node)

    def _function(self, node: Function) -> None:
        in_class = bool(self._owner) and self._owner[-1][0] == self._within and bool(self._within)
        self._define(node, "method" if in_class else "function")
        first = next((argument.arg for argument in (*node.args.posonlyargs, *node.args.args)), "")
        self._scope.append(node.name)
        if in_class:
            self._owner.append((self._owner[-1][0], first))
        for one in (*node.decorator_list, node.args, *((node.returns,) if node.returns else ())):
            self.visit(one)
        self._body(node.body)
        if in_class:
            self._owner.pop()
        self._scope.pop()

    def _body(self, body: Sequence[ast.stmt]) -> None:
        for one in body:
            self.visit(one)

    def _define(self, node: Function | ast.ClassDef, kind: str) -> str:
        name = ".".join((*self._scope, node.name))
        self._found.definitions.setdefault(name, Definition(name, kind, node.lineno, node.end_lineno or node.lineno))
        return name

    def visit_Import(self, node: ast.Import) -> None:
        """Note modules under the names they are given."""
        for alias in node.names:
            if alias.asname:
                self._found.imported[alias.asname] = Imported(0, alias.name, "", node.lineno)
            else:
                # `import a.b` binds a, and makes a.b known.
                self._found.imported[alias.name] = Imported(0, alias.name, "", node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note what is taken out of a module."""
        for alias in node.names:
            one = Imported(node.level, node.module or "", alias.name, node.lineno)
            if alias.name == "*":
                self._found.stars.append(one)
            else:
                self._found.imported[alias.asname or alias.name] = one

    def visit_Assign(self, node: ast.Assign) -> None:
        """Note names of the module."""
        self._names(node.targets, node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Note names of the module that say their type."""
        self._names([node.target], node)
        self.generic_visit(node)

    def _names(self, targets: Sequence[ast.expr], node: ast.stmt) -> None:
        if not self._scope:
            for target in targets:
                for one in ast.walk(target):
                    if isinstance(one, ast.Name):
                        there = Definition(one.id, "name", node.lineno, node.end_lineno or node.lineno)
                        self._found.definitions.setdefault(one.id, there)

    def visit_Call(self, node: ast.Call) -> None:
        """Note what is called as called."""
        self._called = True
        self.visit(node.func)
        self._called = False
        for one in (*node.args, *node.keywords):
            self.visit(one)

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name that is read."""
        called, self._called = self._called, False
        if isinstance(node.ctx, ast.Load):
            self._found.uses.append(Use(node.id, self._within, node.lineno, called))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note a chain of names once, and its last name for whoever looks for a method of that name."""
        called, self._called = self._called, False
        written = _dotted(node)
        self._found.attributes.append(Use(node.attr, self._within, node.lineno, called))
        if not written:
            self.visit(node.value)
            return
        root, _, rest = written.partition(".")
        owner, own = self._owner[-1] if self._owner else ("", "")
        if own and root == own:
            written = f"{owner}.{rest}"
        self._found.uses.append(Use(written, self._within, node.lineno, called))
        for inner in ast.walk(node.value):
            if isinstance(inner, ast.Attribute):
                self._found.attributes.append(Use(inner.attr, self._within, inner.lineno, False))


def _dotted(node: ast.expr) -> str:
    """Return a chain of names as it is written; nothing for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""
