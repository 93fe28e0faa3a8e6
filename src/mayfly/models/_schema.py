"""A Python type as JSON schema, so that a model can be told which value is wanted, and the value read from its answer.

Each form of type has one row in `_FORMS`: when it applies, how it is described and how a value of it is read. The same
rule holds for scripts, recordings and providers.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple, Never, Union, get_args, get_origin, get_type_hints, is_typeddict

from mayfly.core import InputError, check_json_depth

SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
Schema = dict[str, Any]
Definitions = dict[str, Schema]


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordField:
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


def is_named_tuple(kind: Any) -> bool:
    """Whether *kind* is a `NamedTuple` class."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def is_record(kind: Any) -> bool:
    """Whether *kind* is read from an object with known keys."""
    is_dataclass = isinstance(kind, type) and dataclasses.is_dataclass(kind)
    return is_dataclass or is_typeddict(kind) or is_named_tuple(kind)


def record_fields(kind: Any) -> list[RecordField]:
    """Return the fields of a dataclass, `TypedDict` or `NamedTuple` in order."""
    hints = get_type_hints(kind)
    if is_typeddict(kind):
        return [
            RecordField(name=name, kind=hint, required=name in kind.__required_keys__) for name, hint in hints.items()
        ]
    if is_named_tuple(kind):
        defaults = kind._field_defaults
        return [
            RecordField(name=name, kind=hints.get(name, Any), required=name not in defaults) for name in kind._fields
        ]
    missing = dataclasses.MISSING
    return [
        RecordField(name=f.name, kind=hints[f.name], required=f.default is missing and f.default_factory is missing)
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


def _form(kind: Any) -> _Form:
    """Return the form of a type; one that JSON cannot carry is an `InputError`."""
    found = next((form for form in _FORMS if form.applies(kind)), None)
    if found is None:
        raise _unsupported(kind)
    return found


def _unsupported(kind: Any) -> InputError:
    return InputError(f"a model cannot be asked for {kind!r}", fix="use dataclasses of plain JSON values")


def _describe(kind: Any, definitions: Definitions) -> Schema:
    kind = plain(kind)
    if kind in (Any, object):
        return {}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    return _form(kind).describe(kind, definitions)


def _describe_literal(kind: Any, definitions: Definitions) -> Schema:
    return {"enum": list(get_args(kind))}


def _describe_enum(kind: Any, definitions: Definitions) -> Schema:
    return {"enum": [member.value for member in kind]}


def _describe_union(kind: Any, definitions: Definitions) -> Schema:
    return {"anyOf": [_describe(argument, definitions) for argument in get_args(kind)]}


def _describe_record(kind: Any, definitions: Definitions) -> Schema:
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


def _describe_sequence(kind: Any, definitions: Definitions) -> Schema:
    return {"type": "array", "items": _describe(sequence_item(kind), definitions)}


def _describe_tuple(kind: Any, definitions: Definitions) -> Schema:
    items = [_describe(argument, definitions) for argument in get_args(kind)]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _describe_mapping(kind: Any, definitions: Definitions) -> Schema:
    arguments = get_args(kind)
    if arguments and plain(arguments[0]) not in (str, Any, object):
        raise _unsupported(kind)
    return {"type": "object", "additionalProperties": _describe(arguments[1], definitions) if arguments else True}


def _describe_pydantic(kind: Any, definitions: Definitions) -> Schema:
    schema = dict(kind.model_json_schema())
    definitions.update(schema.pop("$defs", {}))
    return schema


def is_fixed_tuple(kind: Any) -> bool:
    """Whether *kind* is a tuple with a type for each place."""
    arguments = get_args(kind)
    return get_origin(kind) is tuple and bool(arguments) and arguments[-1] is not Ellipsis


def _name(kind: Any) -> str:
    return str(plain(kind).__name__)


def _refers(schema: object) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(_refers(value) for value in schema.values())
    return isinstance(schema, list) and any(_refers(value) for value in schema)


_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)


# Places in prose where a value may begin; more than that is no answer, and trying them all would take for ever.
_OPENINGS = 100


class Mismatch(ValueError):
    """What was written is not the value that was asked for; the message says where."""


def read_answer(kind: Any, text: str) -> Any:
    """Return the value of type *kind* that *text* holds as JSON, alone, in a fence, or among other words."""
    problems: list[Mismatch] = []
    for value in _candidates(text):
        try:
            return read_value(kind, value)
        except Mismatch as mismatch:
            problems.append(mismatch)
        except RecursionError:
            problems.append(Mismatch("the answer is nested too deeply"))
    raise problems[0] if problems else Mismatch("there is no JSON in the answer")


