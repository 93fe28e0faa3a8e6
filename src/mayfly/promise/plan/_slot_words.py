"""The words by which requests are taken apart into slots, read once from `slots.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def slot_words(name: str) -> frozenset[str]:
    """Return one list of words of `slots.toml`."""
    table = tomllib.loads(files(__package__).joinpath("slots.toml").read_text(encoding="utf-8"))
    return frozenset(str(table[name]).split())
