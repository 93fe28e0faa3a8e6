"""Guess what is wanted where no verb says so, with odds; and ask where the odds are poor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.language._request import Guess
from mayfly.language._sentences import Sentence
from mayfly.language._tokens import Token
from mayfly.language._words import Line

ENOUGH = 0.5
# A verb whose work cannot be taken back has to be said, or be as good as said.
SURE = 0.75
_MOST = 5
# How much a noun of work says, and a form of a verb.
_NOUN = 0.4
_FORMS = {"base": 0.4, "gerund": 0.3, "third": 0.15, "past": 0.15}
_DENYING = frozenset(("no", "without", "zero", "fewer"))


def guesses(sentences: Sequence[Sentence], tokens: Sequence[Token]) -> tuple[Guess, ...]:
    """Return the likeliest verbs, best first: each hint leaves less doubt, and no hint counts twice."""
    doubt: dict[str, float] = {}
    seen: set[tuple[str, str]] = set()
    for sentence in sentences:
        if sentence.line.plain(0) in ("he", "she", "they") or sentence.line.phrase(0, "own"):
            continue
        for verb, phrase, weight in _hints(sentence.line, tokens):
            if (verb, phrase) not in seen:
                seen.add((verb, phrase))
                doubt[verb] = doubt.get(verb, 1.0) * (1 - weight)
    ranked = sorted((Guess(verb, round(1 - left, 2)) for verb, left in doubt.items()), key=lambda g: (-g.odds, g.verb))
    return tuple(ranked[:_MOST])


def _hints(line: Line, tokens: Sequence[Token]) -> Iterator[tuple[str, str, float]]:
    lexicon = line.lexicon
    places = dict.fromkeys(word.at for word in line)
    plain = [tokens[at].plain if tokens[at].kind == "word" else "" for at in places]
    said = 0
    for place, word in enumerate(plain):
        if not word or place < said or _DENYING & set(plain[max(0, place - 2) : place]):
            continue
        if word in lexicon.nouns:
            yield lexicon.nouns[word], word, _NOUN
        for hint in lexicon.hints.get(word, ()):
            if tuple(plain[place + 1 : place + 1 + len(hint.rest)]) == hint.rest:
                said = max(said, place + 1 + len(hint.rest))
                yield hint.verb, " ".join((word, *hint.rest)), hint.weight
        if word not in lexicon.nouns:
            single = (entry for entry in lexicon.entries.get(word, ()) if not entry.rest)
            yield from ((entry.verb, entry.verb, _FORMS[entry.form]) for entry in single)


def question(subject: str, ranked: Sequence[Guess], unknown: str) -> str:
    """Return what to ask back: it names what was understood and gives examples to choose from."""
    thing = (subject if len(subject) <= 60 else subject[:57].rstrip() + "...") or "it"
    likely = [guess.verb.replace("_", " ") for guess in ranked[:3]] or ["explain", "fix", "test"]
    examples = ", ".join(f"{verb} {thing}" for verb in likely)
    if unknown:
        return f"What should be done? No rule knows the verb {unknown!r}. For example: {examples}."
    about = f" with {thing!r}" if subject else ""
    return f"What should be done{about}? For example: {examples}."
