"""What a capability of which only a name and a description are known does, as (verb, object) pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

from mayfly.core import Capability, Does
from mayfly.language import Lexicon, bases, singular
from mayfly.promise.fit._said import FitReading, SaidClause, read_request
from mayfly.promise.fit._words import all_verbs, is_idle, meanings, names, words

_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_LONGEST = 2_000
# A verb and one more word stand in many descriptions by chance.
FEWEST = 3


@cache
def known_lexicon() -> Lexicon:
    """Return the verbs by which a text is read where there are no rules to ask: those of capabilities and of work."""
    return Lexicon.of({"verb_action": [(verb, "query") for verb in sorted(all_verbs() | words("words", "work"))]})


@lru_cache(maxsize=4096)
def does_of(name: str, description: str) -> Does:
    """Return what the name and every clause of the description say that it does."""
    first, *others = [part.lower() for part in _PARTS.findall(name)] or [""]
    found = list(_pairs(first, [singular(word) for word in others] or sorted(words("things", first)), ()))
    reading = read_request(description[:_LONGEST], known_lexicon(), lambda word: False)
    for number, said in enumerate(reading.said):
        if number and said.clause.said in words("words", "handing"):
            continue
        further = [singular(piece.plain) for piece in said.pieces if piece.role != "object" and piece.kind == "word"]
        found += _pairs(said.clause.said, _thing(said), [word for word in further if not is_idle(word)])
    return tuple(dict.fromkeys(found))


def _pairs(verb: str, thing: Sequence[str], further: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what a verb and the words for its object mean; *further* words may be said as well."""
    for operation in meanings("verbs", verb) & {*names("verbs")} or {verb}:
        if thing:
            yield operation, " ".join(thing)
        if thing and further:
            yield operation, " ".join((*further, *thing))


def _thing(said: SaidClause) -> list[str]:
    """Return the words for what the verb is done to, without those that say nothing about which, or say it again."""
    told = [singular(piece.plain) for piece in said.objects if piece.kind in ("word", "code")]
    telling = [word for word in told if not is_idle(word)] or [word for word in told if word in words("nouns", "text")]
    head = meanings("nouns", telling[-1]) & {*names("nouns")} if telling else frozenset()
    return [word for word in telling[:-1] if not meanings("nouns", word) & head] + telling[-1:]


def says_all(asked: Set[tuple[str, str]], description: str) -> bool:
    """Say whether every word of a request stands in a description: then it is what that speaks of, whatever it is."""
    return len(asked) >= FEWEST and all(
        any(place == other and not bases(word).isdisjoint(bases(said)) for said, other in _described(description))
        for word, place in asked
    )


# As many descriptions as a process of many libraries knows at once; reading one takes milliseconds, and every promise
# of a tree is held against all of them.
@lru_cache(maxsize=4096)
def _described(description: str) -> frozenset[tuple[str, str]]:
    """Return the words of a description with their places."""
    return frozenset(words_by_place(read_request(description[:_LONGEST], known_lexicon(), lambda word: False)))


def words_by_place(reading: FitReading) -> set[tuple[str, str]]:
    """Return the verbs, and the words with whether they stand where something goes: to another format, to a city."""
    found = {(said.clause.said, "verb") for said in reading.said}
    pieces = [piece for said in reading.said for piece in said.pieces if not is_idle(piece.plain)]
    return found | {(piece.plain, "aim" if piece.role == "destination" else "") for piece in pieces}


class Described(NamedTuple):
    """Capabilities of which only names and descriptions are known, and the places of those that have a verb."""

    tools: tuple[Capability, ...]
    by_verb: Mapping[str, frozenset[int]]

    def places(self, verbs: Iterable[str]) -> frozenset[int]:
        """Return the places of those that have one of the verbs: few of many, and all others need no further look."""
        return frozenset().union(*(self.by_verb.get(verb, frozenset()) for verb in verbs))


# Every promise of a tree is held against the same capabilities; a process has few such lists at once.
@lru_cache(maxsize=16)
def described(pairs: tuple[tuple[str, str], ...]) -> Described:
    """Return capabilities, given as pairs of name and description, to hold clauses against."""
    tools = tuple(_loose(name, description) for name, description in pairs)
    places: dict[str, set[int]] = {}
    for place, tool in enumerate(tools):
        for verb, _ in tool.does:
            places.setdefault(verb, set()).add(place)
    return Described(tools, {verb: frozenset(found) for verb, found in places.items()})


def _loose(name: str, description: str) -> Capability:
    """Return a capability to hold clauses against, of which it is not known what it takes; it cannot be called."""

    def never(_: object) -> object:
        raise AssertionError(f"{name} is only known by its description")

    return Capability(name=name, summary=description, does=does_of(name, description), call=never)
