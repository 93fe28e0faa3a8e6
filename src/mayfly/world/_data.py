"""JSON and constants: what needs nothing from outside, and the one that reads its JSON from a file."""

from __future__ import annotations

import json
import re

from mayfly.core import InputError, Invocation, load_json, same
from mayfly.world._declare import GIVEN_TEXT, PATH, Schema, takes, tool
from mayfly.world._paths import read_text, root_of
from mayfly.world._read import reader

_DEEPEST = 100
_LONGEST = 16 * 1024 * 1024
_KEY: Schema = {
    "type": ["string", "integer", "array", "null"],
    "format": "key",
    "description": "a name, a place in a list, or several of them joined by dots",
}


def loads(text: str, what: str) -> object:
    """Parse JSON strictly: no NaN, no key twice, not deeper than a result may be."""
    if len(text) > _LONGEST:
        raise InputError(f"{what} is longer than {_LONGEST} characters")
    try:
        value = load_json(text, unique=True)
    except RecursionError:
        raise InputError(f"{what} is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{what} is not JSON: {error}") from None
    if not _is_shallow(value):
        raise InputError(f"{what} is nested deeper than {_DEEPEST} levels")
    return value


def _is_shallow(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(_DEEPEST + 1):
        level = [
            inner
            for held in level
            if isinstance(held, (dict, list))
            for inner in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return True
    return False


def at_key(data: object, key: object) -> object:
    """Return what is at *key*: a name, a place in a list, or several of them joined by dots."""
    if key is None:
        return data
    steps = key if isinstance(key, list) else [key] if _has(data, key) else str(key).split(".")
    for step in steps:
        if not _has(data, step):
            raise InputError(f"there is no {str(step)[:80]!r} in the data")
        data = data[step] if isinstance(data, dict) else _item(data, step)
    return data


def _has(data: object, step: object) -> bool:
    if isinstance(data, dict):
        return isinstance(step, str) and step in data
    return (
        isinstance(data, list)
        and re.fullmatch(r"-?\d{1,9}", str(step)) is not None
        and -len(data) <= int(str(step)) < len(data)
    )


def _item(data: object, step: object) -> object:
    return data[int(str(step))] if isinstance(data, list) else None


def _says_the_same(call: Invocation, value: object) -> bool:
    try:
        again = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return False
    return same(again, at_key(json.loads(call.arguments["text"]), call.arguments.get("key")))


def _data(call: Invocation) -> object:
    data = call.arguments["data"]
    return loads(data, "the text") if isinstance(data, str) else data


def _is_formatted(call: Invocation, value: object) -> bool:
    return isinstance(value, str) and same(loads(value, "the value"), _plain(_data(call)))


def _plain(data: object) -> object:
    return json.loads(json.dumps(data))


@reader(
    takes("path", path=PATH, key=_KEY),
    does="read json, parse json",
    again=True,
    proves="parsing the file again gives the same data",
)
def read_json(largest: int, call: Invocation) -> object:
    """Read JSON from one file of the workspace and return its data, or the part at a given key."""
    path = call.arguments["path"]
    return at_key(loads(read_text(root_of(call), path, most=largest), path), call.arguments.get("key"))


@tool(
    takes("text", text=GIVEN_TEXT, key=_KEY),
    does="parse json",
    check=_says_the_same,
    proves="written as JSON and parsed again it is the data of the text",
    quick=True,
    steady=True,
)
def parse_json(call: Invocation) -> object:
    """Parse JSON text and return its data, or extract what is at a given key."""
    return at_key(loads(call.arguments["text"], "the text"), call.arguments.get("key"))


@tool(
    takes("data", "key", data={"type": ["object", "array"]}, key=_KEY),
    does="extract key, extract field",
    again=True,
    proves="looking it up again finds the same",
    quick=True,
    steady=True,
)
def get_value(call: Invocation) -> object:
    """Extract what is at a given key from data."""
    return at_key(call.arguments["data"], call.arguments["key"])


@tool(
    takes("data", data={"description": "data, or a text that is JSON"}),
    output_schema={"type": "string"},
    does="format json",
    check=_is_formatted,
    proves="parsing what was written gives the data that was given",
    quick=True,
    steady=True,
)
def format_json(call: Invocation) -> str:
    """Format data or JSON text as indented JSON."""
    try:
        return json.dumps(_data(call), indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the data has no form as JSON: {error}") from None


@tool(
    takes("value", value={"format": "constant"}),
    does="return constant",
    again=True,
    proves="it is the constant that was given",
    quick=True,
    steady=True,
)
def return_constant(call: Invocation) -> object:
    """Return a constant as it is given."""
    return call.arguments["value"]
