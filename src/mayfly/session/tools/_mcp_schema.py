"""Schemas that strangers wrote, made harmless: no patterns to get lost in, no circles, no more than can be read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from mayfly.core import InputError, clipped, harmless

# A form with more parts than this was not made for a person or a model.
_NODES = 2000
_DEEPEST = 10
_LARGEST = 30_000
_WORDS = 400
_CHOICES = 200
# What providers of models take as the name of an argument.
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NUMBERS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)
_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


def cleaned_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments with what holds somebody to something; its references are written out.

    A schema that names arguments which cannot be given is an `InputError`. One that is too large describes less: the
    server checks its arguments itself.
    """
    cleaned = _Cleaner(schema).clean(schema, 0)
    cleaned["type"] = "object"
    cleaned.setdefault("properties", {})
    if len(json.dumps(cleaned)) > _LARGEST:
        shallow = {name: _kind_only(inner) for name, inner in cleaned["properties"].items()}
        cleaned = {"type": "object", "properties": shallow, "required": cleaned.get("required", [])}
    return cleaned if len(json.dumps(cleaned)) <= _LARGEST else {"type": "object", "properties": {}}


def _kind_only(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in ("type", "description") if key in schema}


class _Cleaner:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _NODES

    def clean(self, schema: object, depth: int) -> dict[str, Any]:
        """Return *schema* with known keywords alone; nothing is asked of what lies too deep."""
        self._left -= 1
        if not isinstance(schema, Mapping) or depth > _DEEPEST or self._left < 0:
            return {}
        found: dict[str, Any] = {}
        if isinstance(schema.get("$ref"), str):
            found |= self.clean(self._referred(schema["$ref"]), depth + 1)
        found |= self._plain(schema)
        found |= self._inner(schema, depth)
        return found

    def _plain(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        kinds = schema.get("type")
        named = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind in _TYPES]
        if named:
            found["type"] = named[0] if len(named) == 1 else named
        if isinstance(schema.get("description"), str):
            found["description"] = clipped(harmless(schema["description"]), _WORDS)
        choices = schema.get("enum")
        if isinstance(choices, list) and 0 < len(choices) <= _CHOICES and all(map(_is_simple, choices)):
            found["enum"] = choices
        if "const" in schema and _is_simple(schema["const"]):
            found["const"] = schema["const"]
        if "default" in schema and _is_simple(schema["default"]):
            found["default"] = schema["default"]
        for key in _NUMBERS:
            value = schema.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                found[key] = value
        return found

    def _inner(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            wrong = next((name for name in properties if not _NAME.fullmatch(str(name))), None)
            if wrong is not None:
                raise InputError(f"an argument is called {clipped(ascii(wrong), 80)}")
            found["properties"] = {str(name): self.clean(inner, depth + 1) for name, inner in properties.items()}
            required = schema.get("required")
            if isinstance(required, list):
                found["required"] = [name for name in required if name in found["properties"]]
        if schema.get("additionalProperties") is False:
            found["additionalProperties"] = False
        if isinstance(schema.get("items"), Mapping):
            found["items"] = self.clean(schema["items"], depth + 1)
        # One of several and any of several are told apart by the server.
        options = schema.get("anyOf", schema.get("oneOf"))
        if isinstance(options, list) and 0 < len(options) <= _CHOICES:
            found["anyOf"] = [self.clean(option, depth + 1) for option in options]
        return found

    def _referred(self, reference: str) -> object:
        found: object = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found


def _is_simple(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, int) or (isinstance(value, str) and len(value) <= _WORDS)
