"""The words the reader stands on, as data: one TOML file a subject beside this one, each read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, cast


@cache
def load_words(subject: str) -> dict[str, object]:
    """Return the whole of one file of words: forms, requests or questions."""
    return tomllib.loads(files(__package__).joinpath(f"words/{subject}.toml").read_text(encoding="utf-8"))


@cache
def word_set(name: str, subject: str = "forms") -> frozenset[str]:
    """Return one class of single words, which is written as one string."""
    return frozenset(cast("str", load_words(subject)[name]).split())


@cache
def irregular_nouns() -> dict[str, tuple[str, ...]]:
    """Return the singulars of plurals that follow no rule, and the other way round where both are said."""
    listed = cast("dict[str, str]", load_words("forms")["nouns"])
    return {plural: tuple(singulars.split()) for plural, singulars in listed.items()}


@cache
def irregular_verbs(key: Literal["form", "past"] = "form") -> dict[str, tuple[str, ...]]:
    """Return the bases of irregular past forms, or with *key* "past" the past forms of each base."""
    listed = cast("dict[str, str]", load_words("forms")["verbs"])
    if key == "past":
        return {base: tuple(past.split()) for base, past in listed.items()}
    found: dict[str, tuple[str, ...]] = {}
    for base, past in listed.items():
        for form in past.split():
            found[form] = (*found.get(form, ()), base)
    return found
