"""Read what a capability says of itself: what it does, to what, which things of that it can be given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mayfly.language import Token, tokens
from mayfly.promise._fit_parts import Part, Step, steps_of
from mayfly.promise._words import base, is_verb, operations_of, words

_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A place for something that is given: what leads to it, and what may stand there is called."""

    lead: str
    nouns: frozenset[str]
    in_head: bool


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What a capability offers.

    *heads* are the things it works on, each with the words that narrow it down and so have to be asked for: who finds
    failing tests does not find tests. *told* are the words of its first clause, *all_told* those of the whole.
    """

    operations: frozenset[str]
    heads: Mapping[str, frozenset[str]]
    results: frozenset[str]
    told: frozenset[str]
    all_told: frozenset[str]
    later: frozenset[str]
    plural: frozenset[str]
    open: frozenset[str]
    slots: tuple[Slot, ...]
    bare: bool

    @property
    def sums(self) -> bool:
        """Say whether it does arithmetic."""
        return "arithmetic" in self.operations and bool(words("kinds", "arithmetic") & self.heads.keys())

    @property
    def demanded(self) -> bool:
        """Say whether nothing of what it works on goes without being narrowed down."""
        return bool(self.heads) and all(self.heads.values())

    @property
    def structured(self) -> bool:
        """Say whether its result has parts that go by names."""
        return bool(self.operations & words("words", "structured") or self.all_told & words("words", "part"))

    @property
    def takes_flow(self) -> bool:
        """Say whether "this" alone can be what it works on: a text or data."""
        return bool(self.open or self.heads.keys() & words("words", "flow"))


@lru_cache(maxsize=4096)
def offer_of(name: str, description: str) -> Offer:
    """Return what a capability offers by its name and description."""
    named, target = _parted(part.lower() for part in _NAME.findall(name))
    read = tokens(description)
    steps = steps_of(list(_first_clause(read)))
    told = [token.plain for token in read if token.kind == "word"]
    acting = _acting(named, told, steps)
    verbs = frozenset(operation for word in acting + named[:1] for operation in operations_of(word))
    if "list" in verbs:
        verbs -= {"find"}
    nouns = [word for word in named if word not in acting and word not in words("words", "generic")]
    parts = steps[0].parts if steps else ()
    heads, plural = _heads(parts[0] if parts else None, nouns)
    results = frozenset(heads) - frozenset(map(base, nouns)) | frozenset(map(_said, parts[0].tokens if parts else ()))
    heads = _also_called(heads, parts[1:])
    if "calculate" in verbs:
        heads = heads or dict.fromkeys(words("kinds", "arithmetic"), frozenset[str]())
        verbs |= {"arithmetic"} if words("kinds", "arithmetic") & heads.keys() else set()
    clause = frozenset(_said(token) for step in steps[:1] for token in step.object)
    everything = frozenset(map(_said, read))
    first = clause | frozenset(map(base, (*named, *target)))
    return Offer(
        operations=verbs,
        heads=heads,
        results=results & heads.keys(),
        told=first - {""},
        all_told=(everything | first) - {""},
        later=verbs.union(*(operations_of(word) for word in told if is_verb(word))),
        plural=plural,
        open=_open(parts[0]) if parts else frozenset(),
        slots=tuple(_slots(parts, heads, frozenset(map(base, nouns)))),
        bare=bool(parts) and not parts[0].tokens,
    )


def _acting(named: list[str], told: list[str], steps: Sequence[Step]) -> list[str]:
    """Return the verbs that say what is done: those of the name and of the description's beginning, or any other."""
    acting = [word for word in named if is_verb(word)][:1]
    acting += [steps[0].verb] if steps else []
    return acting or [word for word in told if is_verb(word)][:1] or named[:1]


def _also_called(heads: dict[str, frozenset[str]], parts: Sequence[Part]) -> dict[str, frozenset[str]]:
    """Return the things with the other names that later parts of the description give them."""
    for part in parts:
        called = [base(phrase[-1].plain) for phrase in _alternatives(part)]
        if set(called) & heads.keys() and any(word in words("words", "giving") for word in part.plain):
            heads = {**dict.fromkeys(called, frozenset[str]()), **heads}
    return heads


