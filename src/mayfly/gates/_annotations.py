"""Annotations as schemas: what a source says of the types of its parameters and results, read without running it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

from mayfly.core import parse_python

Schema = dict[str, Any]

_SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_ANY = frozenset({"Any", "object", "JSON"})
_LISTS = frozenset(
    {"list", "List", "Sequence", "Iterable", "Iterator", "Collection", "Generator", "tuple", "Tuple", "AsyncIterator"}
)
_MAPS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "Counter"})
_WRAPPERS = frozenset({"Annotated", "Required", "NotRequired", "ReadOnly", "Final"})
# These no caller can hand over as JSON, but what a program gives of them crosses the wall as a list, or is awaited.
_LISTS_GIVEN = frozenset({"deque", "MutableSequence", "AsyncIterable", "AsyncGenerator", "Reversible"})
_WRAPPERS_GIVEN = frozenset({"ClassVar", "Awaitable", "Coroutine"})
# A type that refers to itself, or that somebody nested deeper, is anything from here on.
_DEEPEST = 12


class NotPlain(Exception):
    """A type is none of JSON's; the message is the type."""


class Annotations:
    """Read annotations of one module, with the records and the names of types that it defines itself."""

    def __init__(self, tree: ast.Module | None = None, *, records: bool = False, lenient: bool = False) -> None:
        """Take the module; `NotPlain` is raised for a type that is none of JSON's.

        With *records* a dataclass is one, as it is where it was given back. A *lenient* reader is for judging values
        that a program gave: what it does not know is anything, and a whole number may be true or false.
        """
        body = tree.body if tree is not None else []
        self._classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
        self._aliases = dict(_aliases(body))
        self._records = records or lenient
        self._lenient = lenient
        self._lists = _LISTS | _LISTS_GIVEN if lenient else _LISTS
        self._wrappers = _WRAPPERS | _WRAPPERS_GIVEN if lenient else _WRAPPERS

    def schema(self, node: ast.expr) -> Schema:
        """Return the schema of an annotation."""
        return self._of(node, 0)

    def _of(self, node: ast.expr, depth: int) -> Schema:
        try:
            return {} if depth > _DEEPEST else self._read(node, depth)
        except NotPlain:
            if not self._lenient:
                raise
            return {}

    def _read(self, node: ast.expr, depth: int) -> Schema:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self._of(_parsed(node.value), depth + 1)
            return {"type": "null"} if node.value is None else {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return _union([self._of(side, depth + 1) for side in (node.left, node.right)])
        if isinstance(node, ast.Subscript):
            return self._generic(node, depth)
        return self._named(ast.unparse(node).rpartition(".")[2], depth)

    def _named(self, name: str, depth: int) -> Schema:
        if name in self._aliases:
            return self._of(self._aliases[name], depth + 1)
        if name in self._classes:
            return self._record(self._classes[name], depth)
        if name in _SIMPLE:
            numeric = self._lenient and name in ("int", "float")
            return {"type": [_SIMPLE[name], "boolean"] if numeric else _SIMPLE[name]}
        if name in _ANY:
            return {}
        if name in self._lists:
            return {"type": "array"}
        if name in _MAPS:
            return {"type": "object"}
        raise NotPlain(name)

    def _generic(self, node: ast.Subscript, depth: int) -> Schema:
        name = ast.unparse(node.value).rpartition(".")[2]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return {"enum": [plain_value(item) for item in inner]}
        if name in self._wrappers:
            return self._of(inner[-1 if name == "Coroutine" else 0], depth + 1)
        if name == "Optional":
            return _union([self._of(inner[0], depth + 1), {"type": "null"}])
        if name == "Union":
            return _union([self._of(item, depth + 1) for item in inner])
        if name in ("tuple", "Tuple") and not (len(inner) == 2 and _is_ellipsis(inner[1])):
            items = [self._of(item, depth + 1) for item in inner]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if name in self._lists:
            return {"type": "array", "items": self._of(inner[0], depth + 1)}
        if name in _MAPS:
            values = self._named("int", depth) if name == "Counter" else self._of(inner[-1], depth + 1)
            return {"type": "object", "additionalProperties": values}
        raise NotPlain(ast.unparse(node))

    def _record(self, node: ast.ClassDef, depth: int) -> Schema:
        """Describe a TypedDict, or a dataclass that is given back: one that is taken would arrive as a dict."""
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        if "TypedDict" not in bases and not (self._records and (_is_dataclass(node) or "NamedTuple" in bases)):
            raise NotPlain(node.name)
        if "NamedTuple" in bases:
            return {"type": "array"}
        if self._lenient and not _is_dataclass(node):
            return {"type": "object"}  # a dict is what the types gate saw filled; its fields are not judged twice
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        total = not any(word.arg == "total" and ast.unparse(word.value) == "False" for word in node.keywords)
        properties = {ast.unparse(item.target): self._of(item.annotation, depth + 1) for item in fields}
        optional = {ast.unparse(item.target) for item in fields if "NotRequired[" in ast.unparse(item.annotation)}
        required = [name for name in properties if total and name not in optional]
        return {"type": "object", "properties": properties, "required": required}


def schema_of(annotation: str, source: str) -> Schema:
    """Return what a value that *source* gives has to be by its *annotation*; what is not understood is anything."""
    try:
        node = parse_python(annotation, mode="eval").body
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    try:
        return Annotations(tree, lenient=True).schema(node)
    except RecursionError:
        return {}


def plain_value(node: ast.expr) -> object:
    """Return what a literal stands for, if JSON can carry it: bytes and infinity are literals too."""
    try:
        value: object = ast.literal_eval(node)
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise NotPlain(ast.unparse(node)[:80]) from None
    return value


def _parsed(text: str) -> ast.expr:
    try:
        return parse_python(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise NotPlain(text) from None


def _aliases(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield names that stand for a type: `Rows = list[str]`."""
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def _union(kinds: list[Schema]) -> Schema:
    flat = [inner for kind in kinds for inner in kind.get("anyOf", [kind])]
    return {} if any(not kind for kind in flat) else {"anyOf": flat}


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_dataclass(node: ast.ClassDef) -> bool:
    called = (item.func if isinstance(item, ast.Call) else item for item in node.decorator_list)
    return any(ast.unparse(item).rpartition(".")[2] == "dataclass" for item in called)
