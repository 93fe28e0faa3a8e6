"""Inflect verbs and nouns the regular English way, in both spellings of it."""

from __future__ import annotations

from typing import Literal

from mayfly.policy.perception._words import irregular

Form = Literal["base", "third", "gerund", "past"]
_VOWELS = "aeiou"
_PREFIXES = ("re-", "re", "un", "over", "out")
_SPELLINGS = (("ize", "ise"), ("yze", "yse"), ("or", "our"), ("log", "logue"), ("er", "re"), ("ense", "ence"))


def spellings(word: str) -> set[str]:
    """Return the word in British and in American spelling."""
    found = {word}
    for left, right in _SPELLINGS:
        for old, new in ((left, right), (right, left)):
            if len(word) > len(old) + 2 and word.endswith(old):
                found.add(word[: -len(old)] + new)
    return found


def inflections(word: str) -> dict[str, Form]:
    """Return every form of a verb; where one text is two forms, the base form wins."""
    found: dict[str, Form] = {}
    for base in sorted(spellings(word)):
        found.setdefault(base, "base")
    for base in sorted(spellings(word)):
        for text, form in _inflected(base):
            found.setdefault(text, form)
    return found


def plural(noun: str) -> str:
    """Return the regular plural, which is also the third person of a verb."""
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _inflected(base: str) -> list[tuple[str, Form]]:
    found: list[tuple[str, Form]] = [(plural(base), "third")]
    stems = _stems(base)
    found += [(stem + "ing", "gerund") for stem in stems]
    if base.endswith("ie"):
        found.append((base[:-2] + "ying", "gerund"))
    past = _irregular(base)
    found += [(text, "past") for text in past]
    if not past:
        found += [(_regular_past(stem), "past") for stem in stems]
    return found


def _stems(base: str) -> list[str]:
    """Return what -ing and -ed are put after: without a silent e, with the last consonant doubled where it may be."""
    if base.endswith("e") and not base.endswith(("ee", "ye", "oe")):
        return [base[:-1]]
    if len(base) > 2 and base[-1] not in "aeiouwxyh" and base[-2] in _VOWELS and base[-3] not in _VOWELS:
        return [base, base + base[-1]]
    return [base]


def _regular_past(stem: str) -> str:
    if stem.endswith("y") and stem[-2:-1] not in _VOWELS:
        return stem[:-1] + "ied"
    return stem + ("d" if stem.endswith("e") else "ed")


def _irregular(base: str) -> tuple[str, ...]:
    table = irregular()
    if base in table:
        return table[base]
    for prefix in _PREFIXES:
        if base.startswith(prefix) and base[len(prefix) :] in table:
            return tuple(prefix + past for past in table[base[len(prefix) :]])
    return ()
