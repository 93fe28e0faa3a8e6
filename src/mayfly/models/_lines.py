"""Read a file of JSON lines; what is wrong is said with file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mayfly.core import InputError
from mayfly.models._types import PURPOSES

NUMBERS = {"input_tokens": int, "output_tokens": int, "money": float, "delay": float}


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


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise InputError(f"{place}: an object is needed, not {json.dumps(entry)[:60]}")
    return entry
