"""Spread a request over the files or addresses it names side by side: "hash a.txt and b.txt"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mayfly.language import Token, tokens
from mayfly.promise._words import base
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._lists import words
from mayfly.promise.plan._rules import Planned

_LONGEST_NAME = 60
_NAMES = ("path", "url")


def spread(text: str, served: Callable[[str], str]) -> Planned | None:
    """Return one step for each thing where one capability does the same to every one of them, else None.

    *served* gives the name of the capability for a request, or nothing.
    """
    read = tokens(text)
    start, stop = _run(read)
    things = [token for token in read[start:stop] if token.kind in _NAMES]
    if len(things) < 2 or len({token.text for token in things}) < len(things):
        return None
    asked = [_only(text, read, start, stop, thing) for thing in things]
    found = {served(one) for one in asked}
    if len(found) != 1 or not all(found):
        return None
    steps = tuple(
        Draft(name=thing.text if len(thing.text) <= _LONGEST_NAME else f"part{number}", intent=one)
        for number, (thing, one) in enumerate(zip(things, asked, strict=True), 1)
    )
    return Planned(plan="spread", steps=steps, combine="record")


def _run(read: Sequence[Token]) -> tuple[int, int]:
    """Return where things of one kind stand side by side, with nothing but "and", a comma or the like between them."""
    places = [place for place, token in enumerate(read) if token.kind in _NAMES]
    if not places:
        return 0, 0
    first = last = places[0]
    for place in places[1:]:
        between = read[last + 1 : place]
        if read[place].kind != read[first].kind or not all(token.plain in words("beside") for token in between):
            break
        last = place
    return first, last + 1


def _only(text: str, read: Sequence[Token], start: int, stop: int, thing: Token) -> str:
    """Return the request with one of its things in place of all of them."""
    before = start
    while before and read[before - 1].plain == "both":
        before -= 1
    head = text[: read[before].start]
    noun = read[before - 1] if before else None
    if noun is not None and noun.plain in words("several_files"):
        head = text[: noun.start] + base(noun.plain) + text[noun.end : read[before].start]
    return " ".join((head + text[thing.start : thing.end] + text[read[stop - 1].end :]).split())
