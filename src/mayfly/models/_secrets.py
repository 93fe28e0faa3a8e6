"""Keep keys out of prompts, records and messages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import lru_cache

from mayfly.core import clipped, utf8, without_secrets


def one_line(text: str, also: Iterable[str] = (), *, longest: int = 300) -> str:
    """Return somebody else's message as one short line without secrets, fit to be shown."""
    line = " ".join(without_secrets(text, also).split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    return clipped(line, longest, mark="...")


# Together at most 64 MB: a result of a tool has 8 KB, and a conversation some hundred texts.
_REMEMBERED, _LONGEST = 2048, 32 * 1024


def sendable(text: str) -> str:
    """Return *text* as it may be sent: without secrets, and without halves of characters, which UTF-8 cannot hold."""
    return without_secrets(utf8(text))


def sendable_again() -> Callable[[str], str]:
    """Return a `sendable` that remembers: a conversation is sent anew with every turn, and most of it is known.

    What it remembers holds for the secrets of the environment as it is now.
    """
    environment = hash(frozenset(os.environ.items()))
    return lambda text: _remembered(text, environment) if len(text) <= _LONGEST else sendable(text)


@lru_cache(maxsize=_REMEMBERED)
def _remembered(text: str, environment: int) -> str:
    clean = sendable(text)
    return text if clean == text else clean
