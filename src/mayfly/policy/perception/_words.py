"""The closed classes of English that perception stands on, read once from `words.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One way to lead up to a verb: a choice of words at each step, some of them optional, and the form it wants."""

    steps: tuple[tuple[frozenset[str], bool], ...]
    gerund: bool


@cache
def _table() -> dict[str, object]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """Return one class of single words."""
    found = _table()[name]
    if not isinstance(found, str):
        raise TypeError(f"words.toml: {name} is not a list of words")
    return frozenset(found.split())


@cache
def phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """Return one class of phrases, each a tuple of words, the longest first."""
    found = _table()[name]
    if not isinstance(found, list):
        raise TypeError(f"words.toml: {name} is not a list of phrases")
    split = (tuple(str(phrase).split()) for phrase in found)
    return tuple(sorted(split, key=len, reverse=True))


@cache
def phrases_from(name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return one class of phrases by their first word."""
    by_word: dict[str, list[tuple[str, ...]]] = {}
    for phrase in phrases(name):
        by_word.setdefault(phrase[0], []).append(phrase)
    return {word: tuple(found) for word, found in by_word.items()}


@cache
def frames(name: str) -> dict[str, tuple[Frame, ...]]:
    """Return frames by their first word, the longest first."""
    by_word: dict[str, list[Frame]] = {}
    for phrase in phrases(name):
        gerund = phrase[-1] == "+ing"
        frame = Frame(steps=tuple(_step(word) for word in (phrase[:-1] if gerund else phrase)), gerund=gerund)
        for word in frame.steps[0][0]:
            by_word.setdefault(word, []).append(frame)
    return {word: tuple(found) for word, found in by_word.items()}


def _step(written: str) -> tuple[frozenset[str], bool]:
    return frozenset(written.rstrip("?").split("|")), written.endswith("?")


@cache
def irregular() -> dict[str, tuple[str, ...]]:
    """Return the irregular past forms by base form."""
    found = _table()["irregular"]
    if not isinstance(found, dict):
        raise TypeError("words.toml: irregular is not a table")
    return {str(base): tuple(str(past).split()) for base, past in found.items()}
