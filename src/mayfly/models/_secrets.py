"""Keep keys out of prompts, records and messages."""

from __future__ import annotations

from collections.abc import Iterable

from mayfly.core import clipped, without_known_secrets, without_secrets


def one_line(text: str, also: Iterable[str] = (), *, longest: int = 300) -> str:
    """Return somebody else's message as one short line without secrets, fit to be shown."""
    line = " ".join(without_secrets(without_known_secrets(text, also)).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return clipped(line, longest, mark="...")
