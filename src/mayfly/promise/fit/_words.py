"""The words by which clauses are held against capabilities, read once from `words.toml`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mayfly.core import Capability, shipped_table
from mayfly.language import bases


@cache
def words(section: str, name: str) -> frozenset[str]:
    """Return one list of words; none where there is no such list."""
    return frozenset(str(_table().get(section, {}).get(name, "")).split())


@cache
def names(section: str) -> tuple[str, ...]:
    """Return the names of all lists of a section."""
    return tuple(_table().get(section, {}))


@cache
def meanings(section: str, word: str) -> frozenset[str]:
    """Return what a word can mean in a section, its base forms among that: "shows" means show, read, list."""
    forms = bases(word)
    return forms | {name for name in names(section) if not forms.isdisjoint(words(section, name))}


@cache
def all_verbs() -> frozenset[str]:
    """Return every verb of every operation."""
    return frozenset().union(*(words("verbs", name) for name in names("verbs")))


def verbs_of(capabilities: Iterable[Capability]) -> frozenset[str]:
    """Return every way to say the verbs of some capabilities, but for nouns that are verbs only now and then."""
    does = {verb for capability in capabilities for verb, _ in capability.does}
    said = frozenset().union(*(words("verbs", verb) | {verb} for verb in does))
    return said - words("words", "rarely_verbs")


def is_idle(word: str) -> bool:
    """Say whether a word says nothing about which thing is meant."""
    return word in words("words", "idle")


def is_small(word: str) -> bool:
    """Say whether a word only leads to what is meant: "the", "file", "occurrences"."""
    return any(word in words("words", name) for name in ("idle", "naming", "occurrences"))


@cache
def _table() -> dict[str, dict[str, str]]:
    return shipped_table(Path(__file__).with_name("words.toml"))
