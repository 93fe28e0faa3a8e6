"""Say which of several requests come after which: "then" and "it" say so, "and" alone does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mayfly.core import Intent
from mayfly.promise.plan._lists import words
from mayfly.promise.plan._perceived import Perception

_WORDS = re.compile(r"[^\W\d_]+|\d{1,3}[.)](?=\s|$)|[.;!?]")
_NUMBERED = re.compile(r"\d{1,3}[.)]")


def sequence(text: str, requests: Sequence[Perception]) -> list[tuple[int, ...]]:
    """Return for each request the places of those it comes after."""
    intents = [one.intent for one in requests]
    flat, cursor = " ".join(text.split()), 0
    found: list[tuple[int, ...]] = []
    before: tuple[int, ...] = ()
    group: list[int] = []
    for place, intent in enumerate(intents):
        start = flat.find(intent.text, cursor)
        gap = _WORDS.findall(flat[cursor:start].lower()) if start >= cursor else []
        cursor = start + len(intent.text) if start >= cursor else cursor
        if place and (requests[place].later or _is_later(gap, intent)):
            before, group = tuple(group), []
        elif any(sign in ".!?" for sign in gap):
            before, group = (), group if before == () else []
        needs = set(before) | _spoken_of(place, intents)
        found.append(tuple(sorted(needs)))
        group.append(place)
    return found


def _is_later(gap: Sequence[str], intent: Intent) -> bool:
    first = intent.text.split(" ", 1)[0].lower()
    return bool(set(gap) & words("later")) or first in words("later") or any(map(_NUMBERED.fullmatch, gap))


def _spoken_of(place: int, intents: Sequence[Intent]) -> set[int]:
    """Return the request before it whose object this one shares, by "it" or by naming it once for both."""
    here = intents[place]
    if place == 0:
        return set()
    said = [word.strip(".,;:!?") for word in here.text.lower().split()[1:]]
    if set(said) & words("results"):
        return {place - 1}
    for number in range(place - 1, -1, -1):
        other = intents[number]
        shared = bool(here.target) and here.target == other.target
        if shared and not (here.target in here.text and other.target in other.text):
            return {number}
    return {place - 1} if said[:1] and said[0] in words("same") else set()