def _said(token: Token) -> str:
    return base(token.plain) if token.kind == "word" else token.text.lower() if token.kind != "sign" else ""


def _parted(parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part the words of a name where it says what becomes what: `csv_to_json`."""
    named: list[str] = []
    target: list[str] = []
    held = named
    for part in parts:
        if part in ("to", "2", "into") and named:
            held = target
        else:
            held.append(part)
    return named, target


def _first_clause(read: Sequence[Token]) -> Iterator[Token]:
    """Yield what stands before the first aside: a new sentence, or a comma and "each", "replacing" or the like."""
    for place, token in enumerate(read):
        following = read[place + 1].plain if place + 1 < len(read) else ""
        aside = following in words("words", "asides") or following.endswith("ing")
        if token.plain in (".", ";", ":") or (token.plain == "," and aside):
            return
        yield token


def _heads(part: Part | None, named: Sequence[str]) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Return the things of the object and of the name with what has to be asked for, and which are meant as several."""
    found: dict[str, frozenset[str]] = {}
    plural: set[str] = set()
    for phrase in _alternatives(part):
        nouns = [token for token in phrase if token.plain not in words("words", "generic")]
        if not nouns:
            continue
        head, before = nouns[-1], nouns[:-1]
        narrowing = frozenset(base(token.plain) for token in before if _narrows(token.plain, named))
        found[_said(head)] = narrowing
        for token in before:
            if not token.text.islower():
                found.setdefault(_said(token), narrowing - {_said(token)})
        plural |= {base(head.plain)} if head.plain != base(head.plain) else set()
    if named and base(named[-1]) not in found:
        held = named[:-1] if part is None else [word for word in named[:-1] if _narrows(word, ())]
        found[base(named[-1])] = frozenset(map(base, held))
    for word in named:
        plural |= {base(word)} if word != base(word) else set()
        if base(word) not in found and not any(base(word) in narrowing for narrowing in found.values()):
            found[base(word)] = frozenset()
    return found, frozenset(plural)


def _open(part: Part) -> frozenset[str]:
    """Return the words such as "text" that an object is called by, where nothing else says which text."""
    generic = words("words", "generic")
    phrases = [{token.plain for token in phrase} for phrase in _alternatives(part)]
    return frozenset(word for phrase in phrases if phrase <= generic for word in phrase)


def _alternatives(part: Part | None) -> Iterator[list[Token]]:
    """Yield the things that an object names side by side; what narrows the first down counts for those after it."""
    phrase: list[Token] = []
    before: list[Token] = []
    for token in part.raw if part is not None else ():
        if token.plain in ("and", "or", ","):
            if phrase:
                yield phrase
            before = [held for held in phrase[:-1] if _narrows(held.plain, ())]
            phrase = list(before)
        elif token.plain in words("words", "pointing") or token.plain in words("words", "giving"):
            phrase = []
        elif token.kind in ("word", "code", "number") and token.plain not in words("words", "several"):
            phrase.append(token)
    if phrase:
        yield phrase


def _narrows(word: str, named: Sequence[str]) -> bool:
    """Say whether a word before a thing leaves some of these things out: "failing tests", "current time"."""
    return word in named or word.endswith("ing") or word in words("words", "narrowing")


def _slots(parts: Sequence[Part], heads: Mapping[str, frozenset[str]], named: frozenset[str]) -> Iterator[Slot]:
    """Yield the places for what is given: the object, and each "of a file" or "for a city", but no "of the tree"."""
    if (parts and parts[0].tokens) or not parts:
        words_ = frozenset(base(word) for word in (parts[0].plain if parts else ())) | heads.keys()
        elsewhere = frozenset(base(word) for part in parts[1:] for word in part.plain)
        yield Slot(
            lead="", nouns=words_ - (elsewhere - frozenset(map(base, parts[0].plain if parts else ()))), in_head=True
        )
    for part in parts[1:] if parts and parts[0].tokens else parts:
        nouns = frozenset(_said(token) for token in part.tokens) - words("words", "pointing") - words("words", "giving")
        given = any(word in words("words", "giving") for word in part.plain)
        if nouns and given:
            yield Slot(lead=part.lead, nouns=nouns, in_head=bool(nouns & named) or not part.lead)
