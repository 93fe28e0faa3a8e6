"""The promises of a run: a page of them from the top, and one with all that is known of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from mayfly.operations import PromiseFilter, chain_of, promise_page, reason_of
from mayfly.serve.web._served import Site
from mayfly.serve.web._wrong import NotFound, looked_up
from mayfly.serve.web.pages._frame import page
from mayfly.serve.web.pages._moments import moments
from mayfly.serve.web.pages._plots import Bar, bar_plot

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved
    from mayfly.serve.web._trees import ReadTree
    from mayfly.store import Event, Ledger

router = APIRouter()
# Promises on one page: about five screens.
_PAGE = 100
_STATES = ("resolving", "pending", "failed", "collapsed", "resolved")
# Decisions of the rules that are shown with a run, and events looked through for them: what lies further apart than
# that is found by the log.
_DECISIONS, _LOOKED = 50, 5000
_STORY = 200


def promise_rows(read: ReadTree, *, skip: int = 0, state: str = "", under: str = "") -> dict[str, Any]:
    """Return a page of the promises of a tree, or of those below one, with what its links need."""
    wanted = PromiseFilter(state=state if state in _STATES else None, under=under)
    tree = [place for place in read.places if place.promise.id != under] if under else read.places
    found = promise_page(read.saved, tree, limit=_PAGE, skip=skip, wanted=wanted)
    return {
        "rows": found.promises,
        "counts": [(one, read.counts[one]) for one in _STATES if read.counts[one]],
        "total": len(read.places),
        "matching": found.matching,
        "state": wanted.state or "",
        "skip": skip,
        "next": found.next or 0,
        "previous": max(0, skip - _PAGE) if skip else None,
    }


def shape_of_tree(read: ReadTree) -> str:
    """Draw the budget of each level of a tree, with how many promises are on it."""
    levels = Counter(len(place.last) for place in read.places)
    bars = [Bar(f"level {one}: {levels[one]:,}", 1 / (one + 1), f"{1 / (one + 1):.2f}") for one in sorted(levels)]
    return bar_plot(bars, title="budget by level of the tree", most=1.0)


def kept_value(saved: Saved, promise: Promise[Any]) -> tuple[Any, ...]:
    """Return the value of a promise, in a tuple: nothing in it where it is not resolved or was not kept."""
    return (promise.value,) if promise.proof is not None and saved.has_value(promise) else ()


def decisions_of(ledger: Ledger, run: str, first: int, *, small: bool) -> list[Event]:
    """Return what the rules were asked for a run that is not too large to be looked through."""
    if not small:
        return []
    found = ledger.read(kind="policy.decided", after=first, limit=_LOOKED)
    return [event for event in found if event.payload.get("session") == run][:_DECISIONS]


@router.get("/runs/{run}/promises/{node}")
def show_promise(
    request: Request, run: str, node: str, served: Site, skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0
) -> HTMLResponse:
    """Show one promise: its value, what proved it or why it was not kept, its story, and what is below it."""
    with looked_up():
        read = served.trees.get(run)
        promise = next((place.promise for place in read.places if place.promise.id == node), None)
        if promise is None:
            raise NotFound(f"run {run[:80]} has no promise {node[:80]}", fix="see its tree")
    ledger = served.ledger
    events = list(ledger.read(subject=f"{run}/{node}", limit=_STORY))
    return page(
        request,
        "promise.html",
        run=run,
        promise=promise,
        reason=reason_of(promise),
        value=kept_value(read.saved, promise),
        seconds=read.saved.timings.get(node),
        chain=[{"promise": one, "reason": reason_of(one)} for one in chain_of(promise, read.saved.tree)[1:]],
        moments=list(moments(events)),
        tree=promise_rows(read, skip=skip, under=node),
    )
