"""Say what a clause is about: the paths in it, else what it quotes, else its words."""

from __future__ import annotations

from collections.abc import Sequence

from mayfly.policy.perception._tokens import Token
from mayfly.policy.perception._verbs import plain_at
from mayfly.policy.perception._words import phrases_from, words

_LONGEST = 400
_EDGES = " \t\r\n,;:.!?-—–…"


def target_of(text: str, tokens: Sequence[Token], before: str) -> str:
    """Return the target among *tokens*; a pronoun, or nothing at all, means what was spoken of *before*."""
    kept = _trim(tokens)
    for kinds in (("path", "url"), ("quoted",)):
        named = dict.fromkeys(token.text for token in kept if token.kind in kinds)
        if named:
            return ", ".join(named)[:_LONGEST]
    if not kept or (kept[0].plain in words("same_thing") and _alone(kept) and before):
        return before
    return written(text, kept)


def written(text: str, tokens: Sequence[Token]) -> str:
    """Return the text from the first to the last token, on one line."""
    if not tokens:
        return ""
    return " ".join(text[tokens[0].start : tokens[-1].end][: 2 * _LONGEST].split())[:_LONGEST].strip(_EDGES)


def subject_of(text: str, tokens: Sequence[Token]) -> str:
    """Return what a statement speaks of: a path in it, else the words before its verb, else its first thing."""
    if any(token.kind in ("path", "url") for token in tokens):
        return target_of(text, tokens, "")
    first = plain_at(tokens, 0)
    if first in words("subordinate") or first in words("relatives"):
        return ""
    start = 0 if first not in words("subjects") else _first_thing(tokens)
    stop = start
    while stop < len(tokens) and not _is_finite(tokens[stop]) and tokens[stop].kind != "sign":
        stop += 1
    told = start > 0 or stop < len(tokens)
    return target_of(text, tokens[start:stop], "") if told else ""


def _first_thing(tokens: Sequence[Token]) -> int:
    """Return where the first noun with an article or a possessive begins: in "I think the cache is full"."""
    places = (place for place, token in enumerate(tokens) if place and token.plain in words("determiners"))
    return next(places, len(tokens))


def _is_finite(token: Token) -> bool:
    return token.kind == "word" and (token.plain in words("auxiliaries") or token.plain in words("finite"))


def _alone(tokens: Sequence[Token]) -> bool:
    """Say whether a pronoun is not the determiner of a noun: "it with tests", but not "this code"."""
    following = plain_at(tokens, 1)
    return len(tokens) == 1 or tokens[1].kind == "sign" or following in _AFTER_PRONOUN


_AFTER_PRONOUN = words("prepositions") | words("conjunctions") | words("relatives") | words("auxiliaries")


def _trim(tokens: Sequence[Token]) -> Sequence[Token]:
    start, stop = 0, len(tokens)
    while start < stop and _is_lead(tokens, start):
        start += 1
    while stop > start:
        fewer = _trailing(tokens, start, stop)
        if fewer == stop:
            break
        stop = fewer
    while start < stop and plain_at(tokens, start) in words("articles"):
        start += 1
    return tokens[start:stop]


def _is_lead(tokens: Sequence[Token], start: int) -> bool:
    token = tokens[start]
    if token.kind == "sign" or token.plain in ("please", "pls", "plz", "me", "us", "out", "also", "just", "only"):
        return True
    return token.plain in words("prepositions") and token.plain != "as"


def _trailing(tokens: Sequence[Token], start: int, stop: int) -> int:
    if tokens[stop - 1].kind == "sign":
        return stop - 1
    for length in range(min(4, stop - start), 0, -1):
        ending = tuple(token.plain for token in tokens[stop - length : stop])
        if ending in phrases_from("trailing").get(ending[0], ()):
            return stop - length
    return stop
