"""Examples as people type them into a form."""

from __future__ import annotations

import json
from typing import Any

from mayfly.core import InputError, one_line


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
        found = [{"input": _value(given), "output": _value(wanted)} for given, _, wanted in pairs]
    if not all(isinstance(one, dict) and {"input", "output"} <= set(one) for one in found):
        raise InputError("an example has an input and an output", fix='such as [{"input": "IV", "output": 4}]')
    return tuple(found)


def _value(text: str) -> object:
    try:
        value: object = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
    return value
