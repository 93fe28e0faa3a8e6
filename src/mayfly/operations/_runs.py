"""Runs and their trees: how each run stands, and a page of the promises of a tree, each at its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import InputError, ending_of, one_line
from mayfly.operations._words import pick_fields

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved
    from mayfly.store import Ledger, RunRow

# Everything a run can stand at.
STATUSES = ("running", "resolved", "collapsed", "failed", "cancelled", "killed", "interrupted")
RUN_ENDS = ("run.resolved", "run.collapsed")
# Pages that a search looks through, so that a rare word does not read all that ever ran.
_SEARCHED = 20


@dataclass(frozen=True, kw_only=True)
class RunLine:
    """One run in a list of runs; *nodes* is 0 for a run without a tree, and *number* is where the next page begins.

    *seconds* is what the processes that worked at it measured, all attempts together: no clock that is set matters.
    """

    id: str
    intent: str
    at: datetime
    status: str
    code: str = ""
    nodes: int = 0
    resolved: int = 0
    collapsed: int = 0
    failed: int = 0
    seconds: float | None = None
    generation: int = 0
    owner: str = ""
    number: int = 0

    @property
    def ending(self) -> str:
        """How it stands in the words that every face shows."""
        return ending_of(self.status, self.code)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "at": self.at.isoformat(), "ending": self.ending}


class RunPage(NamedTuple):
    """A page of runs; *next* is the number before which the next page begins, None at the end."""

    runs: list[RunLine]
    next: int | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"runs": [one.to_json() for one in self.runs], "next": self.next}


def runs(
    ledger: Ledger,
    *,
    last: int = 20,
    status: Collection[str] = (),
    since: datetime | None = None,
    before: int | None = None,
) -> list[RunLine]:
    """Return the last runs, the newest first: those that stand so, that began since then, and before a *number*."""
    moment = since.astimezone(UTC).isoformat(timespec="microseconds") if since else ""
    earlier = {} if before is None else {"before": before}
    return [_line(row) for row in ledger.runs(status=status, since=moment, limit=last, **earlier)]


def search_runs(
    ledger: Ledger,
    *,
    last: int,
    status: Collection[str] = (),
    since: datetime | None = None,
    before: int | None = None,
    search: str = "",
    compilations: bool = True,
) -> RunPage:
    """Return a page of runs whose intent has a text; what was only compiled has a story and no end."""
    found: list[RunLine] = []
    for _ in range(1 if compilations and not search else _SEARCHED):
        some = runs(ledger, last=last + 1, status=status, since=since, before=before)
        found += [
            one
            for one in some
            if search.casefold() in one.intent.casefold() and (compilations or one.id.startswith("r-"))
        ]
        if len(some) <= last or len(found) > last:
            page = found[:last]
            return RunPage(page, page[-1].number if page and len(found) > last else None)
        before = some[-1].number
    return RunPage(found, found[-1].number if found else None)


def run_line(ledger: Ledger, id: str) -> RunLine | None:
    """Return how one run stands; None where no such run has begun."""
    row = ledger.run(id)
    return None if row is None or not row.began else _line(row)


def run_number(ledger: Ledger, id: str) -> int:
    """Return where a run stands in the list."""
    line = run_line(ledger, id)
    if line is None:
        raise no_run(id)
    return line.number


def no_run(id: str) -> InputError:
    """Return the error for a run that is not there."""
    return InputError(f"there is no run {one_line(id, limit=80)}", fix="see: mayfly runs")


def _line(row: RunRow) -> RunLine:
    # A run without a tree counts as one promise, which its status tells; only trees have counts of their own.
    counts = pick_fields(row, "resolved collapsed failed") if row.nodes else {}
    return RunLine(
        **pick_fields(row, "id intent status code nodes generation owner"),
        **counts,
        at=datetime.fromisoformat(row.at),
        seconds=row.seconds if row.ended else None,
        number=row.began,
    )


class PagePlace(NamedTuple):
    """One promise at its place: *last* says of it and of each promise above it whether it is the last of its siblings.

    The root has no siblings, so its *last* is empty. *after* holds the intents of the siblings it waits for.
    """

    promise: Promise[Any]
    last: tuple[bool, ...]
    after: tuple[str, ...]


def places(root: Promise[Any]) -> Iterator[PagePlace]:
    """Yield every promise of the tree from the top."""
    waiting = [PagePlace(root, (), ())]
    while waiting:
        place = waiting.pop()
        yield place
        children = place.promise.children
        intents = {child.name: child.intent for child in children}
        for number in range(len(children) - 1, -1, -1):
            child = children[number]
            after = tuple(intents.get(name, name) for name in child.needs)
            waiting.append(PagePlace(child, (*place.last, number == len(children) - 1), after))


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
    """Choose promises of a tree: by state, to a depth, under one (and that one *with_itself*), by a text."""

    state: str | None = None
    depth: int | None = None
    under: str = ""
    with_itself: bool = True
    search: str = ""

    def takes(self, place: PagePlace) -> bool:
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
    saved: Saved, tree: Sequence[PagePlace], *, limit: int, skip: int = 0, wanted: PromiseFilter | None = None
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


def _promise_row(saved: Saved, place: PagePlace) -> PromiseRow:
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
