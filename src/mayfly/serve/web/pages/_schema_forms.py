"""What is typed into forms: a form out of a tool's schema, its arguments, and examples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mayfly.core import InputError, one_line

if TYPE_CHECKING:
    from starlette.datastructures import FormData

Kind = Literal["text", "number", "choice", "json"]
# What stands before the name of an argument in the form, so that none can be taken for a field of ours.
_OURS = "argument."
_LARGEST = 2_000_000


@dataclass(frozen=True, kw_only=True)
class SchemaField:
    """One field: the argument it stands for, how it is typed, and what its schema says."""

    argument: str
    kind: Kind
    type: str
    is_required: bool
    choices: tuple[str, ...] = ()
    default: str = ""
    description: str = ""
    typed: str = ""

    @property
    def name(self) -> str:
        """What the field is called in the form."""
        return _OURS + self.argument


def fields_of(schema: Mapping[str, Any], form: FormData | None = None) -> list[SchemaField]:
    """Return a field for each argument, with what was typed the last time."""
    return list(_schema_fields(schema, form))


def _schema_fields(schema: Mapping[str, Any], form: FormData | None) -> Iterator[SchemaField]:
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    for argument, inner in properties.items() if isinstance(properties, Mapping) else ():
        about: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
        choices = _choices(about)
        typed = form.get(_OURS + argument, "") if form is not None else ""
        yield SchemaField(
            argument=argument,
            kind="choice" if choices else _field_kind(about),
            type=_field_type(about),
            is_required=argument in required,
            choices=choices,
            default=json.dumps(about["default"], ensure_ascii=False) if "default" in about else "",
            description=str(about.get("description", "")),
            typed=typed if isinstance(typed, str) else "",
        )


def _choices(about: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what there is to choose from, as JSON; nothing where anything may be typed."""
    if isinstance(about.get("enum"), (list, tuple)):
        return tuple(json.dumps(one, ensure_ascii=False) for one in about["enum"])
    return ("true", "false") if about.get("type") == "boolean" else ()


def _field_kind(about: Mapping[str, Any]) -> Kind:
    kinds: dict[Any, Kind] = {"string": "text", "integer": "number", "number": "number"}
    found = about.get("type")
    return kinds.get(found, "json") if isinstance(found, str) else "json"


def _field_type(about: Mapping[str, Any]) -> str:
    found = about.get("type")
    if found == "array" and isinstance(about.get("items"), Mapping):
        return f"list of {about['items'].get('type', 'anything')}"
    return str(found) if isinstance(found, str) else "JSON"


def arguments_in(schema: Mapping[str, Any], form: FormData) -> dict[str, Any]:
    """Return the arguments that were typed; an empty field of one that is not required leaves it out."""
    found: dict[str, Any] = {}
    for field in _schema_fields(schema, form):
        if field.typed or (field.is_required and field.kind == "text"):
            found[field.argument] = _argument_value(field)
        elif field.is_required:
            raise InputError(f"{field.argument} is missing", fix=f"it is a {field.type}")
    return found


def _argument_value(field: SchemaField) -> object:
    # A browser sends the ends of lines as two characters, whatever was typed.
    text = field.typed.replace("\r\n", "\n")
    if field.kind == "text":
        return text
    if len(text) > _LARGEST:
        raise InputError(f"{field.argument} has more than {_LARGEST:,} characters", fix="call it over the API")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else one_line(str(error), limit=120)
        raise InputError(f"{field.argument} is not {field.type}: {said}", fix="write it as JSON") from None
    return value


def examples_in(text: str) -> tuple[dict[str, Any], ...]:
    """Read examples: JSON as the command line takes it, or a line for each, with an arrow in it."""
    if not text:
        return ()
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the examples are not JSON: {one_line(str(error), limit=200)}") from None
    else:
        pairs = [line.partition("->") for line in text.splitlines() if line.strip()]
        if not all(arrow for _, arrow, _ in pairs):
            raise InputError("an example needs an arrow", fix="write a line for each, such as: MCMXC -> 1990")
        found = [{"input": _example_value(given), "output": _example_value(wanted)} for given, _, wanted in pairs]
    if not all(isinstance(one, dict) and {"input", "output"} <= set(one) for one in found):
        raise InputError("an example has an input and an output", fix='such as [{"input": "IV", "output": 4}]')
    return tuple(found)


def _example_value(text: str) -> object:
    try:
        value: object = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
    return value
