"""The words by which requests are taken apart, read once from `slots.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def words(name: str) -> frozenset[str]:
    """Return one list of words."""
    return frozenset(str(_table()[name]).split())


@cache
def _table() -> dict[str, object]:
    return tomllib.loads(files(__package__).joinpath("slots.toml").read_text(encoding="utf-8"))
