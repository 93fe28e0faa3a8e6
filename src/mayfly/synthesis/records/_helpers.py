"""Read the functions that generated programs are put together from."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def _helpers() -> dict[str, str]:
    text = files(__package__).joinpath("helpers.txt").read_text(encoding="utf-8")
    sections = (section.split("\n", 1) for section in text.split("\n== ")[1:])
    return {name.strip(): source.strip("\n") for name, source in sections}


def helper(name: str) -> str:
    """Return the source of one function."""
    return _helpers()[name]
