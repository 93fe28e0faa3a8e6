"""Find phrases of the lexicon in the tokens of a question, in whatever forms their words stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, cast

from mayfly.language._inflect import bases, is_form_of
from mayfly.language._lexicon import load_words, word_set
from mayfly.language._tokens import Token

ARTICLES = frozenset(("the", "a", "an"))
# A unit as it is written behind a number, and what it measures.
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBER_WORDS |= {"fifteen": 15, "hundred": 100, "thousand": 1000}


class Phrase(NamedTuple):
    """What a phrase means, and where it ends."""

    meaning: str
    end: int


class Adjective(NamedTuple):
    """A comparing word: which way it points, and the roles it speaks of."""

    name: str
    descending: bool
    roles: tuple[str, ...]
    superlative: bool


def word_at(tokens: Sequence[Token], place: int) -> str:
    """Return the word or sign at a place in small letters; a name that is code counts as a word."""
    if not 0 <= place < len(tokens):
        return ""
    token = tokens[place]
    return token.plain or (token.text.lower() if token.kind == "code" else "")


@cache
def _phrases(table: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Return the phrases of a table by every base of their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    listed = cast("dict[str, list[str]]", load_words("questions")[table])
    for meaning, phrases in listed.items():
        for phrase in phrases:
            words = tuple(word for word in phrase.lower().split() if word not in ARTICLES) or (phrase,)
            for base in bases(words[0]):
                found.setdefault(base, []).append((words, meaning))
    return {base: tuple(sorted(held, key=lambda one: -len(one[0]))) for base, held in found.items()}


def phrases_at(tokens: Sequence[Token], start: int, table: str, *, every: bool = False) -> list[Phrase]:
    """Return the phrases of a table that begin at *start*, the longest first; articles inside are passed over.

    Of each meaning only the longest is returned, unless *every* one is wanted.
    """
    found: list[Phrase] = []
    seen: set[Phrase | str] = set()
    for base in bases(word_at(tokens, start)):
        for words, meaning in _phrases(table).get(base, ()):
            # "orders" are things, "order by" sorts: the words of sorting count as they stand only.
            end = _match(tokens, start, words, forms=table != "order")
            known: Phrase | str = Phrase(meaning, end) if every else meaning
            if end and known not in seen:
                seen.add(known)
                found.append(Phrase(meaning, end))
    return sorted(found, key=lambda one: -one.end)


def phrase_at(tokens: Sequence[Token], start: int, table: str, meaning: str = "") -> Phrase | None:
    """Return the longest phrase of a table that begins at *start*, of one meaning where it is given."""
    found = [one for one in phrases_at(tokens, start, table) if not meaning or one.meaning == meaning]
    return found[0] if found else None


def _match(tokens: Sequence[Token], start: int, words: tuple[str, ...], *, forms: bool) -> int:
    place = start
    for number, word in enumerate(words):
        while number and word_at(tokens, place) in ARTICLES:
            place += 1
        said = word_at(tokens, place)
        if said != word and not (forms and len(word) > 3 and said.isalpha() and is_form_of(said, word)):
            return 0
        place += 1
    return place


@cache
def _adjectives() -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for name, forms in cast("dict[str, str]", load_words("questions")["adjectives"]).items():
        for form in forms.split():
            found.setdefault(form, (name, form.endswith("st") or form in ("most", "top", "bottom", "max", "min")))
    return found


def adjective_at(tokens: Sequence[Token], start: int) -> tuple[Adjective, int] | None:
    """Return the comparing adjective at *start* ("slowest", "most expensive", "least common") and where it ends."""
    word, following = word_at(tokens, start), word_at(tokens, start + 1)
    if word in ("most", "least") and following in _adjectives() and following not in ("most", "least", "top"):
        adjective = _adjective(_adjectives()[following][0], superlative=True)
        turned = adjective.descending if word == "most" else not adjective.descending
        return adjective._replace(descending=turned), start + 2
    if word not in _adjectives():
        return None
    name, superlative = _adjectives()[word]
    return _adjective(name, superlative=superlative or word in ("latest", "recent")), start + 1


def _adjective(name: str, *, superlative: bool) -> Adjective:
    sign, *roles = cast("dict[str, str]", load_words("questions")["speaks_of"])[name].split()
    return Adjective(name, sign == "+", tuple(roles), superlative)


@cache
def _units() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for kind, forms in cast("dict[str, str]", load_words("questions")["units"]).items():
        role, unit = kind.split()
        for form in forms.split():
            for base in bases(form) if form.isalpha() and len(form) > 3 else (form,):
                found.setdefault(base, (role, unit))
    return found


def unit_of(word: str) -> tuple[str, str] | None:
    """Return what a written unit measures and its short form: ("size", "MB") for mb, megabytes."""
    word = word.lower()
    return next((_units()[base] for base in (word, *sorted(bases(word))) if base in _units()), None)


# Each unit in the smallest of its kind.
UNIT_SIZES = {
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "B": 1.0,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
    "g": 1.0,
    "kg": 1e3,
    "m": 1.0,
    "cm": 1e-2,
    "mm": 1e-3,
    "km": 1e3,
}


def bases_of(word: str) -> frozenset[str]:
    """Return the bases of a word; none of no word."""
    return bases(word) if word else frozenset()


def is_glue(word: str) -> bool:
    """Say whether a word joins and points only."""
    return word in word_set("glue", "questions")


def is_turning(word: str) -> bool:
    """Say whether a word turns a meaning round or chooses, so that it is never passed over."""
    return word in word_set("turning", "questions") or word.endswith("n't")


@cache
def _class_bases(name: str) -> frozenset[str]:
    return frozenset(base for word in word_set(name, "questions") for base in bases(word))


def in_class(word: str, name: str) -> bool:
    """Say whether a word is a form of one of a class: show, empty, happened."""
    return not bases(word).isdisjoint(_class_bases(name))


@cache
def table_bases(table: str) -> dict[str, frozenset[str]]:
    """Return the words of a table of classes, each with all its bases: levels, outcomes, truth, known."""
    listed = cast("dict[str, str]", load_words("questions")[table])
    return {name: frozenset(base for word in words.split() for base in bases(word)) for name, words in listed.items()}


_PERSONS = (
    "person people employee worker staff student pupil teacher patient doctor customer client user member guest player"
)


def is_person(word: str) -> bool:
    """Say whether a noun stands for somebody."""
    return not bases_of(word).isdisjoint(_PERSONS.split())


def join_words(tokens: Sequence[Token], place: int) -> list[str]:
    """Return what the words at a place say about joining: join, on, left or anti."""
    return [phrase.meaning for phrase in phrases_at(tokens, place, "join")]


@cache
def level_values() -> frozenset[str]:
    """Return everything levels are called in logs."""
    return frozenset(
        word
        for words in cast("dict[str, str]", load_words("questions")["level_values"]).values()
        for word in words.split()
    )


PERCENTILE = re.compile(r"p([1-9]\d?)(?:th)?|(\d\d?(?:\.\d+)?)(?:st|nd|rd|th)?")
