"""The contract of a tool, read off its source without running it: how it is called, and the schemas of its types."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import InputError, canonical_json, content_hash, mismatch, one_line, parse_python
from mayfly.gates import Annotations, NotPlain, Schema, plain_value

Function = ast.FunctionDef | ast.AsyncFunctionDef
NAME = re.compile(r"[a-z][a-z0-9_]*")
# What providers of models take as the name of a tool; the description is the documents' own limit.
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 500
# Under this name the sandbox finds what it calls.
CALL = "_mayfly_tool"


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
    given, gives = Annotations(tree), Annotations(tree, records=True)
    names, required, properties = [], list[str](), dict[str, Schema]()
    for argument, default in _arguments(invoke, bound=isinstance(node, ast.ClassDef)):
        names.append(argument.arg)
        properties[argument.arg] = _schema(given, argument.annotation, f"the parameter {argument.arg}")
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
        output_schema=_schema(gives, invoke.returns, "the result", output=True),
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
        return {"default": plain_value(node)}
    except NotPlain:
        return {}


def _schema(reader: Annotations, node: ast.expr | None, what: str, *, output: bool = False) -> Schema:
    """Return the schema of an annotation; what is not plain JSON is refused where it has to be given."""
    if node is None:
        raise InputError(f"{what} has no type", fix="annotate every parameter and the result")
    try:
        return reader.schema(node)
    except NotPlain as error:
        if output:
            return {}
        fix = "use str, int, float, bool, list, dict, Literal, TypedDict"
        raise InputError(f"{what} is {error}, which is not plain JSON", fix=fix) from None


def _bare(schema: object) -> object:
    """Return a schema without what says nothing about the type."""
    if isinstance(schema, Mapping):
        return {key: _bare(value) for key, value in schema.items() if key not in ("default", "description")}
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema
