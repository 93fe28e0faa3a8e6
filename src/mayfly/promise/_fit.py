"""Say which capabilities do what an intent asks: same operation, same kind of thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from mayfly.policy.perception import Token, tokens
from mayfly.promise._words import base, is_verb, operations_of, words

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# What a capability is for is said at the beginning of its description.
_LONGEST = 2_000
_SIGNS = frozenset("+-*/^%=×÷")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that an intent asks for: the verb, and the tokens of its object."""

    verb: str
    object: tuple[Token, ...]


def steps_of(intent: Sequence[Token]) -> list[Step]:
    """Part an intent where "and", "then" or a comma leads to another verb."""
    found: list[list[Token]] = [[]]
    for place, token in enumerate(intent):
        following = intent[place + 1].plain if place + 1 < len(intent) else ""
        joint = token.plain in words("words", "steps") or token.plain in (",", ";")
        if joint and (_opens(following) or following in words("words", "steps")):
            found.append([])
        elif token.kind not in ("line", "item", "data"):
            found[-1].append(token)
    return [step for part in found if (step := _step(part)) is not None]


def _opens(word: str) -> bool:
    return (is_verb(word) and word == base(word)) or word in words("words", "complex")


def _step(part: Sequence[Token]) -> Step | None:
    start = 0
    while start < len(part) and (part[start].plain in words("words", "leads") or part[start].kind == "sign"):
        start += 1
    if start >= len(part):
        return None
    return Step(verb=part[start].plain or part[start].text.lower(), object=tuple(part[start + 1 :]))


def fits(steps: Sequence[Step], name: str, description: str) -> bool:
    """Say whether one capability does all the steps: the first, and then only a choice from its result."""
    offered = _offer(name, description[:_LONGEST])
    if not steps or not offered.does(steps[0]):
        return False
    return all(offered.covers_choice(step) for step in steps[1:])


@dataclass(frozen=True, kw_only=True)
class _Offer:
    """What a capability says of itself: its operations, the things it works on, all words of its description."""

    operations: frozenset[str]
    things: frozenset[str]
    told: frozenset[str]
    open: frozenset[str] = frozenset()
    target: frozenset[str] = frozenset()
    fixed: bool = False

    @classmethod
    def of(cls, name: str, description: str) -> _Offer:
        named, target = _parted(part.lower() for part in _PARTS.findall(name))
        read = tokens(description)
        told = [token.plain for token in read if token.kind == "word"]
        steps = steps_of(read)
        acting = [word for word in named if is_verb(word)][:1]
        acting += [steps[0].verb] if steps else []
        acting = acting or [word for word in told if is_verb(word)][:1] or named[:1]
        doing = acting + named[:1]
        verbs = frozenset(operation for word in doing for operation in operations_of(word))
        worked_on = _phrase(steps[0].object) if steps else []
        things = {base(word) for word in named if word not in acting and word not in words("words", "generic")}
        things |= set(_nouns(worked_on))
        if not things and "calculate" in verbs:
            things = set(words("kinds", "arithmetic"))
        return cls(
            operations=verbs,
            things=frozenset(things),
            told=frozenset(base(word) for word in told) | things,
            open=frozenset() if things else frozenset(token.plain for token in worked_on) - words("words", "pointing"),
            target=frozenset(target),
            fixed=bool(steps) and _is_fixed(steps[0].object),
        )

    def does(self, step: Step) -> bool:
        """Say whether the step asks for this operation on a thing that this capability works on."""
        if not operations_of(step.verb) & self.operations or self._is_elsewhere(step.object):
            return False
        phrase = _phrase(step.object)
        if any(token.plain in words("words", "several") and token.plain not in self.told for token in phrase):
            return False
        if sum(token.kind in ("path", "url") for token in phrase) > 1 or self._is_counted(phrase):
            return False
        named = _nouns(phrase)
        proper = [base(token.plain) for token in phrase if token.kind == "word" and not token.text[1:].islower()]
        if any(len(word) > 1 and word not in self.told for word in proper):
            return False
        if named:
            return named[-1] in self.things or _sums(named, self.things)
        if self.open & {token.plain for token in phrase}:
            return True
        return any(words("kinds", kind) & self.things for kind in _kinds(phrase, step.verb))

    def _is_counted(self, phrase: Sequence[Token]) -> bool:
        """Say whether several things are asked of what handles one: "send 5 emails", but not "convert 10 miles"."""
        if self.operations & words("words", "measuring") or self.things & words("kinds", "arithmetic"):
            return False
        pairs = pairwise(phrase)
        counted = (second.plain for first, second in pairs if first.kind == "number" and first.text != "1")
        return any(word.endswith("s") and word != base(word) for word in counted)

    def _is_elsewhere(self, object_: Sequence[Token]) -> bool:
        """Say whether the step leads to, or is about, something else than what this capability is made for."""
        led = [base(word) for word in _after(object_, _TO)]
        if self.target and led and not (self.target | self.told) & set(led):
            return True
        if self.target and set(led) & self.things - self.target:
            return True
        return self.fixed and any(base(word) not in self.told for word in _after(object_, _OF))

    def covers_choice(self, step: Step) -> bool:
        """Say whether a further step only picks something from the result that this capability speaks of."""
        phrase = _phrase(step.object)
        named = _nouns(phrase)
        if step.verb in words("words", "selecting") and len(step.object) <= 2 and len(named) <= 1:
            return True
        unknown = [word for word in named if word not in self.told]
        return bool(operations_of(step.verb) & self._told_operations()) and not unknown

    def _told_operations(self) -> frozenset[str]:
        return self.operations.union(*(operations_of(word) for word in self.told if is_verb(word)))


