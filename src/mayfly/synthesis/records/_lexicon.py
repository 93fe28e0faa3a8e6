"""Read the table of words, and bring words of an intent or of a header into one form."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import cast

Table = dict[str, list[str]]
_KEPT = frozenset(
    {"status", "address", "class", "process", "access", "series", "bus", "alias", "canvas", "does", "has", "was", "is"}
)
_IRREGULAR = {"statuses": "status", "addresses": "address", "classes": "class", "processes": "process", "bytes": "byte"}
_IRREGULAR |= {"queries": "query", "latencies": "latency", "children": "child", "indices": "index", "ids": "id"}
_IRREGULAR |= {"aliases": "alias", "ips": "ip", "accesses": "access"}


@cache
def _data() -> dict[str, object]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def words(name: str) -> frozenset[str]:
    """Return one of the plain lists."""
    return frozenset(cast("list[str]", _data()[name]))


def table(name: str) -> Table:
    """Return one of the tables of phrases."""
    return cast("Table", _data()[name])


@cache
def phrases(name: str) -> dict[tuple[str, ...], str]:
    """Return every phrase of a table, as words in their plain form, with what it stands for."""
    return {tuple(phrase.split()): key for key, listed in table(name).items() for phrase in listed}


def singular(word: str) -> str:
    """Return the word without its plural, in small letters."""
    word = word.lower()
    if word in _KEPT or len(word) < 4:
        return _IRREGULAR.get(word, word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def name_words(name: str) -> tuple[str, ...]:
    """Split a field's name at underscores, dots, hyphens and humps, into words in the singular."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(singular(word) for word in re.findall(r"[A-Za-z0-9]+", spaced)) or (name.lower(),)


@cache
def roles() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return, for every name a field may go by, the roles it may mean, the likeliest first."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for role, names in table("roles").items():
        for name in dict.fromkeys(name_words(name) for name in names):
            found[name] = (*found.get(name, ()), role)
    return found


def role_of_name(name: str) -> str:
    """Return the role a field's name tells, or nothing."""
    split = name_words(name)
    for start in range(len(split)):
        if found := roles().get(split[start:]):
            own = "_".join(split[start:])
            return own if own in found else found[0]
    return ""


@cache
def level_values() -> frozenset[str]:
    """Return everything levels are called in logs."""
    return frozenset(name for names in table("level_values").values() for name in names)
