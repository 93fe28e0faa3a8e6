"""Merge written functions into the text of a module: imports, helpers and names of several functions side by side."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mayfly.core import InputError, parse_python

Function = ast.FunctionDef
_BOM = "\ufeff"


class Written(NamedTuple):
    """What was written for a function of the module: its source, and the comment that is put above it."""

    node: Function
    source: str
    note: str


def merge_into(text: str, path: Path, written: Sequence[Written]) -> str:
    """Return *text* with every function replaced by what was written for it; `InputError` where that cannot be."""
    bare = text.removeprefix(_BOM)
    module = parse_module(bare, path)
    _check(bare, path)
    scope, newline = _Scope.of(bare, module), "\r\n" if "\r\n" in bare else "\n"
    lines = _lines(bare)
    edits: list[tuple[int, int, str]] = []
    imports: list[str] = []
    for one in sorted(written, key=lambda one: one.node.lineno):
        start, end = _start(one.node, lines), one.node.end_lineno or one.node.lineno
        piece = _Piece.of(one, path).fitted(scope, start, path)
        imports += piece.new_imports(scope)
        helpers = piece.new_helpers(scope)
        scope.add(piece, start)
        body = "\n\n\n".join([*helpers, _function(piece.function, one.node)])
        edits.append((start, end, f"{one.note}\n{body}\n".replace("\n", newline)))
    for start, end, body in reversed(edits):
        lines[start:end] = [body]
    at = _head(module, lines)
    gap = [newline] if imports and at else []
    merged = "".join([*lines[:at], *gap, *(f"{line}{newline}" for line in dict.fromkeys(imports)), *lines[at:]])
    _check(merged, path)
    return _BOM * (bare != text) + merged


def parse_module(text: str, path: Path) -> ast.Module:
    """Return the tree of a module."""
    try:
        return parse_python(text.removeprefix(_BOM))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{path} is not Python: {error}") from None


def _check(text: str, path: Path) -> None:
    """Refuse a module that Python would not load; parsing alone does not see where a `__future__` import stands."""
    try:
        compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{path} cannot be frozen as it is: {error}", fix="freeze its functions one by one") from None


def _lines(text: str) -> list[str]:
    """Split a text where Python does: a form feed or a line separator inside a string ends no line."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def _start(node: Function, lines: Sequence[str]) -> int:
    """Return the index of the line on which a function begins: the `@` of its first decorator, wherever that stands."""
    start = min([node.lineno, *(item.lineno for item in node.decorator_list)]) - 1
    while node.decorator_list and start and not lines[start].lstrip().startswith("@"):
        start -= 1
    return start


def _head(module: ast.Module, lines: Sequence[str]) -> int:
    """Return behind which line imports may stand: docstring, `__future__` imports, and the comment at the beginning."""
    head = [item for item in module.body[:1] if _is_text(item)]
    head += [item for item in module.body if isinstance(item, ast.ImportFrom) and item.module == "__future__"]
    comment = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return max((item.end_lineno or item.lineno for item in head), default=comment)