@lru_cache(maxsize=1024)
def _offer(name: str, description: str) -> _Offer:
    return _Offer.of(name, description)


_TO, _OF = frozenset(("to", "into", "as")), frozenset(("of",))


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


def _after(object_: Sequence[Token], leading: frozenset[str]) -> list[str]:
    """Return the words that follow the first of some prepositions, up to the next one."""
    places = [place for place, token in enumerate(object_) if token.plain in leading]
    found: list[str] = []
    for token in object_[places[0] + 1 :] if places else ():
        if token.plain in words("words", "prepositions") or token.kind == "sign":
            break
        if token.kind == "word" and not _is_generic(token) and token.plain not in words("words", "trailing"):
            found.append(token.plain)
    return found


def _is_fixed(object_: Sequence[Token]) -> bool:
    """Say whether a capability works on one certain thing, "of the working tree", and not on any, "of a file"."""
    pairs = pairwise(object_)
    return any(first.plain == "of" and second.plain in ("the", "this", "our") for first, second in pairs)


def _sums(named: Sequence[str], things: frozenset[str]) -> bool:
    """Say whether arithmetic is asked of something that does arithmetic."""
    return named[-1] in words("words", "sums") and bool(words("kinds", "arithmetic") & things)


# "The contents of a.ini" are a.ini's; "the text into French" is a text, whatever it becomes.
_AWAY = frozenset(("to", "into", "as", "with", "by", "using"))


def _phrase(object_: Sequence[Token]) -> list[Token]:
    """Return the object up to its first preposition: what is worked on, not where or how."""
    found: list[Token] = []
    for token in object_:
        if token.plain in words("words", "prepositions"):
            if any(not _is_generic(held) for held in found):
                break
            if token.plain in _AWAY and any(held.plain not in words("words", "pointing") for held in found):
                break
        elif token.plain not in words("words", "trailing"):
            found.append(token)
    return found


def _nouns(phrase: Sequence[Token]) -> list[str]:
    """Return the words of a phrase that say which thing is meant."""
    return [base(token.plain) for token in phrase if token.kind == "word" and not _is_generic(token)]


def _is_generic(token: Token) -> bool:
    return token.plain in words("words", "generic") or token.plain in words("words", "literals")


def _kinds(phrase: Sequence[Token], verb: str) -> Iterator[str]:
    """Yield what kinds of thing the names in an object are: a path, an address, a number, a sum."""
    signs = any(set(token.text) & _SIGNS for token in phrase if token.kind in ("sign", "code"))
    for token in phrase:
        if token.kind == "path" and token.text.endswith(("/", "\\")):
            yield "directory"
        elif token.kind in ("path", "url", "quoted"):
            yield token.kind
            yield from _media(token)
        elif token.kind == "number" or (token.kind == "code" and token.text[:1].isdigit()):
            yield "arithmetic" if signs or verb in words("words", "arithmetic") else "number"
        elif token.plain in words("words", "literals"):
            yield "literal"


def _media(token: Token) -> Iterator[str]:
    """Yield what a file holds where its name shows it and no text is in it: an image, an archive."""
    ending = token.text.rsplit(".", 1)[-1].lower()
    return (kind for kind in ("image", "audio", "video", "archive", "pdf") if ending in words("media", kind))
