"""A tree of promises as places, and a page of them as rows: each with where it stands and what it comes after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import ending_of

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved


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


def reason_of(promise: Promise[Any]) -> str:
    """Return what proved a promise, or why it was not kept."""
    return promise.proof.description if promise.proof else promise.reason


@dataclass(frozen=True, kw_only=True)
class PromiseRow:
    """One promise in a page of a tree."""

    node: str
    depth: int
    last: tuple[bool, ...]
    after: tuple[str, ...]
    intent: str
    state: str
    ending: str
    budget: float
    served_by: str
    reason: str
    code: str
    strength: str
    seconds: float | None
    again: bool
    children: int


@dataclass(frozen=True, kw_only=True)
class PromisePage:
    """A page of the promises of a tree from the top, and how many of all of them are in which state."""

    id: str
    status: str
    total: int
    counts: dict[str, int]
    matching: int
    promises: tuple[PromiseRow, ...]
    next: int | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class PromiseFilter:
    """Which promises are wanted: in a state, to a depth, under one (and that one *with_itself*), with a text."""

    state: str | None = None
    depth: int | None = None
    under: str = ""
    with_itself: bool = True
    search: str = ""

    def takes(self, place: Place) -> bool:
        """Whether a promise is wanted."""
        promise = place.promise
        return (
            (self.state is None or promise.state.value == self.state)
            and (self.depth is None or len(place.last) <= self.depth)
            and (not self.under or self._is_under(promise.id))
            and self.search.casefold() in promise.intent.casefold()
        )

    def _is_under(self, node: str) -> bool:
        return node.startswith(f"{self.under}.") or (self.with_itself and node == self.under)


def promise_page(
    saved: Saved, tree: Sequence[Place], *, limit: int, skip: int = 0, wanted: PromiseFilter | None = None
) -> PromisePage:
    """Return a page of the promises of a tree, in order from the top."""
    found = [place for place in tree if wanted is None or wanted.takes(place)]
    return PromisePage(
        id=saved.id,
        status=saved.status,
        total=len(tree),
        counts=dict(Counter(place.promise.state.value for place in tree)),
        matching=len(found),
        promises=tuple(_promise_row(saved, place) for place in found[skip : skip + limit]),
        next=skip + limit if skip + limit < len(found) else None,
    )


def _promise_row(saved: Saved, place: Place) -> PromiseRow:
    promise = place.promise
    return PromiseRow(
        node=promise.id,
        depth=len(place.last),
        last=place.last,
        after=place.after,
        intent=promise.intent,
        state=promise.state.value,
        ending=ending_of(promise.state.value, promise.code),
        budget=promise.budget,
        served_by=promise.by,
        reason=reason_of(promise),
        code=promise.code,
        strength=promise.proof.strength if promise.proof else "none",
        seconds=saved.timings.get(promise.id),
        again=promise.id in saved.again,
        children=len(promise.children),
    )
