"""The words by which an intent is judged, read once from `reality.toml`."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files


@cache
def _table() -> dict[str, dict[str, object]]:
    return tomllib.loads(files(__package__).joinpath("reality.toml").read_text(encoding="utf-8"))


@cache
def words(section: str, key: str) -> frozenset[str]:
    """Return one list of words."""
    return frozenset(str(_table()[section][key]).split())


@cache
def phrases(section: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases of a section, each as its words, by their first word."""
    listed = _table()[section]["phrases"]
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in listed if isinstance(listed, list) else ():
        parts = tuple(str(phrase).split())
        found[parts[0]] = (*found.get(parts[0], ()), parts)
    return found


@cache
def operations() -> dict[str, frozenset[str]]:
    """Return for each verb the names of the operations it can mean."""
    found: dict[str, set[str]] = {}
    for operation, verbs in _table()["verbs"].items():
        for verb in str(verbs).split():
            found.setdefault(verb, set()).add(operation)
    return {verb: frozenset(names) for verb, names in found.items()}


@lru_cache(maxsize=16_384)
def base(word: str) -> str:
    """Return a word without its regular ending, so that `logs`, `log` and `logging` meet."""
    for ending, put in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + put
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


@lru_cache(maxsize=16_384)
def operations_of(word: str) -> frozenset[str]:
    """Return the operations a word can mean in any of its forms; an unlisted word means itself."""
    known = operations()
    for form in _forms(word):
        if form in known:
            return known[form]
    return frozenset((base(word),))


@lru_cache(maxsize=16_384)
def is_verb(word: str) -> bool:
    """Say whether a word is a listed verb in any of its forms."""
    return any(form in operations() for form in _forms(word))


def _forms(word: str) -> tuple[str, ...]:
    forms = [word, base(word)]
    for ending in ("ing", "ed", "es", "er", "or"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            forms += [stem, stem + "e", stem[:-1]]
    return tuple(forms)
