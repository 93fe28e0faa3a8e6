"""Read demands made in the passive: "the header must be changed", "the docs need updating"."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import frame_at, phrase_end, plain_at
from mayfly.policy.perception._words import words

_HOPES = frozenset(("can", "could", "would", "will", "should", "might", "to"))
_MODALS = frozenset(("must", "should", "shall", "may", "can", "could", "will", "might", "is", "are"))
_FORBIDDING = frozenset(("mustn't", "shouldn't", "can't", "cannot", "shan't", "needn't", "won't"))
_UNCHANGED = frozenset(("read", "set", "run", "put", "cut", "split"))
_DEMANDS = frozenset(("must", "should", "shall"))
_NEEDS = frozenset(("need", "needs", "have", "has", "ought", "requires", "require"))

Demand = tuple[str, Sequence[Token], Sequence[Token]]


def forbids(tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    """Say whether a statement forbids something in the passive: "nothing may be removed", "it must not be changed"."""
    denied = plain_at(tokens, 0) in words("nobody")
    for place in range(1, len(tokens)):
        word = plain_at(tokens, place)
        negated = word in _FORBIDDING or (word in _MODALS and plain_at(tokens, place + 1) in ("not", "never"))
        if (negated or (denied and word in _MODALS)) and _past_after(tokens, place + 1, lexicon):
            return True
    return False


def _past_after(tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    if plain_at(tokens, place) in ("not", "never"):
        place += 1
    return _past(tokens, place, lexicon) is not None


def passive(tokens: Sequence[Token], lexicon: Lexicon) -> Demand | None:
    """Return the verb that a statement demands, what stands before it and what after it."""
    hoping = frame_at(tokens, 0, "hoping")
    if hoping:
        return _hoped(tokens[hoping[0] :], lexicon)
    if not tokens or plain_at(tokens, 0) in words("relatives") | words("subordinate") | words("nobody"):
        return None
    named = _named_task(tokens, lexicon)
    if named:
        return named
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


def _hoped(tokens: Sequence[Token], lexicon: Lexicon) -> Demand | None:
    """Return what is hoped for: "(it would be great if) the export could be sped up"."""
    for place in range(1, len(tokens)):
        if plain_at(tokens, place) in _HOPES:
            found = _past(tokens, place + 1, lexicon)
        elif plain_at(tokens, place) in ("was", "were", "is", "be"):
            found = _verb(tokens, _after_adverbs(tokens, place + 1), lexicon, "past")
        else:
            continue
        return (found[0], tokens[:place], tokens[found[1] :]) if found else None
    return None


def _named_task(tokens: Sequence[Token], lexicon: Lexicon) -> Demand | None:
    """Return the verb of "auditing the roles is your next task"."""
    found = _verb(tokens, 0, lexicon, "gerund")
    ends = [place for place in range(1, len(tokens)) if plain_at(tokens, place) in ("is", "will", "remains", "comes")]
    if not found or not ends:
        return None
    said = {token.plain for token in tokens[ends[-1] : ends[-1] + 7]}
    mine = said & words("tasks") and said & {"your", "the", "our", "next"} and "not" not in said
    return (found[0], tokens[found[1] : ends[-1]], ()) if mine else None


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
        same = form == "past" and plain_at(tokens, place) in _UNCHANGED
        if (entry.form == form or same) and fits:
            return entry.verb, place + 1 + len(entry.rest)
    return None
