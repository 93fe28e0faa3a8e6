"""Learn from the messages of a log which words name a value: "job cleanup started", "attempt 2", "port 22"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mayfly.language.question import role_of_name

# So often a word has to stand before a value, and so many different values have to follow it.
FEWEST = 3
FEWEST_VALUES = 2
# A plain word is a value only where so many others stand in the same place of the same sentence.
FEWEST_WORDS = 3
MOST_PHRASES = 8
MOST_TEMPLATES = 600
LONGEST = 40
_FILLERS = frozenset(
    [
        "from",
        "to",
        "in",
        "at",
        "by",
        "for",
        "of",
        "on",
        "with",
        "the",
        "a",
        "an",
        "and",
        "is",
        "was",
        "as",
        "or",
        "not",
        "no",
        "be",
        "been",
        "are",
        "were",
        "has",
        "have",
        "had",
        "it",
        "its",
        "this",
        "that",
        "than",
        "then",
        "after",
        "before",
        "into",
        "over",
        "under",
        "via",
        "per",
        "up",
        "down",
        "out",
        "off",
        "about",
        "all",
        "any",
        "each",
        "only",
        "more",
        "less",
        "new",
        "now",
        "when",
        "while",
        "if",
        "because",
        "due",
        "got",
        "get",
        "set",
        "will",
        "can",
        "could",
        "would",
        "should",
        "did",
        "does",
        "do",
        "but",
        "so",
        "just",
        "still",
        "yet",
        "too",
        "very",
        "me",
        "we",
    ]
)
_WORD = re.compile(r"[A-Za-z][a-z]{1,24}|[a-z]{2,25}")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_TOKEN = re.compile(r"[^\s,;()\[\]{}\"'|<>]+")
_VALUE = r"([A-Za-z0-9_@#$%+./\\:-]*[A-Za-z0-9_])"
_SLOT = "*"


class Phrase(NamedTuple):
    """A word that names what follows it, and the pattern that finds that."""

    name: str
    pattern: str


def mine(messages: Sequence[str]) -> list[Phrase]:
    """Return the phrases of some messages, those that come most often first."""
    split = Counter(tuple(token.rstrip(".:!?") for token in _TOKEN.findall(text)[:LONGEST]) for text in messages)
    found = [*_values(split), *_words(split)]
    ranked = sorted(found, key=lambda pair: -pair[1])
    phrases: dict[str, Phrase] = {}
    for phrase, _ in ranked:
        phrases.setdefault(phrase.name.lower(), phrase)
    return list(phrases.values())[:MOST_PHRASES]


def _is_name(word: str) -> bool:
    """Say whether a word can name a value: a noun, as far as its form tells."""
    if not _WORD.fullmatch(word) or word.lower() in _FILLERS:
        return False
    if role_of_name(word):
        return True
    return word.islower() and len(word) > 2 and not word.endswith(("ed", "ing", "ly", "es"))


def _is_noun(word: str) -> bool:
    """Say whether a word can be a noun made of a verb, and is nothing that joins words."""
    return word.islower() and word.endswith("ing") and word not in _FILLERS


def _values(split: Counter[tuple[str, ...]]) -> Iterator[tuple[Phrase, int]]:
    """Yield words before values that are no plain words: numbers, names with digits or signs in them."""
    seen: dict[str, Counter[str]] = {}
    for tokens, count in split.items():
        for name, value in pairwise(tokens):
            # What stands before a number can be called anything: "seeing 3.8".
            named = _is_name(name) or (_NUMBER.fullmatch(value) and _is_noun(name))
            if (
                named
                and "=" not in value
                and not _WORD.fullmatch(value)
                and re.search("[0-9]|[^\\W_][-_/@][^\\W_]", value)
            ):
                seen.setdefault(name, Counter())[value] += count
    for name, values in seen.items():
        if values.total() < FEWEST or len(values) < FEWEST_VALUES:
            continue
        numbers = sum(count for value, count in values.items() if _NUMBER.fullmatch(value))
        whole = numbers > values.total() * 0.95
        value = r"([0-9]+(?:\.[0-9]+)?)(?![\w%])" if whole else _VALUE
        yield Phrase(name.lower(), rf"(?<![\w-]){name}[ :#]+{value}"), values.total()


def _words(split: Counter[tuple[str, ...]]) -> Iterator[tuple[Phrase, int]]:
    """Yield words before plain words that change while the sentence around them stays."""
    found: dict[str, tuple[Counter[str], set[str]]] = {}
    places: dict[tuple[tuple[str, ...], int], Counter[str]] = {}
    for tokens, count in split.most_common(MOST_TEMPLATES):
        plain = [token if _WORD.fullmatch(token) else _SLOT for token in tokens]
        for at in range(1, len(tokens)):
            if _is_name(tokens[at - 1]):
                key = (*plain[:at], _SLOT, *plain[at + 1 :]), at
                places.setdefault(key, Counter())[tokens[at]] += count
    for (context, at), values in places.items():
        enough = len(values) >= FEWEST_WORDS and values.total() >= FEWEST and any(map(_WORD.fullmatch, values))
        if not enough or (
            not any(_WORD.fullmatch(token) for token in context[at + 1 : at + 2]) and len(context) > at + 1
        ):
            continue
        held, following = found.setdefault(context[at - 1], (Counter(), set()))
        held.update(values)
        following.add(context[at + 1] if at + 1 < len(context) else "")
    for name, (held, following) in found.items():
        yield Phrase(name.lower(), _word_pattern(name, following)), held.total()


def _word_pattern(name: str, following: set[str]) -> str:
    """Return the pattern of a value between its name and the words that follow it."""
    words = sorted(word for word in following if word)
    ends = [rf"\s+(?:{'|'.join(words)})(?!\w)"] if words else []
    ends += [r"[\s.]*$"] if "" in following else []
    return rf"(?<![\w-]){name} {_VALUE}(?={'|'.join(ends)})"
