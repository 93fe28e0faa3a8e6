"""The words by which requests are taken apart into slots, read once from `slots.toml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mayfly.core import shipped_table


@cache
def slot_words(name: str) -> frozenset[str]:
    """Return one list of words of `slots.toml`."""
    table = shipped_table(Path(__file__).with_name("slots.toml"))
    return frozenset(str(table[name]).split())
