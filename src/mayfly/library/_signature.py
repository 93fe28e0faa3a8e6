"""The contract of a tool, read off its source without running it: how it is called, and the schemas of its types."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import InputError, canonical_json, content_hash, mismatch, one_line, parse_python

Schema = dict[str, Any]
Function = ast.FunctionDef | ast.AsyncFunctionDef
NAME = re.compile(r"[a-z][a-z0-9_]*")
# What providers of models take as the name of a tool; the description is the documents' own limit.
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 500
# Under this name the sandbox finds what it calls.
CALL = "_mayfly_tool"
_SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_ANY = frozenset({"Any", "object", "JSON"})
_LISTS = frozenset(
    {"list", "List", "Sequence", "Iterable", "Iterator", "Collection", "Generator", "tuple", "Tuple", "AsyncIterator"}
)
_MAPS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "Counter"})
_RECORDS = frozenset({"TypedDict"})
# A type that refers to itself, or that somebody nested deeper, is anything from here on.
_DEEPEST = 12


@dataclass(frozen=True, kw_only=True)
class ToolSignature:
    """How a tool is called: the names of its parameters in order, which have to be given, and both schemas."""

    name: str
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    doc: str = ""
    is_class: bool = False

    @property
    def shape(self) -> str:
        """The hash of the types alone, whatever the parameters are called."""
        given = [_bare(self.input_schema["properties"][name]) for name in self.parameters]
        return content_hash(canonical_json([given, len(self.required), _bare(self.output_schema)]))

    @property
    def spread(self) -> bool:
        """Whether the proof hands over a list of arguments; a single parameter is given as it is."""
        return len(self.parameters) != 1

    def positional(self, value: object) -> object:
        """Return an example's input as the proof hands it over: the one argument, or a list of all.

        An input may be written by the names of the parameters, as a call is, or by their order; where one argument is
        enough, it may also be that one alone.
        """
        by_name = isinstance(value, Mapping) and set(self.required) <= set(value) <= set(self.parameters)
        if not self.spread:
            name = self.parameters[0]
            return value[name] if by_name and isinstance(value, Mapping) and value and not self._takes_record else value
        if by_name and isinstance(value, Mapping):
            properties = self.input_schema["properties"]
            return [value.get(name, properties[name].get("default")) for name in self.parameters]
        if isinstance(value, list) and not mismatch(dict(zip(self.parameters, value, strict=False)), self.input_schema):
            return value
        return [value] if len(self.required) <= 1 and self.parameters else value

    def named(self, value: object) -> dict[str, object]:
        """Return an input of the proof, as `positional` gives it, as the arguments of a call."""
        listed = value if self.spread and isinstance(value, list) else [value]
        return dict(zip(self.parameters, listed, strict=False))

    @property
    def _takes_record(self) -> bool:
        """Whether its first parameter is a record itself, so that one that is given is not a list of arguments."""
        return bool(self.input_schema["properties"][self.parameters[0]].get("type") == "object")


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a tool."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME or keyword.iskeyword(name):
        raise InputError(
            f"{one_line(name, limit=80)!r} cannot be the name of a tool",
            fix=f"use small letters, digits and _, a letter first, at most {LONGEST_NAME}: roman_to_int",
        )


def read_signature(source: str, name: str) -> ToolSignature:
    """Read how the function, or the class with `invoke`, called *name* is called; what has no contract is refused."""
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        fix = "hand in one function with types, such as: def double(number: int) -> int: …"
        raise InputError(f"the source is not Python: {said}{line}", fix=fix) from None
    node = _defined(tree, name)
    invoke = _invoke(node) if isinstance(node, ast.ClassDef) else node
    types = _Types(tree)
    names, required, properties = [], list[str](), dict[str, Schema]()
    for argument, default in _arguments(invoke, bound=isinstance(node, ast.ClassDef)):
        names.append(argument.arg)
        properties[argument.arg] = types.schema(argument.annotation, f"the parameter {argument.arg}")
        if default is None:
            required.append(argument.arg)
        else:
            properties[argument.arg] |= _default(default)
    return ToolSignature(
        name=name,
        parameters=tuple(names),
        required=tuple(required),
        input_schema={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        output_schema=types.schema(invoke.returns, "the result", output=True),
        doc=one_line(ast.get_docstring(node) or ast.get_docstring(invoke) or "", limit=LONGEST_DESCRIPTION),
        is_class=isinstance(node, ast.ClassDef),
    )


def callable_source(source: str, signature: ToolSignature) -> str:
    """Return a source in which `CALL` takes the arguments of a call as one record."""
    target = f"{signature.name}().invoke" if signature.is_class else signature.name
    return f"{source}\n\n\ndef {CALL}(argument):\n    return {target}(**argument)\n"


def _defined(tree: ast.Module, name: str) -> ast.ClassDef | Function:
    found = [node for node in tree.body if isinstance(node, ast.ClassDef | Function) and node.name == name]
    if not found:
        others = [n.name for n in tree.body if isinstance(n, ast.ClassDef | Function) and not n.name.startswith("_")]
        raise InputError(
            f"the source defines no function {name}" + (f", but {', '.join(others[:5])}" if others else ""),
            fix=f"call the function as the tool is called: def {name}(…)",
        )
    return found[-1]


def _invoke(node: ast.ClassDef) -> Function:
    found = [item for item in node.body if isinstance(item, Function) and item.name == "invoke"]
    if not found:
        raise InputError(f"the class {node.name} has no method invoke", fix="write def invoke(self, …)")
    return found[-1]


def _arguments(node: Function, *, bound: bool) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    given = node.args
    if given.vararg or given.kwarg or given.posonlyargs:
        raise InputError(
            f"{node.name}: a tool is called by the names of its parameters", fix="give each one a name and a type"
        )
    places = given.args[1:] if bound else given.args
    defaults: list[ast.expr | None] = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    pairs = [*zip(places, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if not pairs:
        raise InputError(f"{node.name} takes nothing", fix="give it at least one parameter: what it works on")
    yield from pairs


def _default(node: ast.expr) -> Schema:
    try:
        return {"default": _plain_value(node)}
    except _NotPlain:
        return {}


def _plain_value(node: ast.expr) -> object:
    """Return what a literal stands for, if JSON can carry it: bytes and infinity are literals too."""
    try:
        value: object = ast.literal_eval(node)
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _NotPlain(ast.unparse(node)[:80]) from None
    return value


class _Types:
    """Schemas of annotations, with the records that the module itself defines."""

    def __init__(self, tree: ast.Module) -> None:
        self._classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self._aliases = dict(_aliases(tree))

    def schema(self, node: ast.expr | None, what: str, *, output: bool = False) -> Schema:
        """Return the schema of an annotation; what is not plain JSON is refused where it has to be given."""
        if node is None:
            raise InputError(f"{what} has no type", fix="annotate every parameter and the result")
        try:
            return self._of(node, 0, output=output)
        except _NotPlain as error:
            if output:
                return {}
            fix = "use str, int, float, bool, list, dict, Literal, TypedDict"
            raise InputError(f"{what} is {error}, which is not plain JSON", fix=fix) from None

    def _of(self, node: ast.expr, depth: int, *, output: bool) -> Schema:
        if depth > _DEEPEST:
            return {}
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self._of(_parsed(node.value), depth + 1, output=output)
            return {"type": "null"} if node.value is None else {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return _union([self._of(side, depth + 1, output=output) for side in (node.left, node.right)])
        if isinstance(node, ast.Subscript):
            return self._generic(node, depth, output=output)
        return self._named(ast.unparse(node).rpartition(".")[2], depth, output=output)

    def _named(self, name: str, depth: int, *, output: bool) -> Schema:
        if name in _SIMPLE:
            return {"type": _SIMPLE[name]}
        if name in _ANY:
            return {}
        if name in _LISTS:
            return {"type": "array"}
        if name in _MAPS:
            return {"type": "object"}
        if name in self._aliases:
            return self._of(self._aliases[name], depth + 1, output=output)
        if name in self._classes:
            return self._record(self._classes[name], depth, output=output)
        raise _NotPlain(name)

    def _generic(self, node: ast.Subscript, depth: int, *, output: bool) -> Schema:
        name = ast.unparse(node.value).rpartition(".")[2]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return {"enum": [_plain_value(item) for item in inner]}
        if name in ("Annotated", "Required", "NotRequired", "ReadOnly", "Final"):
            return self._of(inner[0], depth + 1, output=output)
        if name == "Optional":
            return _union([self._of(inner[0], depth + 1, output=output), {"type": "null"}])
        if name == "Union":
            return _union([self._of(item, depth + 1, output=output) for item in inner])
        if name in ("tuple", "Tuple") and not (len(inner) == 2 and _is_ellipsis(inner[1])):
            items = [self._of(item, depth + 1, output=output) for item in inner]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if name in _LISTS:
            return {"type": "array", "items": self._of(inner[0], depth + 1, output=output)}
        if name in _MAPS:
            values = {"type": "integer"} if name == "Counter" else self._of(inner[-1], depth + 1, output=output)
            return {"type": "object", "additionalProperties": values}
        raise _NotPlain(ast.unparse(node))

    def _record(self, node: ast.ClassDef, depth: int, *, output: bool) -> Schema:
        """Describe a TypedDict, or a dataclass that is given back: one that is taken would arrive as a dict."""
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        if not bases & _RECORDS and not (output and (_is_dataclass(node) or "NamedTuple" in bases)):
            raise _NotPlain(node.name)
        if "NamedTuple" in bases:
            return {"type": "array"}
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        total = not any(word.arg == "total" and ast.unparse(word.value) == "False" for word in node.keywords)
        properties = {ast.unparse(item.target): self._of(item.annotation, depth + 1, output=output) for item in fields}
        optional = {ast.unparse(item.target) for item in fields if "NotRequired[" in ast.unparse(item.annotation)}
        required = [name for name in properties if total and name not in optional]
        return {"type": "object", "properties": properties, "required": required}


class _NotPlain(Exception):
    """A type is none of JSON's."""


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise _NotPlain(text) from None


def _aliases(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield names that stand for a type: `Rows = list[str]`."""
    for node in tree.body:
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


def _bare(schema: object) -> object:
    """Return a schema without what says nothing about the type."""
    if isinstance(schema, Mapping):
        return {key: _bare(value) for key, value in schema.items() if key not in ("default", "description")}
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
