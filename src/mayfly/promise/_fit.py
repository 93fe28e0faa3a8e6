"""Say which capabilities do what an intent asks: same operation, same kind of thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mayfly.policy.perception import Token, tokens
from mayfly.promise._words import base, is_verb, operations_of, words

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
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
    offered = _Offer.of(name, description)
    if not steps or not offered.does(steps[0]):
        return False
    return all(offered.covers_choice(step) for step in steps[1:])


@dataclass(frozen=True, kw_only=True)
class _Offer:
    """What a capability says of itself: its operations, the things it works on, all words of its description."""

    operations: frozenset[str]
    things: frozenset[str]
    told: frozenset[str]

    @classmethod
    def of(cls, name: str, description: str) -> _Offer:
        named = [part.lower() for part in _PARTS.findall(name)]
        read = tokens(description)
        told = [token.plain for token in read if token.kind == "word"]
        acting = [word for word in named if is_verb(word)][:1] or [word for word in told if is_verb(word)][:1]
        acting = acting or named[:1] or told[:1]
        verbs = frozenset(operation for word in acting for operation in operations_of(word))
        worked_on = _phrase(steps[0].object) if (steps := steps_of(read)) else []
        things = {base(word) for word in named if word not in acting}
        things |= {base(token.plain) for token in worked_on if token.kind == "word" and not _is_generic(token)}
        if not things and "calculate" in verbs:
            things = set(words("kinds", "arithmetic"))
        told_words = frozenset(base(word) for word in told)
        return cls(operations=verbs, things=frozenset(things), told=told_words | things)

    def does(self, step: Step) -> bool:
        """Say whether the step asks for this operation on a thing that this capability works on."""
        if not operations_of(step.verb) & self.operations:
            return False
        phrase = _phrase(step.object)
        if any(token.plain in words("words", "several") and token.plain not in self.told for token in phrase):
            return False
        if sum(token.kind in ("path", "url") for token in phrase) > 1:
            return False
        named = [base(token.plain) for token in phrase if token.kind == "word" and not _is_generic(token)]
        proper = [base(token.plain) for token in phrase if token.kind == "word" and not token.text[1:].islower()]
        if any(len(word) > 1 and word not in self.told for word in proper):
            return False
        if named:
            return named[-1] in self.things or _sums(named, self.things)
        return any(words("kinds", kind) & self.things for kind in _kinds(phrase, step.verb))

    def covers_choice(self, step: Step) -> bool:
        """Say whether a further step only picks something from the result that this capability speaks of."""
        phrase = _phrase(step.object)
        named = [base(token.plain) for token in phrase if token.kind == "word" and not _is_generic(token)]
        if step.verb in words("words", "selecting") and len(step.object) <= 2 and len(named) <= 1:
            return True
        unknown = [word for word in named if word not in self.told]
        return bool(operations_of(step.verb) & self._told_operations()) and not unknown

    def _told_operations(self) -> frozenset[str]:
        return self.operations.union(*(operations_of(word) for word in self.told if is_verb(word)))


def _sums(named: Sequence[str], things: frozenset[str]) -> bool:
    """Say whether arithmetic is asked of something that does arithmetic."""
    return named[-1] in words("words", "sums") and bool(words("kinds", "arithmetic") & things)


def _phrase(object_: Sequence[Token]) -> list[Token]:
    """Return the object up to its first preposition: what is worked on, not where or how."""
    found: list[Token] = []
    for token in object_:
        if token.plain in words("words", "prepositions"):
            if any(not _is_generic(held) for held in found):
                break
        elif token.plain not in words("words", "trailing"):
            found.append(token)
    return found


def _is_generic(token: Token) -> bool:
    return token.plain in words("words", "generic") or token.plain in words("words", "literals")


def _kinds(phrase: Sequence[Token], verb: str) -> Iterator[str]:
    """Yield what kinds of thing the names in an object are: a path, an address, a number, a sum."""
    signs = any(set(token.text) & _SIGNS for token in phrase if token.kind in ("sign", "code"))
    for token in phrase:
        if token.kind in ("path", "url", "quoted"):
            yield token.kind
        elif token.kind == "number" or (token.kind == "code" and token.text[:1].isdigit()):
            yield "arithmetic" if signs or verb in words("words", "arithmetic") else "number"
        elif token.plain in words("words", "literals"):
            yield "literal"
