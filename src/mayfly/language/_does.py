"""Say in (verb, object) pairs what a capability does of which only a name and a description are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from mayfly.language._heads import phrase_end
from mayfly.language._inflect import bases, singular
from mayfly.language._tokens import tokens
from mayfly.language._verbs import PARTICLES, Lexicon
from mayfly.language._words import Line, is_closed, words_of

# What a capability is for is said at the beginning of its description.
_LONGEST = 2_000
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_LEADS = frozenset(("to", "that", "which", "for", "can", "will", "you"))
_JOINTS = frozenset(("and", "or", ",", "/"))
# Words before a noun that do not say which things are meant.
_EMPTY = frozenset(("given", "specified", "new", "single", "one", "several", "certain", "existing", "following"))


@cache
def does(name: str, description: str) -> tuple[tuple[str, str], ...]:
    """Return what a capability does, verbs in their base form and things in the singular: ("get", "weather forecast").

    Pairs are taken from the first sentence of the description, then from the name where it speaks of the same thing
    ("hash_file") or nothing is described. What may be two verbs ("reading": read, reade) is both; one meets nothing.
    """
    line = Line(words_of(tokens(description[:_LONGEST])), Lexicon.of({}))
    stop = next((place for place in range(len(line)) if line.sign(place) in (".", ";", ":", "!", "?")), len(line))
    pairs = list(_pairs_of(line.cut(0, stop)))
    verb, *thing = [part.lower() for part in _NAME.findall(name)] or [""]
    told = {base for word in line for base in bases(word.plain)}
    if thing and "to" not in thing and (not pairs or all(bases(word) & told for word in thing)):
        pairs.append((verb, _thing(thing)))
    return tuple(dict.fromkeys(pair for pair in pairs if pair[1]))


def _pairs_of(line: Line) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one sentence: "Lists or counts the files and directories below a path"."""
    here = _first_verb(line)
    verbs: list[str] = []
    while line.plain(here) and not is_closed(line.plain(here)):
        particle = f" {line.plain(here + 1)}" if line.plain(here + 1) in PARTICLES else ""
        verbs += [base + particle for base in _bases(line.plain(here))]
        here += 2 if particle else 1
        if line.words[here].plain not in _JOINTS if here < len(line) else True:
            break
        here += 1
    while here < len(line):
        stop = phrase_end(line, here)
        thing = _thing([line.plain(place) for place in range(here, stop)])
        yield from ((verb, thing) for verb in verbs if thing)
        # "…, and return its text" is another verb: only what stands right beside the thing is one more of it.
        joined = stop < len(line) and line.words[stop].plain in ("and", "or") and not line.has(stop + 2, "determiners")
        if not joined:
            return
        here = stop + 1


def _first_verb(line: Line) -> int:
    """Return where the verb stands: first, or behind "a tool that …", "use this to …"."""
    if not line.has(0, "determiners", "subjects") and line.plain(0) not in ("tool", "use", "used", "function"):
        return 0
    leads = (place + 1 for place in range(len(line)) if line.plain(place) in _LEADS)
    return next(leads, 1 if line.has(0, "subjects") else 2)


def _bases(verb: str) -> list[str]:
    """Return what the verb with which a description begins can be a form of: "Lists", "Reading", "Copies"."""
    return sorted(bases(verb) - {verb}) if verb.endswith("ing") else [singular(verb)]


def _thing(said: Sequence[str]) -> str:
    kept = [word for word in said if word and not is_closed(word) and word not in _EMPTY]
    return " ".join((*kept[:-1], singular(kept[-1]))) if kept else ""
