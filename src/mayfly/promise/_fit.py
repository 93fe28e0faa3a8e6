"""Say which capabilities do what an intent asks: same operation, same thing, and nothing asked that is not told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mayfly.promise._fit_offer import Offer, offer_of
from mayfly.promise._fit_parts import Part, Step, steps_of
from mayfly.promise._fit_slots import Taken
from mayfly.promise._words import base, operations_of, words

__all__ = ["Step", "fits", "steps_of"]

# What a capability is for is said at the beginning of its description.
_LONGEST = 2_000
_SUMMING = frozenset(("calculate", "arithmetic"))


def fits(steps: Sequence[Step], name: str, description: str) -> bool:
    """Say whether one capability does all the steps: the first, and then only a choice from its result.

    A wrong yes is a wrong answer that counts as proven, a wrong no costs a compilation: every doubt is a no.
    """
    if not steps:
        return False
    offer = offer_of(name, description[:_LONGEST])
    return _does(offer, steps[0]) and all(_only_chooses(offer, step) for step in steps[1:])


def _does(offer: Offer, step: Step) -> bool:
    """Say whether the step asks for this operation on what the capability works on, with every word accounted for."""
    shown = not step.operations & offer.operations
    if shown and not (step.verb in words("words", "showing") and offer.operations & words("words", "shown")):
        return False
    if offer.sums and step.counts and step.operations & _SUMMING:
        return _is_sum(step, offer)
    taken = Taken(offer, step)
    if not all(taken.take(part) for part in step.parts):
        return False
    if shown and not _is_shown(offer, taken):
        return False
    return _has_head(offer, step, taken) and _keeps_measure(offer, step)


def _is_sum(step: Step, offer: Offer) -> bool:
    """Say whether a step is arithmetic and nothing else: numbers, signs and the words between them."""
    said = [token.plain for token in step.object if token.kind == "word"]
    known = all(word in words("words", "summing") or base(word) in offer.told for word in said)
    # "Add 5" says not to what, and "5!" is another number than 5.
    lone = step.verb in words("verbs", "arithmetic") and step.figures < 2
    if lone or any(one.plain == "!" and one.start == other.end for other, one in pairwise(step.object)):
        return False
    return known and not any(token.kind in ("path", "url", "quoted", "data") for token in step.object)


def _is_shown(offer: Offer, taken: Taken) -> bool:
    """Say whether "show" or "get" means to work something out: the thing is named, and is not just there to be read."""
    if not taken.heads or taken.heads[-1] not in offer.results:
        return False
    return bool(offer.operations & words("words", "worked")) or taken.plural


def _has_head(offer: Offer, step: Step, taken: Taken) -> bool:
    """Say whether what is worked on is what the capability works on, with all that narrows its own thing down."""
    if taken.heads:
        head = taken.heads[-1]
        # Who handles one is not asked for several, nor who handles all for any one of them.
        number = head in offer.plural
        if (taken.plural and not number) or (taken.any_one and number):
            return False
        return head in offer.heads and offer.heads[head] <= taken.said
    if taken.in_head:
        return not offer.demanded
    generic = {word for word in step.parts[0].plain if word in words("words", "generic")}
    if generic - words("words", "pointing"):
        return bool(generic & offer.open)
    if generic & words("words", "flowing"):
        return offer.takes_flow
    return len(step.parts) > 1 and (offer.bare or (offer.takes_flow and step.parts[1].lead in ("to", "into", "as")))


def _keeps_measure(offer: Offer, step: Step) -> bool:
    """Say whether "all" and the like ask for no more than is offered."""
    for part in step.parts:
        for place, word in enumerate(part.plain):
            if word not in words("words", "several") or word in offer.told:
                continue
            following = [other for other in part.plain[place + 1 :] if other not in words("words", "pointing")]
            if not following or base(following[-1]) not in offer.plural:
                return False
    return True


def _only_chooses(offer: Offer, step: Step) -> bool:
    """Say whether a further step only hands the result on, picks one part of it by name, or is told itself."""
    own = [token.text.lower() for token in step.object if token.kind in ("path", "url", "number", "data")]
    if any(name not in offer.all_told for name in own):
        return False
    said = [word for part in step.parts for word in part.plain]
    if step.verb in words("words", "handing") and all(word in words("words", "result") for word in said):
        return bool(said) and not any(part.names for part in step.parts)
    if step.verb in words("words", "selecting") and offer.structured and _is_key(step.parts):
        return True
    known = all(
        base(word) in offer.all_told or word in words("words", "pointing") for part in step.parts for word in part.plain
    )
    return known and bool(said) and bool(operations_of(step.verb) & offer.later)


def _is_key(parts: Sequence[Part]) -> bool:
    """Say whether one part of a record is named: a single word or a quoted one, and not several things."""
    if len(parts) != 1:
        return False
    named = [word for word in parts[0].plain if word not in words("words", "keyed")]
    if len(named) + len(parts[0].names) != 1 or any(word in words("words", "several") for word in named):
        return False
    return not named or named[0] == base(named[0])