def object_in(answer: str) -> dict[str, Any] | None:
    """Return the JSON object in what a model answered: from the first brace to the last."""
    start, stop = answer.find("{"), answer.rfind("}")
    try:
        data: object = json.loads(answer[start : stop + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def read_value(kind: Any, value: object, where: str = "the answer") -> Any:
    """Return *value* as *kind*, or raise `Mismatch` naming the place."""
    kind = plain(kind)
    if kind in (Any, object):
        return value
    if kind in SIMPLE:
        return _read_simple(kind, value, where)
    return _form(kind).read(kind, value, where)


def _candidates(text: str) -> Iterable[object]:
    """Yield the JSON values in *text*, the most deliberate first."""
    found = _load(text)
    if found is not _NOTHING:
        yield found
        return
    for fenced in _FENCE.finditer(text):
        found = _load(fenced.group(1))
        if found is not _NOTHING:
            yield found
    for opening in islice(re.finditer(r"[\[{]", text), _OPENINGS):
        found = _load(text, start=opening.start())
        if found is not _NOTHING:
            yield found
            return


_NOTHING = object()


def _load(text: str, *, start: int | None = None) -> object:
    try:
        check_json_depth(text if start is None else text[start:])
        return _DECODER.decode(text.strip()) if start is None else _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return _NOTHING


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _read_simple(kind: Any, value: object, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, kind):
        raise Mismatch(f"{where} must be {_article(SIMPLE[kind])}, not {_show(value)}")
    return value


def _read_literal(kind: Any, value: object, where: str) -> Any:
    for allowed in get_args(kind):
        if value == allowed and type(value) is type(allowed):
            return value
    allowed = ", ".join(str(argument) for argument in get_args(kind))
    raise Mismatch(f"{where} must be one of {allowed}, not {_show(value)}")


def _read_enum(kind: Any, value: object, where: str) -> Any:
    for member in kind:
        if member.value == value and type(member.value) is type(value):
            return member
    raise Mismatch(f"{where} must be one of {', '.join(str(member.value) for member in kind)}, not {_show(value)}")


def _read_union(kind: Any, value: object, where: str) -> Any:
    problems: list[str] = []
    # An exact type first, so that `int | float` keeps 1 and 1.0 apart.
    for argument in sorted(get_args(kind), key=lambda argument: plain(argument) is not type(value)):
        try:
            return read_value(argument, value, where)
        except Mismatch as mismatch:
            problems.append(str(mismatch))
    raise Mismatch("; or ".join(dict.fromkeys(problems)))


def _read_pydantic(kind: Any, value: object, where: str) -> Any:
    try:
        return kind.model_validate(value)
    except ValueError as error:
        problems: list[Any] = getattr(error, "errors", list)()
        first = problems[0] if problems else {"loc": (), "msg": str(error)}
        place = ".".join([where, *(str(part) for part in first["loc"])])
        raise Mismatch(f"{place}: {first['msg']}") from None


def _read_record(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise Mismatch(f"{where} must be an object, not {_show(value)}")
    given = {}
    for field in record_fields(kind):
        if field.name in value:
            given[field.name] = read_value(field.kind, value[field.name], f"{where}.{field.name}")
        elif field.required:
            raise Mismatch(f"{where} has no {field.name!r}")
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        raise Mismatch(f"{where}: {error}") from None


def _read_sequence(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, list):
        raise Mismatch(f"{where} must be an array, not {_show(value)}")
    item = sequence_item(kind)
    items = [read_value(item, part, f"{where}[{index}]") for index, part in enumerate(value)]
    origin = get_origin(kind) or kind
    try:
        return origin(items) if origin in (tuple, set, frozenset) else items
    except TypeError as error:
        raise Mismatch(f"{where}: {error}") from None


def _read_tuple(kind: Any, value: object, where: str) -> Any:
    kinds = get_args(kind)
    if not isinstance(value, list) or len(value) != len(kinds):
        raise Mismatch(f"{where} must be an array of {len(kinds)}, not {_show(value)}")
    return tuple(
        read_value(part_kind, part, f"{where}[{index}]")
        for index, (part_kind, part) in enumerate(zip(kinds, value, strict=True))
    )


def _read_mapping(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise Mismatch(f"{where} must be an object, not {_show(value)}")
    arguments = get_args(kind)
    item = arguments[1] if arguments else Any
    return {key: read_value(item, part, f"{where}.{key}") for key, part in value.items()}


class _Form(NamedTuple):
    """One form of type: when it applies, its JSON schema, and how a value of it is read."""

    applies: Callable[[Any], bool]
    describe: Callable[[Any, Definitions], Schema]
    read: Callable[[Any, object, str], Any]


_FORMS = (
    _Form(lambda kind: get_origin(kind) is Literal, _describe_literal, _read_literal),
    _Form(lambda kind: get_origin(kind) in (Union, types.UnionType), _describe_union, _read_union),
    _Form(lambda kind: isinstance(kind, type) and issubclass(kind, Enum), _describe_enum, _read_enum),
    _Form(is_pydantic, _describe_pydantic, _read_pydantic),
    _Form(is_record, _describe_record, _read_record),
    _Form(is_fixed_tuple, _describe_tuple, _read_tuple),
    _Form(lambda kind: sequence_item(kind) is not None, _describe_sequence, _read_sequence),
    _Form(is_mapping, _describe_mapping, _read_mapping),
)


def _article(name: str) -> str:
    return name if name == "null" else f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
