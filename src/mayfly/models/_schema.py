"""Describe a Python type as JSON schema, so that a model can be told which value is wanted."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from mayfly.core import InputError

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
Schema = dict[str, Any]
Definitions = dict[str, Schema]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Field:
    """One named part of a record type."""

    name: str
    kind: Any
    required: bool


def json_schema(kind: Any) -> Schema:
    """Return the JSON schema of *kind*; a type that has none is an `InputError`."""
    if is_pydantic(kind):
        return dict(kind.model_json_schema())
    definitions: Definitions = {}
    root = _describe(kind, definitions)
    if "$ref" in root:
        root = definitions[_name(kind)]
    recursive = definitions if _refers(root) else {}
    return {**root, "$defs": recursive} if recursive else root


def plain(kind: Any) -> Any:
    """Strip what says nothing about the value: `Annotated`, `NewType`, `Required`, aliases."""
    while True:
        if get_origin(kind) is Annotated or str(get_origin(kind)).endswith(("Required", "ReadOnly")):
            kind = get_args(kind)[0]
        elif hasattr(kind, "__supertype__"):
            kind = kind.__supertype__
        elif hasattr(kind, "__value__"):
            kind = kind.__value__
        elif kind is None:
            kind = types.NoneType
        else:
            return kind


def is_pydantic(kind: Any) -> bool:
    """Whether *kind* is a pydantic model, told without importing pydantic."""
    return isinstance(kind, type) and hasattr(kind, "model_validate") and hasattr(kind, "model_json_schema")


def is_union(kind: Any) -> bool:
    """Whether *kind* is `A | B`, `Union[A, B]` or `Optional[A]`."""
    return get_origin(kind) in (Union, types.UnionType)


def is_named_tuple(kind: Any) -> bool:
    """Whether *kind* is a `NamedTuple` class."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def is_record(kind: Any) -> bool:
    """Whether *kind* is read from an object with known keys."""
    is_dataclass = isinstance(kind, type) and dataclasses.is_dataclass(kind)
    return is_dataclass or is_typeddict(kind) or is_named_tuple(kind)


def record_fields(kind: Any) -> list[Field]:
    """Return the fields of a dataclass, `TypedDict` or `NamedTuple` in order."""
    hints = get_type_hints(kind)
    if is_typeddict(kind):
        return [Field(name=name, kind=hint, required=name in kind.__required_keys__) for name, hint in hints.items()]
    if is_named_tuple(kind):
        defaults = kind._field_defaults
        return [Field(name=name, kind=hints.get(name, Any), required=name not in defaults) for name in kind._fields]
    missing = dataclasses.MISSING
    return [
        Field(name=f.name, kind=hints[f.name], required=f.default is missing and f.default_factory is missing)
        for f in dataclasses.fields(kind)
        if f.init
    ]


def sequence_item(kind: Any) -> Any:
    """Return the item type of a list, set or tuple of any length; None where *kind* is none of them."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin is tuple and arguments:
        return arguments[0] if arguments[-1] is Ellipsis else None
    if not (isinstance(origin, type) and issubclass(origin, Iterable)) or is_named_tuple(origin):
        return None
    if issubclass(origin, (str, bytes, bytearray, Mapping)) or is_typeddict(origin):
        return None
    return arguments[0] if arguments else Any


def is_mapping(kind: Any) -> bool:
    """Whether *kind* is a dict or `Mapping` with keys that nobody knows beforehand."""
    origin = get_origin(kind) or kind
    return isinstance(origin, type) and issubclass(origin, Mapping) and not is_typeddict(origin)


def unsupported(kind: Any) -> InputError:
    """Return the error for a type that JSON cannot carry."""
    return InputError(f"a model cannot be asked for {kind!r}", fix="use dataclasses of plain JSON values")


def _describe(kind: Any, definitions: Definitions) -> Schema:
    kind = plain(kind)
    if kind in (Any, object):
        return {}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    for applies, describe in _RULES:
        if applies(kind):
            return describe(kind, definitions)
    raise unsupported(kind)


def _literal(kind: Any, definitions: Definitions) -> Schema:
    return {"enum": list(get_args(kind))}


def _enum(kind: Any, definitions: Definitions) -> Schema:
    return {"enum": [member.value for member in kind]}


def _union(kind: Any, definitions: Definitions) -> Schema:
    return {"anyOf": [_describe(argument, definitions) for argument in get_args(kind)]}


def _record(kind: Any, definitions: Definitions) -> Schema:
    name = _name(kind)
    if name not in definitions:
        definitions[name] = {}
        fields = record_fields(kind)
        definitions[name].update(
            type="object",
            properties={field.name: _describe(field.kind, definitions) for field in fields},
            required=[field.name for field in fields if field.required],
            additionalProperties=False,
        )
    return {"$ref": f"#/$defs/{name}"}


def _sequence(kind: Any, definitions: Definitions) -> Schema:
    return {"type": "array", "items": _describe(sequence_item(kind), definitions)}


def _tuple(kind: Any, definitions: Definitions) -> Schema:
    items = [_describe(argument, definitions) for argument in get_args(kind)]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _mapping(kind: Any, definitions: Definitions) -> Schema:
    arguments = get_args(kind)
    if arguments and plain(arguments[0]) not in (str, Any, object):
        raise unsupported(kind)
    return {"type": "object", "additionalProperties": _describe(arguments[1], definitions) if arguments else True}


def _pydantic(kind: Any, definitions: Definitions) -> Schema:
    schema = dict(kind.model_json_schema())
    definitions.update(schema.pop("$defs", {}))
    return schema


def is_enum(kind: Any) -> bool:
    """Whether *kind* is an `Enum` class."""
    return isinstance(kind, type) and issubclass(kind, Enum)


def is_literal(kind: Any) -> bool:
    """Whether *kind* is `Literal[...]`."""
    return get_origin(kind) is Literal


def is_fixed_tuple(kind: Any) -> bool:
    """Whether *kind* is a tuple with a type for each place."""
    arguments = get_args(kind)
    return get_origin(kind) is tuple and bool(arguments) and arguments[-1] is not Ellipsis


_RULES: tuple[tuple[Callable[[Any], bool], Callable[[Any, Definitions], Schema]], ...] = (
    (is_literal, _literal),
    (is_union, _union),
    (is_enum, _enum),
    (is_pydantic, _pydantic),
    (is_record, _record),
    (is_fixed_tuple, _tuple),
    (lambda kind: sequence_item(kind) is not None, _sequence),
    (is_mapping, _mapping),
)


def _name(kind: Any) -> str:
    return str(plain(kind).__name__)


def _refers(schema: object) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(_refers(value) for value in schema.values())
    return isinstance(schema, list) and any(_refers(value) for value in schema)
