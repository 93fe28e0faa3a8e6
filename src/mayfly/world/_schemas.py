"""What the arguments of the capabilities look like; `format` tells a planner what may fill a parameter.

`x-main` names the field of a record that is meant where the whole record is not wanted.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 4096}
PATH: Schema = {**_NAME, "format": "path", "description": "a file of the workspace"}
# A file or a directory, as a model names it; no planner fills it in.
PLACE: Schema = {**_NAME, "description": "a path beneath the workspace"}
# `x-role` says in which part of a request a parameter is named: "copy a.txt to b.txt", "send it to …".
GOAL: Schema = {**PATH, "x-role": "destination"}
PATHS: Schema = {"type": "array", "items": PATH, "minItems": 1, "maxItems": 1000}
DIRECTORY: Schema = {**_NAME, "format": "directory", "description": "a directory of the workspace"}
GLOB: Schema = {**_NAME, "format": "glob", "maxLength": 500, "description": "*.py, test_*, src/**/*.toml or a name"}
URL: Schema = {**_NAME, "format": "uri", "maxLength": 2000, "description": "an http or https address"}
TEXT: Schema = {"type": "string"}
GIVEN_TEXT: Schema = {**TEXT, "maxLength": 16 * 1024 * 1024, "description": "the text itself"}
FLAG: Schema = {"type": "boolean", "default": False}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "integer", "minimum": 1}
HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def takes(*required: str, **properties: Schema) -> Schema:
    """Return the schema of arguments: *properties* by name, of which the *required* ones have to be there."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def takes_file_or_text(*required: str, **more: Schema) -> Schema:
    """Return the schema of what works on the content of a file or on a text, whichever is given."""
    schema = takes(*required, path=PATH, text=GIVEN_TEXT, **more)
    return {**schema, "anyOf": [{"required": ["path"]}, {"required": ["text"]}]}


def gives(**properties: Schema) -> Schema:
    """Return the schema of a record that a capability gives, all of it always there."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def said(schema: Schema, description: str, **more: Any) -> Schema:
    """Return *schema* with a description of its own."""
    return {**schema, "description": description, **more}


def listed(items: Schema, description: str) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, "description": description}
