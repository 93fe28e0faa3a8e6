"""Say what an expression is without running it, where that is plain to see; everything else is unknown."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from mayfly.core import parse_python, shipped_table
from mayfly.gates.types._repair_edit import Function, arguments, inside
from mayfly.gates.types._repair_kinds import ANY, BOOL, FLOAT, INT, NONE, STR, UNKNOWN, Kind, join, kind, of_annotation

_TABLE = Path(__file__).parent / "typeserver" / "data" / "returns.toml"
_NUMBERS = (BOOL, INT, FLOAT)
_DEEPEST = 40
_CONSTANTS = {bool: BOOL, int: INT, float: FLOAT, str: STR, bytes: kind("bytes"), complex: kind("complex")}


@cache
def _returns() -> dict[str, dict[str, str]]:
    return shipped_table(_TABLE)


def known_return(group: str, name: str) -> Kind | None:
    """Return what a call gives whose result does not depend on its arguments."""
    text = _returns().get(group, {}).get(name)
    return of_annotation(parse_python(text, mode="eval").body) if text else None


class Scope:
    """Answer what the names in one function are: parameters by annotation, other names by what is assigned to them."""

    def __init__(self, function: Function, classes: set[str], given: dict[str, Kind] | None = None) -> None:
        self._classes = classes
        self._known: dict[str, Kind | None] = {}
        self._assigned: dict[str, list[ast.expr | Kind]] = {}
        self._added: dict[str, list[tuple[ast.expr | None, ast.expr]]] = {}
        self._busy: set[str] = set()
        self._depth = 0
        for argument in arguments(function):
            found = (given or {}).get(argument.arg) or of_annotation(argument.annotation)
            self._known[argument.arg] = None if found == ANY else found
        for node in inside(function):
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                self._known.setdefault(name, of_annotation(annotation))
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                self._bind(target, ast.BinOp(left=ast.Name(id=target.id, ctx=ast.Load()), op=op, right=value))
            case ast.For(target=target, iter=source):
                self._bind_items(target, source)
            case ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add"), args=[item]):
                self._added.setdefault(name, []).append((None, item))
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    self._added.setdefault(target.value.id, []).append((target.slice, node.value))

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._bind(one, other)
        elif isinstance(target, ast.Tuple):
            for one in target.elts:
                if isinstance(one, ast.Name):
                    self._assigned.setdefault(one.id, []).append(ANY)

    def _bind_items(self, target: ast.expr, source: ast.expr) -> None:
        call = ast.Call(func=ast.Name(id="next item of", ctx=ast.Load()), args=[source], keywords=[])
        if isinstance(target, ast.Name):
            self._bind(target, call)
        elif isinstance(target, ast.Tuple):
            for index, one in enumerate(target.elts):
                self._bind(one, ast.Subscript(value=call, slice=ast.Constant(value=index), ctx=ast.Load()))

    def name(self, name: str) -> Kind | None:
        """Return the kind of a variable: that of what is assigned first, widened from int to float by the rest."""
        if name in self._known:
            return self._known[name]
        if name in self._busy or name not in self._assigned:
            return None
        self._busy.add(name)
        values = self._assigned[name]
        first = values[0] if isinstance(values[0], Kind) else self.infer(values[0])
        if first in _NUMBERS:
            first = self._widened(name, first, values[1:])
        self._busy.discard(name)
        self._known[name] = None if first is None or first == ANY else self.filled(name, first)
        return self._known[name]

    def _widened(self, name: str, first: Kind, later: list[ast.expr | Kind]) -> Kind:
        """Return the number that a variable is after all that is assigned to it, itself among it."""
        self._known[name] = first
        kinds = [one if isinstance(one, Kind) else self.infer(one) for one in later]
        return join([first, *(one for one in kinds if one in _NUMBERS and one is not None)])

    def filled(self, name: str, empty: Kind) -> Kind:
        """Return the kind of a container that starts empty, by what is put into it later."""
        added = self._added.get(name, [])
        if UNKNOWN not in empty.args or not added:
            return empty
        values = join(self.infer(value) or ANY for _, value in added)
        if empty.name == "dict":
            return kind("dict", join((self.infer(key) if key else None) or ANY for key, _ in added), values)
        return kind(empty.name, values) if len(empty.args) == 1 else empty

    def infer(self, node: ast.expr) -> Kind | None:
        """Return the kind of an expression, None where it is not plain to see."""
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        try:
            return self._infer(node)
        finally:
            self._depth -= 1

    def _infer(self, node: ast.expr) -> Kind | None:
        match node:
            case ast.Constant(value=value):
                return NONE if value is None else _CONSTANTS.get(type(value))
            case ast.JoinedStr():
                return STR
            case ast.Name(id=name):
                return self.name(name)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.UnaryOp(operand=operand):
                found = self.infer(operand)
                return INT if found == BOOL else found if found in _NUMBERS else None
            case ast.BoolOp(values=values):
                return self._all(values)
            case ast.IfExp(body=body, orelse=orelse):
                return self._all([body, orelse])
            case ast.BinOp():
                return self._operation(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                return self._subscript(node)
        return self._container(node)

    def _all(self, nodes: list[ast.expr]) -> Kind | None:
        kinds = [self.infer(node) for node in nodes]
        known = [one for one in kinds if one is not None]
        return join(known) if len(known) == len(kinds) else None

    def _items(self, nodes: list[ast.expr]) -> Kind:
        return join(UNKNOWN if isinstance(node, ast.Starred) else self.infer(node) or ANY for node in nodes)

    def _container(self, node: ast.expr) -> Kind | None:
        match node:
            case ast.List(elts=elts):
                return kind("list", self._items(elts))
            case ast.Set(elts=elts):
                return kind("set", self._items(elts))
            case ast.Tuple(elts=elts) if not any(isinstance(one, ast.Starred) for one in elts):
                return kind("tuple", *(self.infer(one) or ANY for one in elts))
            case ast.Dict(keys=keys, values=values):
                return kind("dict", self._items([key for key in keys if key]), self._items(values))
            case ast.ListComp(elt=elt, generators=generators) | ast.SetComp(elt=elt, generators=generators):
                return kind("list" if isinstance(node, ast.ListComp) else "set", *self._of_each(generators, elt))
            case ast.DictComp(key=key, value=value, generators=generators):
                return kind("dict", *self._of_each(generators, key, value))
        return None

    def _of_each(self, generators: list[ast.comprehension], *nodes: ast.expr) -> list[Kind]:
        """Return the kinds of *nodes* where the variables of a comprehension hide those of the function."""
        outer = self._known, self._assigned
        self._known, self._assigned = dict(outer[0]), dict(outer[1])
        for generator in generators:
            for name in {found.id for found in ast.walk(generator.target) if isinstance(found, ast.Name)}:
                self._known.pop(name, None)
                self._assigned.pop(name, None)
            self._bind_items(generator.target, generator.iter)
        kinds = [self.infer(node) or ANY for node in nodes]
        self._known, self._assigned = outer
        return kinds

    def _operation(self, node: ast.BinOp) -> Kind | None:
        left, right = self.infer(node.left), self.infer(node.right)
        if left == STR and isinstance(node.op, ast.Mod):
            return STR
        if left is None or right is None:
            return None
        if left in _NUMBERS and right in _NUMBERS:
            if isinstance(node.op, ast.Div):
                return FLOAT
            whole = join([left, right, INT])
            return None if isinstance(node.op, ast.Pow) and whole == INT else whole
        if isinstance(node.op, ast.Add) and left.name == right.name and left.name in ("str", "list", "bytes"):
            return join([left, right])
        if isinstance(node.op, ast.Mult) and {left.name, right.name} & {"int"}:
            other = right if left == INT else left
            return other if other.name in ("str", "list", "bytes") else None
        return None

    def _call(self, node: ast.Call) -> Kind | None:
        first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
        match node.func:
            case ast.Name(id=name) if name in self._classes:
                return kind(name)
            case ast.Name(id=name):
                return self._builtin(name, self.infer(first) if first else None, node)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if known_return(module, name):
                return known_return(module, name)
            case ast.Attribute(value=owner, attr=name):
                found = self.infer(owner)
                return known_return(f"{found.name} methods", name) if found else None
        return None

    def _builtin(self, name: str, first: Kind | None, node: ast.Call) -> Kind | None:
        item = _item(first)
        match name:
            case "next item of":
                return item
            case "sorted":
                return kind("list", item or ANY)
            case "list" | "set" | "frozenset":
                return kind(name, (item or ANY) if node.args else UNKNOWN)
            case "tuple":
                return kind("tuple...", item or ANY)
            case "dict":
                return kind("dict", UNKNOWN, UNKNOWN) if not (node.args or node.keywords) else None
            case "abs":
                return first if first in (INT, FLOAT) else None
            case "min" | "max" | "sum":
                return self._extreme(name, item, node)
            case "enumerate" | "zip" | "reversed":
                return self._iterable(name, item, node)
        return known_return("builtins", name)

    def _iterable(self, name: str, item: Kind | None, node: ast.Call) -> Kind | None:
        if name == "reversed":
            return kind("Iterable", item) if item else None
        if name == "enumerate":
            return kind("Iterable", kind("tuple", INT, item or ANY))
        items = [_item(self.infer(argument)) or ANY for argument in node.args]
        return kind("Iterable", kind("tuple", *items))

    def _extreme(self, name: str, item: Kind | None, node: ast.Call) -> Kind | None:
        if len(node.args) > 1 and name != "sum":
            return self._all(node.args)
        return item if item in (INT, FLOAT) or (item == STR and name != "sum") else None

    def _subscript(self, node: ast.Subscript) -> Kind | None:
        owner = self.infer(node.value)
        if owner is None:
            return None
        if isinstance(node.slice, ast.Slice):
            return owner if owner.name in ("list", "str", "bytes", "tuple...") else None
        if owner.name == "dict":
            return _plain(owner.args[1])
        if owner.name == "tuple":
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return _plain(owner.args[index]) if isinstance(index, int) and 0 <= index < len(owner.args) else None
        return _item(owner) if owner.name in ("list", "str", "tuple...") else None


def _item(container: Kind | None) -> Kind | None:
    """Return what iterating over *container* gives."""
    if container is None:
        return None
    if container == STR:
        return STR
    if container.name == "range":
        return INT
    if container.name == "tuple":
        return _plain(join(container.args)) if container.args else None
    known = ("list", "set", "frozenset", "dict", "tuple...", "Iterable", "Iterator", "Sequence")
    return _plain(container.args[0]) if container.name in known and container.args else None


def _plain(found: Kind) -> Kind | None:
    return None if found in (ANY, UNKNOWN) else found
