"""Read annotations as they are written and say whether plain data fits them; what is unknown fits anything."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from mayfly.core import parse_python

_LISTS = {"list", "List", "Sequence", "Iterable", "Iterator", "Generator", "Collection", "AsyncIterator", "deque"}
_LISTS |= {"MutableSequence", "AsyncIterable", "AsyncGenerator", "Reversible"}
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "Counter"}
_PLAIN = {"int", "float", "str", "bool", "None", "complex", "bytes"}
_WRAPPERS = {"Final", "ClassVar", "Annotated", "Required", "NotRequired", "Awaitable", "Coroutine"}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A type: its name and what it is made of. "any" is a type nothing is known of."""

    name: str
    parts: tuple[Kind, ...] = ()
    values: tuple[object, ...] = ()
    fields: tuple[tuple[str, Kind], ...] = field(default=())


ANY = Kind(name="any")


class Types:
    """The types a source defines, so that its annotations can be read."""

    def __init__(self, source: str = "") -> None:
        self._named: dict[str, ast.stmt] = {}
        try:
            body = parse_python(source).body
        except (SyntaxError, ValueError):
            body = []
        for node in body:
            if isinstance(node, ast.ClassDef):
                self._named[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._named[node.targets[0].id] = node

    def kind(self, annotation: str) -> Kind:
        """Return the type that *annotation* writes down."""
        try:
            return self._read(parse_python(annotation, mode="eval").body, 0) if annotation else ANY
        except (SyntaxError, ValueError, RecursionError):
            return ANY

    def _read(self, node: ast.expr, depth: int) -> Kind:
        if depth > 10:
            return ANY
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self._read(parse_python(node.value, mode="eval").body, depth + 1)
            return Kind(name="None") if node.value is None else ANY
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return Kind(name="union", parts=(self._read(node.left, depth + 1), self._read(node.right, depth + 1)))
        if isinstance(node, ast.Attribute):
            return self._name(node.attr, depth)
        if isinstance(node, ast.Name):
            return self._name(node.id, depth)
        return self._generic(node, depth) if isinstance(node, ast.Subscript) else ANY

    def _name(self, name: str, depth: int) -> Kind:
        if name in self._named:
            return self._defined(self._named[name], depth)
        if name in _PLAIN:
            return Kind(name=name)
        if name in _LISTS or name in ("tuple", "Tuple"):
            return Kind(name="list", parts=(ANY,))
        return Kind(name="dict", parts=(ANY, ANY)) if name in _DICTS else ANY

    def _defined(self, node: ast.stmt, depth: int) -> Kind:
        if isinstance(node, ast.Assign):
            return self._read(node.value, depth + 1)
        assert isinstance(node, ast.ClassDef)
        decorated = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        typed = any(ast.unparse(base).endswith("TypedDict") for base in node.bases)
        if not (decorated or typed):
            return ANY
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        read = tuple((ast.unparse(item.target), self._read(item.annotation, depth + 1)) for item in fields)
        return Kind(name="record", fields=read) if decorated else Kind(name="dict", parts=(ANY, ANY))

    def _generic(self, node: ast.Subscript, depth: int) -> Kind:
        name = ast.unparse(node.value).split(".")[-1]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return Kind(name="literal", values=tuple(item.value for item in inner if isinstance(item, ast.Constant)))
        parts = tuple(self._read(item, depth + 1) for item in inner if not _is_ellipsis(item))
        if name == "Optional":
            return Kind(name="union", parts=(*parts, Kind(name="None")))
        if name == "Union":
            return Kind(name="union", parts=parts)
        if name in ("tuple", "Tuple"):
            endless = any(_is_ellipsis(item) for item in inner)
            return Kind(name="list", parts=parts) if endless else Kind(name="tuple", parts=parts)
        if name in _LISTS:
            return Kind(name="list", parts=parts[:1])
        if name in _DICTS:
            return Kind(name="dict", parts=parts if len(parts) == 2 else (parts[0] if parts else ANY, ANY))
        if name in _WRAPPERS and parts:
            return parts[-1] if name == "Coroutine" else parts[0]
        return ANY


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def fits(value: object, kind: Kind) -> bool:
    """Whether plain data that crossed the wall could be a value of *kind*."""
    if kind.name == "union":
        return any(fits(value, part) for part in kind.parts)
    if kind.name == "literal":
        return any(type(value) is type(known) and value == known for known in kind.values)
    check = _CHECKS.get(kind.name)
    return check is None or check(value, kind)


def _fits_list(value: object, kind: Kind) -> bool:
    return isinstance(value, list) and all(fits(item, kind.parts[0]) for item in value)


def _fits_tuple(value: object, kind: Kind) -> bool:
    return isinstance(value, list) and len(value) == len(kind.parts) and all(map(fits, value, kind.parts))


def _fits_dict(value: object, kind: Kind) -> bool:
    # Keys became texts on their way, so only values can be judged.
    return isinstance(value, dict) and all(fits(item, kind.parts[1]) for item in value.values())


def _fits_record(value: object, kind: Kind) -> bool:
    return isinstance(value, dict) and all(key in value and fits(value[key], part) for key, part in kind.fields)


_CHECKS: dict[str, Callable[[object, Kind], bool]] = {
    "int": lambda value, _: isinstance(value, int),
    "float": lambda value, _: isinstance(value, (int, float)),
    "str": lambda value, _: isinstance(value, str),
    "bool": lambda value, _: isinstance(value, bool),
    "None": lambda value, _: value is None,
    "list": _fits_list,
    "tuple": _fits_tuple,
    "dict": _fits_dict,
    "record": _fits_record,
}


def kind_like(values: list[object]) -> Kind:
    """Infer a type from values, for a parameter that has no annotation."""
    kinds = {_like(value) for value in values}
    if kinds == {Kind(name="int"), Kind(name="float")}:
        return Kind(name="float")
    lists = [value for value in values if isinstance(value, list)]
    if values and len(lists) == len(values):
        items = [item for value in lists for item in value]
        return Kind(name="list", parts=(kind_like(items) if items else ANY,))
    return kinds.pop() if len(kinds) == 1 else Kind(name="union", parts=tuple(sorted(kinds, key=repr)))


def _like(value: object) -> Kind:
    if value is None:
        return Kind(name="None")
    if isinstance(value, list):
        return Kind(name="list", parts=(kind_like(value) if value else ANY,))
    if isinstance(value, dict):
        return Kind(name="dict", parts=(Kind(name="str"), kind_like(list(value.values())) if value else ANY))
    return Kind(name=type(value).__name__)
