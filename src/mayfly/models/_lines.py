"""Read a file of JSON lines; what is wrong is said with file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mayfly.core import InputError
from mayfly.models._calls import WrittenCall
from mayfly.models._types import PURPOSES

NUMBERS = {"input_tokens": int, "output_tokens": int, "money": float, "delay": float}
# What an answer in a conversation has, and what a call in it; a recording has the last of each.
_TURN = {"text", "calls", "carried"}
_CALL = {"id", "name", "arguments", "malformed", "problem"}


def read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object with its place, `FILE:LINE`; blank lines are passed over."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: {reason}") from None
    # Not splitlines: U+2028 may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def checked(entry: dict[str, Any], place: str, *, purposes: tuple[str, ...] = PURPOSES) -> dict[str, Any]:
    """Return *entry* if it has a purpose and either an answer or an error, and numbers where numbers belong."""
    purpose = entry.get("for")
    if purpose not in purposes:
        raise InputError(f'{place}: "for" must be one of {", ".join(purposes)}, not {json.dumps(purpose)}')
    if ("answer" in entry) == ("error" in entry):
        raise InputError(f'{place}: exactly one of "answer" and "error" is needed')
    if not isinstance(entry.get("error", ""), str):
        raise InputError(f'{place}: "error" must be text')
    for name, kind in NUMBERS.items():
        value = entry.get(name)
        fits = isinstance(value, int) or (kind is float and isinstance(value, float))
        if value is not None and (isinstance(value, bool) or not fits or not 0 <= value < float("inf")):
            raise InputError(f'{place}: "{name}" must be a number, 0 or more, not {json.dumps(value)}')
    return entry


def answer_text(entry: dict[str, Any]) -> str:
    """Return the answer of *entry* as a model would write it: text as it is, anything else as JSON."""
    answer = entry["answer"]
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def answer_turn(entry: dict[str, Any], place: str) -> tuple[str, list[WrittenCall]]:
    """Return what the answer of *entry* says and calls in a conversation: an object may have `text` and `calls`."""
    answer = entry["answer"]
    if not isinstance(answer, dict) or not ("calls" in answer or set(answer) == {"text"}):
        return answer_text(entry), []
    unknown = sorted(set(answer) - _TURN)
    if unknown:
        raise InputError(
            f"{place}: unknown key {unknown[0]!r} beside calls", fix=f"known are {', '.join(sorted(_TURN))}"
        )
    text, calls = answer.get("text", ""), answer.get("calls", [])
    if not isinstance(text, str) or not isinstance(calls, list):
        raise InputError(f'{place}: an answer with calls has "text" and a list of "calls"')
    return text, [_call(call, place) for call in calls]


def _call(call: object, place: str) -> WrittenCall:
    """Return a call of a script; arguments that are text are taken as a model may have written them, right or wrong."""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or set(call) - _CALL:
        fix = f"write an object with {', '.join(sorted(_CALL))}"
        raise InputError(f"{place}: not a call: {json.dumps(call)[:60]}", fix=fix)
    arguments = call.get("malformed", call.get("arguments"))
    if not (arguments is None or isinstance(arguments, (str, dict))):
        raise InputError(f"{place}: the arguments of {call['name']!r} must be an object, or text as a model writes it")
    id = call.get("id", "")
    return WrittenCall(id if isinstance(id, str) else "", call["name"], arguments)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise InputError(f"{place}: an object is needed, not {json.dumps(entry)[:60]}")
    return entry
