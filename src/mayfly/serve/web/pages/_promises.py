"""The promises of a run: a page of them from the top, and one with all that is known of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from mayfly.operations import Bar, bar_plot, chain_of, reason_of
from mayfly.serve.web._wrong import NotFound, looked_up
from mayfly.serve.web.pages._frame import Site, page
from mayfly.serve.web.pages._moments import moments

if TYPE_CHECKING:
    from mayfly.operations import Place
    from mayfly.promise import Promise, Saved
    from mayfly.serve.web._trees import ReadTree
    from mayfly.store import Event, Ledger

router = APIRouter()
# Promises on one page: about five screens.
_PAGE = 100
# Levels that are indented further; below, everything stands at the same place.
_DEEPEST = 8
_STATES = ("resolving", "pending", "failed", "collapsed", "resolved")
# Decisions of the rules that are shown with a run, and events looked through for them: what lies further apart than
# that is found by the log.
_DECISIONS, _LOOKED = 50, 5000
_STORY = 200


def promise_rows(read: ReadTree, *, skip: int = 0, state: str = "", under: str = "") -> dict[str, Any]:
    """Return a page of the promises of a tree, in order from the top, and how many are in which state."""
    counts = Counter(place.promise.state.value for place in read.places)
    wanted = [
        place
        for place in read.places
        if (state not in _STATES or place.promise.state.value == state)
        and (not under or place.promise.id.startswith(f"{under}."))
    ]
    shown = wanted[skip : skip + _PAGE]
    return {
        "rows": [_row(read.saved, place) for place in shown],
        "counts": [(one, counts[one]) for one in _STATES if counts[one]],
        "total": len(read.places),
        "matching": len(wanted),
        "state": state if state in _STATES else "",
        "skip": skip,
        "next": skip + _PAGE if skip + _PAGE < len(wanted) else 0,
        "previous": max(0, skip - _PAGE) if skip else None,
    }


def _row(saved: Saved, place: Place) -> dict[str, Any]:
    promise = place.promise
    state = promise.state.value
    return {
        "id": promise.id,
        "depth": min(len(place.last), _DEEPEST),
        "intent": promise.intent,
        "state": state,
        "budget": promise.budget,
        "by": promise.by,
        "strength": promise.proof.strength if promise.proof else "",
        "reason": reason_of(promise) if state != "resolved" else "",
        "after": place.after,
        "seconds": saved.timings.get(promise.id),
        "again": promise.id in saved.again,
        "children": len(promise.children),
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
    ledger = served.runtime.ledger
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
