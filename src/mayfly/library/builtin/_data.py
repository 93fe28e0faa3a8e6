"""JSON and constants: what needs nothing from outside, and the one that reads its JSON from a file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

from mayfly.core import UNSET, InputError, same
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import Fields, asked_path, fields_of, said, text_of
from mayfly.library.builtin._paths import read_text, root_of

_DEEPEST = 100
_LONGEST = 16 * 1024 * 1024


def data_builtins(largest: int) -> tuple[Builtin, ...]:
    """Return the capabilities that work on data."""
    return (
        Builtin(
            name="read_json",
            description="Read JSON from one file of the workspace and return its data, or the part at a given key.",
            call=partial(_read, largest),
            action="file_read",
            target=_path,
            check=partial(_is_in_file, largest),
            proves="parsing the file again gives the same data",
        ),
        Builtin(
            name="parse_json",
            description="Parse JSON text and return its data, or extract what is at a given key.",
            call=_parse,
            check=_says_the_same,
            proves="written as JSON and parsed again it is the data of the text",
            quick=True,
            steady=True,
        ),
        Builtin(
            name="format_json",
            description="Format data or JSON text as indented JSON.",
            call=_format,
            check=_is_formatted,
            proves="parsing what was written gives the data that was given",
            quick=True,
            steady=True,
        ),
        Builtin(
            name="return_constant",
            description="Return a constant as it is given.",
            call=_constant,
            check=lambda invocation, value: same(value, _constant(invocation)),
            proves="it is the constant that was given",
            quick=True,
            steady=True,
        ),
    )


def loads(text: str, what: str) -> object:
    """Parse JSON strictly: no NaN, no key twice, not deeper than a result may be."""
    if len(text) > _LONGEST:
        raise InputError(f"{what} is longer than {_LONGEST} characters")
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except RecursionError:
        raise InputError(f"{what} is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{what} is not JSON: {error}") from None
    if not _is_shallow(value):
        raise InputError(f"{what} is nested deeper than {_DEEPEST} levels")
    return value


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


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


def _path(invocation: Invocation) -> str:
    return text_of(fields_of(invocation, main="path", others=("key",), asked=asked_path), "path")


def _read(largest: int, invocation: Invocation) -> object:
    fields = fields_of(invocation, main="path", others=("key",), asked=asked_path)
    path, key = _path(invocation), fields.get("key", asked_key(invocation))
    return at_key(loads(read_text(root_of(invocation), path, most=largest), path), key)


def _is_in_file(largest: int, invocation: Invocation, value: object) -> bool:
    return same(value, _read(largest, invocation))


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


def _given_text(invocation: Invocation) -> tuple[str, object]:
    """Return the JSON text of a call, and the key that is asked for where there is one."""
    argument = invocation.argument
    if isinstance(argument, Mapping) and set(argument) <= {"text", "key"} and isinstance(argument.get("text"), str):
        return text_of(argument, "text", longest=_LONGEST), argument.get("key")
    if argument is None or argument is UNSET:
        argument = _json_in(invocation.intent)
    if not isinstance(argument, str):
        raise InputError("parse_json needs JSON text", fix='give the text, or {"text": …, "key": …}')
    return argument, asked_key(invocation)


def _json_in(intent: str) -> str | None:
    """Return the JSON that stands in an intent, to its own end, or all that follows where it has none."""
    start = min((place for place in map(intent.find, "{[") if place >= 0), default=-1)
    if start < 0:
        return None
    try:
        return intent[start : json.JSONDecoder().raw_decode(intent, start)[1]]
    except (ValueError, RecursionError):
        return intent[start:]


def asked_key(invocation: Invocation) -> str | None:
    """Return the key that an intent wants extracted: "parse JSON and extract name"."""
    words = [token for token in said(invocation) if token.plain not in ("the", "field", "key", "value", "its")]
    for lead, token in pairwise(words):
        if lead.plain in ("extract", "take", "pick") and token.kind in ("word", "quoted", "code", "path"):
            return token.text
    return None


def _parse(invocation: Invocation) -> object:
    text, key = _given_text(invocation)
    return at_key(loads(text, "the text"), key)


def _says_the_same(invocation: Invocation, value: object) -> bool:
    text, key = _given_text(invocation)
    try:
        again = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return False
    return same(again, at_key(json.loads(text), key))


def _data(invocation: Invocation) -> object:
    argument = invocation.argument
    if argument is None or argument is UNSET:
        return loads(_given_text(invocation)[0], "the text")
    if isinstance(argument, str):
        return loads(argument, "the text")
    return argument


def _format(invocation: Invocation) -> str:
    try:
        return json.dumps(_data(invocation), indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the data has no form as JSON: {error}") from None


def _is_formatted(invocation: Invocation, value: object) -> bool:
    return isinstance(value, str) and same(loads(value, "the value"), _plain(_data(invocation)))


def _plain(data: object) -> object:
    return json.loads(json.dumps(data))


def _constant(invocation: Invocation) -> object:
    argument = invocation.argument
    if argument is not UNSET and argument is not None:
        return argument["value"] if isinstance(argument, Mapping) and set(argument) == {"value"} else argument
    found = _literals(invocation)
    if len(found) != 1:
        problem = "no constant" if not found else "more than one constant"
        raise InputError(f"the intent names {problem}", fix='write: Return 42, Return "text", or give an argument')
    return found[0]


_WORDS: Fields = {"true": True, "false": False, "null": None, "none": None, "nil": None, "zero": 0, "one": 1}


def _literals(invocation: Invocation) -> list[object]:
    """Return the constants that an intent names: numbers, quoted texts, JSON, true, false and null."""
    rest = invocation.intent.strip().partition(" ")[2].strip().rstrip(".")
    try:
        return [loads(rest, "it")]
    except InputError:
        pass
    found: list[object] = []
    for token in said(invocation):
        if token.kind == "quoted":
            found.append(token.text)
        elif token.kind == "number":
            found.append(_number(token.text))
        elif token.plain in _WORDS:
            found.append(_WORDS[token.plain])
    return found


def _number(text: str) -> object:
    plain = text.replace("_", "").replace(",", "")
    try:
        number = int(plain) if re.fullmatch(r"[+-]?\d{1,1000}", plain) else float(plain)
    except ValueError:
        return text
    return number if math.isfinite(number) else text
