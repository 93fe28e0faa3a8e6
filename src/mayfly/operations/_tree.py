"""A tree of promises as places: each promise with where it stands among its siblings and what it comes after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mayfly.promise import Promise


class Place(NamedTuple):
    """One promise at its place: *last* says of it and of each promise above it whether it is the last of its siblings.

    The root has no siblings, so its *last* is empty. *after* holds the intents of the siblings it waits for.
    """

    promise: Promise[Any]
    last: tuple[bool, ...]
    after: tuple[str, ...]


def places(root: Promise[Any]) -> Iterator[Place]:
    """Yield every promise of the tree from the top."""
    waiting = [Place(root, (), ())]
    while waiting:
        place = waiting.pop()
        yield place
        children = place.promise.children
        intents = {child.name: child.intent for child in children}
        for number in range(len(children) - 1, -1, -1):
            child = children[number]
            after = tuple(intents.get(name, name) for name in child.needs)
            waiting.append(Place(child, (*place.last, number == len(children) - 1), after))


def is_ground(promise: Promise[Any]) -> bool:
    """Whether a promise is given its ground without a try."""
    chaotic = promise.reality is not None and promise.reality.kind == "chaotic"
    return promise.state == "collapsed" or bool(promise.unserved) or chaotic


def ground_reason(promise: Promise[Any]) -> str:
    """Return why nothing is tried."""
    reality = promise.reality.reasoning if promise.reality else ""
    missing = promise.unserved.removeprefix("nothing: ")
    return promise.reason or missing or reality or "nothing serves it"
