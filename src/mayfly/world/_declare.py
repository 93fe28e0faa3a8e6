"""How a capability of the world is declared: the schema of its arguments, and the function that does the work.

In schemas `format` tells a planner what may fill a parameter, and `x-main` names the field of a record that is meant
where the whole record is not wanted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from mayfly.core import Asked, Capability, Invocation, same

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


Asks = Callable[..., tuple[Asked, ...]]


class Declared(NamedTuple):
    """A capability that is not yet bound to what it works with: a room, limits, the largest file it reads."""

    fields: Mapping[str, Any]
    """The fields of the `Capability`."""
    works: Mapping[str, Callable[..., Any]]
    """Its functions by the names of their fields; each takes the parts it is bound to first."""

    def __call__(self, *given: object) -> Any:
        """Call the function itself, with its parts and the call."""
        return self.works["call"](*given)

    def bound(self, *parts: object) -> Capability:
        """Return the capability for *parts*."""
        bound: dict[str, Any] = {name: partial(work, *parts) for name, work in self.works.items()}
        return Capability(**self.fields, **bound)


def tool(
    schema: Schema,
    *,
    name: str = "",
    asks: str | Asks = "",
    action: str = "",
    asks_with: Asks | None = None,
    check: Callable[..., object] | None = None,
    again: bool = False,
    does: str = "",
    **fields: Any,
) -> Callable[[Callable[..., object]], Declared]:
    """Declare a function as a capability: its name is that of the tool, and its docstring the summary.

    The rules are asked about the argument that *asks* names, or `.` where it is left out, as *action* (the name of the
    tool unless given); or for what *asks* returns for a call. *asks_with* and *check* take the parts as well.
    With *again* the test of a value is that a second call gives the same.
    *does* says what it is good for, as verbs with their objects: `read file, read content`.
    """

    def declare(function: Callable[..., object]) -> Declared:
        known = name or function.__name__
        given: dict[str, Any] = {
            "name": known,
            "summary": " ".join((inspect.getdoc(function) or "").split()),
            "input_schema": schema,
        }
        if does:
            given["does"] = tuple((verb, thing) for verb, _, thing in (one.partition(" ") for one in does.split(", ")))
        works = {"call": function, "asks": asks_with, "check": partial(_is_same, function) if again else check}
        if asks:
            given["asks"] = partial(_ask_about, action or known, asks, schema) if isinstance(asks, str) else asks
        return Declared({**given, **fields}, {name: work for name, work in works.items() if work is not None})

    return declare


def _ask_about(action: str, argument: str, schema: Schema, call: Invocation) -> tuple[Asked, ...]:
    """Ask about one argument; only one that may be left out stands for the workspace."""
    if argument in schema["required"]:
        return (Asked(action, call.arguments[argument]),)
    return (Asked(action, str(call.arguments.get(argument, "."))),)


def _is_same(function: Callable[..., object], *given: object) -> bool:
    """Whether a function gives the value that stands last, called with all that stands before it."""
    return same(given[-1], function(*given[:-1]))
