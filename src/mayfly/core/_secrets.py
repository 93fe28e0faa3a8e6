"""What looks like a secret: the one list of forms, for code that is judged and for whatever is recorded or sent."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

HIDDEN = "‹secret›"
# Environment variables with such names hold secrets.
_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
# Shorter values, and plain words such as a database's default password, stand in texts for other reasons.
_SHORTEST, _SHORTEST_WORD = 8, 20
# No form of a key is shorter.
_SHORTEST_KEY = 12


class FoundKey(NamedTuple):
    """What has the form of a key, and whose."""

    text: str
    issuer: str


class _Forms(NamedTuple):
    issuers: tuple[str, ...]
    keys: re.Pattern[str]
    everything: re.Pattern[str]


@cache
def _forms() -> _Forms:
    found = tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8"))
    keys, likely = found["keys"], found["likely"]
    numbered = "|".join(f"(?P<_{number}>{form})" for number, form in enumerate(keys.values()))
    # What is likely goes first: it takes a private key to its end and a key together with what follows it.
    everything = "|".join(f"(?:{form})" for form in (*likely.values(), *keys.values()))
    return _Forms(tuple(keys), re.compile(numbered), re.compile(everything, re.DOTALL))


def find_key(text: str) -> FoundKey | None:
    """Return the first thing in *text* that has the form of a real key, whatever stands around it."""
    found = _forms().keys.search(text) if len(text) >= _SHORTEST_KEY else None
    if found is None:
        return None
    return FoundKey(found[0], _forms().issuers[int((found.lastgroup or "_0")[1:])])


def holds_secret(text: str) -> bool:
    """Tell whether something in *text* looks like a key, a token or a password."""
    return _forms().everything.search(text) is not None


def without_secrets(text: str) -> str:
    """Return *text* with everything that looks like a secret left out."""
    return _forms().everything.sub(HIDDEN, text)


def without_known_secrets(text: str, also: Iterable[str] = ()) -> str:
    """Return *text* without keys, without the value of any environment variable named like a secret, nor *also*."""
    named = (value for name, value in os.environ.items() if _NAMES.search(name) and _is_secret(value))
    for secret in sorted({*named, *(value for value in also if value)}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _forms().keys.sub(HIDDEN, text)


def _is_secret(value: str) -> bool:
    return len(value) >= (_SHORTEST_WORD if value.isalpha() else _SHORTEST)
