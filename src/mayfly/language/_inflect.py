"""Word forms: every base a word may be a form of, so that two words are compared by what they share.

English spelling does not tell one base from another ("movies" is movie, "queries" is query; "caches" is cache,
"matches" is match), so no choice is made here: `bases` returns all of them, and two words are forms of one word where
their bases meet. A wrong base ("movy") meets nothing and does no harm.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from mayfly.language._lexicon import irregular_nouns, irregular_verbs, word_set

VerbForm = Literal["base", "third", "gerund", "past"]
_VOWELS = "aeiou"
_PREFIXES = ("re-", "re", "un", "over", "out")
_SPELLINGS = (("ize", "ise"), ("yze", "yse"), ("or", "our"), ("log", "logue"), ("er", "re"), ("ense", "ence"))


@lru_cache(maxsize=16_384)
def bases(word: str) -> frozenset[str]:
    """Return every base that *word* may be the plural or a verb form of; always the word itself in small letters."""
    word = word.lower()
    found = {word, *irregular_nouns().get(word, ()), *irregular_verbs().get(word, ())}
    if len(word) > 3 and word not in word_set("unchanging"):
        found |= singulars(word) | _without_ending(word)
    return frozenset(found)


def is_form_of(word: str, other: str) -> bool:
    """Say whether two words can be forms of one word."""
    return not bases(word).isdisjoint(bases(other))


_DERIVED = ("ation", "ition", "ment", "ance", "ence", "ure", "ion", "er", "or", "al", "y")


def is_made_of(noun: str, verb: str) -> bool:
    """Say whether a noun is made of a verb, in whatever form that stands: failure of fail, approver of approved."""
    plain = {base.removesuffix("e") for base in bases(verb)}
    return any(root in plain and not noun.startswith(verb) for root in roots(noun))


@lru_cache(maxsize=16_384)
def roots(word: str) -> frozenset[str]:
    """Return what is left of a word's bases without an ending that makes a noun of a verb, and without a silent e."""
    found: set[str] = set()
    for base in bases(word):
        found.add(base.removesuffix("e"))
        for ending in _DERIVED:
            stem = base.removesuffix(ending)
            if stem != base:
                found |= {stem, stem[:-1]} if stem[-2:-1] == stem[-1:] else {stem}
    # Shorter ones are shared by words that have nothing to do with each other; "own" and "owner" do.
    return frozenset(one for one in found if len(one) > 2 and any(letter in "aeiouy" for letter in one))


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    """Return the likeliest singular of a noun, for names that are made up; `bases` is for comparing."""
    word = word.lower()
    if word in irregular_nouns():
        return irregular_nouns()[word][0]
    if len(word) < 4 or word in word_set("unchanging") or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


def singulars(word: str) -> set[str]:
    if not word.endswith("s") or word.endswith("ss"):
        return set()
    found = {word[:-1]}
    if word.endswith("es"):
        found.add(word[:-2])
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("ves"):
        found |= {word[:-3] + "f", word[:-3] + "fe"}
    if word.endswith("ices"):
        found |= {word[:-4] + "ex", word[:-4] + "ix"}
    if word.endswith("ses"):
        found.add(word[:-2] + "is")
    return found


def _without_ending(word: str) -> set[str]:
    """Return the bases of a regular gerund or past form: without its ending, with an e, with one consonant less."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2 or not any(letter in "aeiouy" for letter in stem):
            continue
        found = {stem, stem + "e"}
        if len(stem) > 2 and stem[-1] == stem[-2]:
            found.add(stem[:-1])
        if stem.endswith("i"):
            found.add(stem[:-1] + "y")
        return found
    return set()


def spellings(word: str) -> set[str]:
    """Return the word in British and in American spelling."""
    found = {word}
    for left, right in _SPELLINGS:
        for old, new in ((left, right), (right, left)):
            if len(word) > len(old) + 2 and word.endswith(old):
                found.add(word[: -len(old)] + new)
    return found


@lru_cache(maxsize=4096)
def verb_forms(word: str) -> dict[str, VerbForm]:
    """Return every form of a verb with its name; where one text is two forms, the base form wins."""
    found: dict[str, VerbForm] = {}
    for base in sorted(spellings(word)):
        found.setdefault(base, "base")
    for base in sorted(spellings(word)):
        for text, form in _conjugate(base):
            found.setdefault(text, form)
    return found


def plural(noun: str) -> str:
    """Return the regular plural, which is also the third person of a verb."""
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return noun[:-1] + "ies"
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _conjugate(base: str) -> list[tuple[str, VerbForm]]:
    found: list[tuple[str, VerbForm]] = [(plural(base), "third")]
    stems = _stems(base)
    found += [(stem + "ing", "gerund") for stem in stems]
    if base.endswith("ie"):
        found.append((base[:-2] + "ying", "gerund"))
    past = _irregular_past(base)
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


def _irregular_past(base: str) -> tuple[str, ...]:
    table = irregular_verbs("past")
    if base in table:
        return table[base]
    for prefix in _PREFIXES:
        if base.startswith(prefix) and base[len(prefix) :] in table:
            return tuple(prefix + past for past in table[base[len(prefix) :]])
    return ()
