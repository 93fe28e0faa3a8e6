"""Read demands made in the passive: "the header must be changed", "the docs need updating"."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import phrase_end, plain_at
from mayfly.policy.perception._words import words

_DEMANDS = frozenset(("must", "should", "shall"))
_NEEDS = frozenset(("need", "needs", "have", "has", "ought", "requires", "require"))

Demand = tuple[str, Sequence[Token], Sequence[Token]]


def passive(tokens: Sequence[Token], lexicon: Lexicon) -> Demand | None:
    """Return the verb that a statement demands, what stands before it and what after it."""
    if not tokens or plain_at(tokens, 0) in words("relatives") | words("subordinate"):
        return None
    for place in range(1, len(tokens)):
        word = plain_at(tokens, place)
        if word in _DEMANDS:
            found = _past(tokens, place + 1, lexicon)
        elif word in _NEEDS and plain_at(tokens, place + 1) == "to":
            found = _past(tokens, place + 2, lexicon)
        elif word in _NEEDS:
            found = _verb(tokens, place + 1, lexicon, "gerund") or _noun(tokens, place + 1, lexicon)
        else:
            continue
        if found:
            verb, stop = found
            return verb, tokens[:place], tokens[stop:]
    return None


def _noun(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> tuple[str, int] | None:
    """Return the verb of what is needed: "needs a review", "need more tests"."""
    stop = phrase_end(tokens, place)
    head = plain_at(tokens, stop - 1) if stop > place else ""
    verb = lexicon.nouns.get(head) or lexicon.products.get(head)
    return (verb, stop) if verb and plain_at(tokens, place - 1).startswith("need") else None


def _past(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> tuple[str, int] | None:
    place = _after_adverbs(tokens, place)
    if plain_at(tokens, place) != "be":
        return None
    return _verb(tokens, _after_adverbs(tokens, place + 1), lexicon, "past")


def _after_adverbs(tokens: Sequence[Token], place: int) -> int:
    while plain_at(tokens, place) in words("adverbs"):
        place += 1
    return place


def _verb(tokens: Sequence[Token], place: int, lexicon: Lexicon, form: str) -> tuple[str, int] | None:
    for entry in lexicon.entries.get(plain_at(tokens, place), ()):
        fits = all(plain_at(tokens, place + 1 + number) == word for number, word in enumerate(entry.rest))
        if (entry.form == form or plain_at(tokens, place) in ("read", "set", "run")) and fits:
            return entry.verb, place + 1 + len(entry.rest)
    return None