@dataclass(kw_only=True)
class _Scope:
    """The names of a module: what each is bound to, and on which line; None where that is not one plain statement."""

    bound: dict[str, tuple[str | None, int]]

    @classmethod
    def of(cls, text: str, module: ast.Module) -> _Scope:
        """Read the names that a module binds, wherever in it."""
        table = symtable.symtable(text, "module", "exec")
        names = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
        names |= {
            one.get_name() for inner in table.get_children() for one in inner.get_symbols() if one.is_declared_global()
        }
        bound: dict[str, tuple[str | None, int]] = {}
        for item in module.body:
            for name, told in _bindings(item):
                bound[name] = (None, 0) if name in bound else (told, item.lineno)
        return cls(bound={name: bound.get(name, (None, 0)) for name in names | bound.keys()})

    def has(self, name: str, told: str, above: int) -> bool:
        """Whether a name stands for the same thing, on a line above."""
        known, line = self.bound.get(name, (None, 0))
        return known == told and line <= above

    def add(self, piece: _Piece, start: int) -> None:
        """Bind what a piece brings with it."""
        for name, told in piece.bound.items():
            self.bound.setdefault(name, (told, start))


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """What was written for one function, taken apart."""

    name: str
    imports: tuple[ast.stmt, ...]
    helpers: tuple[ast.stmt, ...]
    function: Function
    bound: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, written: Written, path: Path) -> _Piece:
        """Take a source apart: one import for each name, helpers, and the function itself."""
        return cls._made(parse_module(written.source, path), written.node.name)

    @classmethod
    def _made(cls, tree: ast.Module, name: str) -> _Piece:
        functions = [item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == name]
        imports = tuple(one for item in tree.body for one in _single_imports(item))
        skipped = (ast.Import, ast.ImportFrom)
        helpers = tuple(
            item for item in tree.body if item not in functions and not isinstance(item, skipped) and not _is_text(item)
        )
        bound = dict(pair for item in (*imports, *helpers) for pair in _bindings(item))
        return cls(name=name, imports=imports, helpers=helpers, function=functions[-1], bound=bound)

    def fitted(self, scope: _Scope, start: int, path: Path) -> _Piece:
        """Return the piece with other names for what the module calls something else by."""
        _refuse_hidden(self, scope, path)
        clashes = {
            name for name, told in self.bound.items() if name in scope.bound and not scope.has(name, told, start)
        }
        # What is the same word for word means another thing where a name in it does.
        while more := {name for name in self._shared(scope) - clashes if self._uses(name) & clashes}:
            clashes |= more
        if not clashes:
            return self
        tree = ast.Module(body=[*self.imports, *self.helpers, self.function], type_ignores=[])
        if hidden := sorted(clashes & set(_local_names(tree))):
            told = f"{path} already has {', '.join(hidden)}, which {self.name} needs for itself"
            raise InputError(told, fix="rename it and try again")
        taken = {*scope.bound, *self.bound, *_identifiers(tree)}
        renamed = _Renamed({name: _free(f"_{self.name}_{name.lstrip('_')}", taken) for name in sorted(clashes)})
        return self._made(ast.fix_missing_locations(renamed.visit(tree)), self.name)

    def new_imports(self, scope: _Scope) -> list[str]:
        """Return the imports that the module does not have."""
        return [ast.unparse(item) for item in self.imports if not self._is_there(item, scope)]

    def new_helpers(self, scope: _Scope) -> list[str]:
        """Return the helpers that the module does not have."""
        return [ast.unparse(item) for item in self.helpers if not self._is_there(item, scope)]

    def _is_there(self, item: ast.stmt, scope: _Scope) -> bool:
        names = [name for name, _ in _bindings(item)]
        return bool(names) and all(name in scope.bound for name in names)

    def _shared(self, scope: _Scope) -> set[str]:
        return {name for name in self.bound if name in scope.bound}

    def _uses(self, name: str) -> set[str]:
        users = [item for item in self.helpers if name in dict(_bindings(item))]
        return {inner.id for item in users for inner in ast.walk(item) if isinstance(inner, ast.Name)}


def _refuse_hidden(piece: _Piece, scope: _Scope, path: Path) -> None:
    """Refuse a piece that uses a name of Python's own by which the module calls something else."""
    tree = ast.Module(body=[*piece.helpers, piece.function], type_ignores=[])
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {*piece.bound, piece.name, *_local_names(tree), *(one.id for one in names if isinstance(one.ctx, ast.Store))}
    hidden = sorted({one.id for one in names if hasattr(builtins, one.id) and one.id in scope.bound} - own)
    if hidden:
        told = f"{path} has its own {', '.join(hidden)}, and {piece.name} needs Python's"
        raise InputError(told, fix="rename it and try again")


class _Renamed(ast.NodeTransformer):
    """Give names of a piece other ones, wherever they are bound or used."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def _visit_defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _visit_defined

    def visit_Global(self, node: ast.Global) -> ast.Global:
        node.names = [self._names.get(name, name) for name in node.names]
        return node

    def visit_alias(self, node: ast.alias) -> ast.alias:
        name = _bound_by(node)
        if name in self._names:
            node.asname = self._names[name]
        return node


def _bindings(item: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement binds, each with what it is bound to, in Python's own words."""
    if isinstance(item, (ast.Import, ast.ImportFrom)):
        for one in _single_imports(item):
            assert isinstance(one, (ast.Import, ast.ImportFrom))
            yield _bound_by(one.names[0]), ast.unparse(one)
    elif isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield item.name, ast.unparse(item)
    else:
        for inner in ast.walk(item):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id, ast.unparse(item)


def _single_imports(item: ast.stmt) -> Iterator[ast.stmt]:
    """Yield one import for each name; what `__future__` changes is for the module to say."""
    if isinstance(item, ast.Import):
        yield from (ast.Import(names=[one]) for one in item.names)
    elif isinstance(item, ast.ImportFrom) and item.module != "__future__":
        yield from (ast.ImportFrom(module=item.module, names=[one], level=item.level) for one in item.names)


def _bound_by(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _local_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names that are written without a node of their own, such as parameters: those cannot be renamed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        elif isinstance(node, ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.Import):
            # Under another name this would be the inner module.
            yield from (_bound_by(one) for one in node.names if "." in one.name and not one.asname)


def _identifiers(tree: ast.AST) -> Iterator[str]:
    yield from _local_names(tree)
    yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _free(name: str, taken: set[str]) -> str:
    """Return a name that nothing has, and take it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


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
        body=body or [ast.Pass()],
        decorator_list=[],
        returns=function.returns,
        type_comment=None,
    )
    if "type_params" in ast.FunctionDef._fields:
        made.type_params = []  # type: ignore[attr-defined,unused-ignore]
    return ast.copy_location(made, function)
