"""Keep keys out of prompts, records and messages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mayfly.core import HIDDEN, clipped, without_known_secrets

# A provider may repeat the header it was sent, with a key of any length.
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}")


def one_line(text: str, also: Iterable[str] = (), *, longest: int = 300) -> str:
    """Return somebody else's message as one short line without secrets, fit to be shown."""
    line = " ".join(_BEARER.sub(HIDDEN, without_known_secrets(text, also)).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return clipped(line, longest, mark="...")
