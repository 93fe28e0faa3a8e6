"""Keep keys out of prompts, records and messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

HIDDEN = "[hidden]"
_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}")
# Shorter values, and plain words such as a database's default password, stand in texts for other reasons.
_SHORTEST, _SHORTEST_WORD = 8, 20


def hide(text: str, also: Iterable[str] = ()) -> str:
    """Return *text* without the value of any environment variable that is named like a secret, nor those of *also*."""
    named = (value for name, value in os.environ.items() if _NAMES.search(name) and _is_secret(value))
    for secret in sorted({*named, *(value for value in also if value)}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _is_secret(value: str) -> bool:
    return len(value) >= (_SHORTEST_WORD if value.isalpha() else _SHORTEST)


def one_line(text: str, also: Iterable[str] = (), *, longest: int = 300) -> str:
    """Return somebody else's message as one short line without secrets, fit to be shown."""
    line = " ".join(_BEARER.sub(HIDDEN, hide(text, also)).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return line if len(line) <= longest else f"{line[: longest - 3]}..."
