"""Guess what is wanted where no verb says so, with odds; and ask where the odds are poor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._roundabout import title_of
from mayfly.policy.perception._sentences import Sentence
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import phrase_at, plain_at
from mayfly.policy.perception._words import words

ENOUGH = 0.5
# A verb whose work cannot be taken back has to be said, or be as good as said.
SURE = 0.75
_MOST = 5
_TITLE, _NOUN = 0.55, 0.4
_FORMS = {"base": 0.4, "gerund": 0.3, "third": 0.15, "past": 0.15}
_ENGLISH = words("determiners") | words("prepositions") | words("pronouns") | words("auxiliaries") | words("subjects")


class Guess(NamedTuple):
    """A verb that may be meant, and how likely it is, from 0 to 1."""

    verb: str
    odds: float


def guesses(sentences: Sequence[Sentence], lexicon: Lexicon) -> tuple[Guess, ...]:
    """Return the likeliest verbs, best first: each hint leaves less doubt, and no hint counts twice."""
    if _is_foreign(sentences):
        return ()
    doubt: dict[str, float] = {}
    seen: set[tuple[str, str]] = set()
    for sentence in sentences:
        if plain_at(sentence.tokens, 0) in words("others") or phrase_at(sentence.tokens, 0, "own"):
            continue
        for verb, phrase, weight in _hints(sentence.tokens, lexicon):
            if (verb, phrase) not in seen:
                seen.add((verb, phrase))
                doubt[verb] = doubt.get(verb, 1.0) * (1 - weight)
    ranked = sorted((Guess(verb, round(1 - left, 2)) for verb, left in doubt.items()), key=lambda g: (-g.odds, g.verb))
    return tuple(ranked[:_MOST])


def _hints(tokens: Sequence[Token], lexicon: Lexicon) -> Iterator[tuple[str, str, float]]:
    said, title = 0, title_of(tokens)
    for place in range(len(tokens)):
        word = plain_at(tokens, place)
        if not word or _denied(tokens, place):
            continue
        if place < said:
            continue
        if word in lexicon.nouns:
            yield lexicon.nouns[word], word, _TITLE if place == title else _NOUN
        for rest, verb, weight in lexicon.hints.get(word, ()):
            if all(plain_at(tokens, place + 1 + number) == expected for number, expected in enumerate(rest)):
                said = max(said, place + 1 + len(rest))
                yield verb, " ".join((word, *rest)), weight
        if word in lexicon.nouns:
            continue
        for entry in lexicon.entries.get(word, ()):
            if not entry.rest:
                yield entry.verb, entry.verb, _FORMS[entry.form]


def _is_foreign(sentences: Sequence[Sentence]) -> bool:
    """Say whether words of another language stand here and none of the small words of English."""
    seen = {token.plain for sentence in sentences for token in sentence.tokens if token.kind == "word"}
    return bool(seen & words("foreign")) and not seen & (_ENGLISH - words("foreign"))


def _denied(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a hint is taken back by the words before it: "no more errors"."""
    return any(plain_at(tokens, place - back) in ("no", "without", "zero", "fewer") for back in (1, 2))


def question(text: str, subject: str, refused: bool, ranked: Sequence[Guess], unknown: str) -> str:
    """Return what to ask back: it names what was understood and gives examples to choose from."""
    if not text.strip():
        return "What should be done? Nothing was written. For example: fix the bug in auth.py."
    thing = _short(subject) or "it"
    likely = [guess.verb.replace("_", " ") for guess in ranked[:3]] or ["explain", "fix", "test"]
    examples = ", ".join(f"{verb} {thing}" for verb in likely)
    if refused:
        return "What should be done? Only what not to do was said. For example: explain auth.py."
    if unknown:
        return f"What should be done? No rule knows the verb {unknown!r}. For example: {examples}."
    about = f" with {thing!r}" if subject else ""
    return f"What should be done{about}? For example: {examples}."


def _short(subject: str) -> str:
    return subject if len(subject) <= 60 else subject[:57].rstrip() + "..."
