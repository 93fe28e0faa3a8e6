"""Runs: begin one, list them, look at one with its promises and reasons, stop it and go on with it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Form, Query, Request, UploadFile
from pydantic import ValidationError

from mayfly.core import ConflictError, InputError, parse_json
from mayfly.operations import RunLine, event_fields, event_words, has_tree, reason_of, run_line, tell
from mayfly.operations import runs as find_runs
from mayfly.serve.web._answer import Answer, recorded
from mayfly.serve.web._served import Served, served_by
from mayfly.serve.web._who import order_by
from mayfly.serve.web._wrong import NotFound, looked_up
from mayfly.serve.web.api._orders import LONGEST_INTENT, LONGEST_NAME, ResumeOrder, RunOrder, WordOrder
from mayfly.serve.web.api._pages import Before, Limit, RunId, Skip
from mayfly.serve.web.api._running import check_model, options_of, run_for, task_of, with_file

router = APIRouter(prefix="/runs", tags=["runs"])
Site = Annotated[Served, Depends(served_by)]
Status = Literal["running", "resolved", "collapsed", "failed", "cancelled", "killed", "interrupted"]
State = Literal["pending", "resolving", "resolved", "collapsed", "failed"]
# Events of a run without a tree that are told with it; a tree has its own pages.
_STORY = 500
# Promises of a tree that a whole trace is given of: more are read page by page.
_TRACED = 2000


@router.post("", summary="Do a task", status_code=200)
async def begin_run(order: RunOrder, request: Request, served: Site) -> Answer:
    """Write the agent this needs, gate it, prove it, run it.

    The answer has the value, which is *ground* unless `status` is resolved, how the request was read, the proof, what
    was open, and a question where an answer would settle it. With `wait` false it is 202 with the id of the run, which
    goes on whether or not the client stays.
    """
    return await run_for(served, request, task_of(served, order), wait=order.wait)


@router.post("/file", summary="Do a task with an uploaded file")
async def begin_run_with_file(
    request: Request,
    served: Site,
    file: Annotated[UploadFile, File(description="JSON for .json, a list for .jsonl, otherwise lines of text.")],
    intent: Annotated[str, Form(min_length=1, max_length=LONGEST_INTENT, description="What to do, in words.")],
    examples: Annotated[str, Form(description="A JSON list of objects with input and output.")] = "[]",
    ground: Annotated[str, Form(description="The value to give where nothing is proven, as JSON.")] = "null",
    model: Annotated[str | None, Form(max_length=LONGEST_NAME, description="The model to ask.")] = None,
    reading: Annotated[str, Form(max_length=LONGEST_INTENT, description="How to read the request.")] = "",
    bad_lines: Annotated[
        Literal["ask", "skip", "stop"], Form(description="What lines not understood lead to.")
    ] = "ask",
    accept_weak: Annotated[bool, Form(description="Run on a weak proof too.")] = False,
    demand_strong: Annotated[bool, Form(description="Refuse a proof that leaves something open.")] = False,
    wait: Annotated[bool, Form(description="Answer when it has ended, or 202 with its id at once.")] = True,
) -> Answer:
    """Do a task with the lines of a file, or with the value that a .json file holds; see `POST /api/runs`."""
    given: dict[str, Any] = {"intent": intent, "model": model, "reading": reading, "bad_lines": bad_lines, "wait": wait}
    given |= {"accept_weak": accept_weak, "demand_strong": demand_strong}
    given |= {"examples": parse_json(examples, "examples"), "ground": parse_json(ground, "ground")}
    try:
        order = RunOrder.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", fix="see /api/openapi.json") from None
    options = options_of(served, order)
    path = await asyncio.to_thread(served.uploads.keep, file.filename or "upload", file.file)
    return await run_for(served, request, with_file(served, order, path, options), wait=wait)


@router.get("", summary="List runs")
def list_runs(
    served: Site,
    limit: Limit = 50,
    status: Annotated[list[Status] | None, Query(description="Only runs that stand so.")] = None,
    before: Before = None,
    search: Annotated[str, Query(max_length=200, description="Only runs whose intent has this text.")] = "",
) -> Answer:
    """List runs, the newest first; `next` is the `before` of the next page, null at the end."""
    found, more = _page(served, limit, status or (), before, search.casefold())
    last = found[-1].number if found and more else None
    return recorded({"runs": [one.fields() for one in found], "next": last})


def _page(served: Served, limit: int, status: Any, before: int | None, search: str) -> tuple[list[RunLine], bool]:
    """Return a page of runs, and whether there are more."""
    found: list[RunLine] = []
    # A search looks at this many pages at most, so that a rare word does not read all that ever ran.
    for _ in range(20 if search else 1):
        some = find_runs(served.runtime.ledger, last=limit + 1, status=status, before=before)
        found += [one for one in some if not search or search in one.intent.casefold()]
        if len(some) <= limit or len(found) > limit:
            return found[:limit], len(found) > limit
        before = some[-1].number
    return found[:limit], True


@router.get("/{run}", summary="Look at a run")
def get_run(run: RunId, served: Site) -> Answer:
    """Return how a run stands: its row in the list, its story in words and steps, and what it asked.

    A run that is a tree has `tree` true: its promises, reasons and events have pages of their own.
    """
    return recorded(run_data(served, run))


def run_data(served: Served, run: str) -> dict[str, Any]:
    """Return everything that the first look at a run shows."""
    ledger = served.runtime.ledger
    is_tree = has_tree(ledger, run)
    events = list(ledger.read(subject=run, limit=1 if is_tree else _STORY))
    if not events:
        raise NotFound(f"there is no run {run}", fix="see GET /api/runs")
    line = run_line(ledger, run)
    last = ledger.last(subject=run)
    ended: Any = last.payload if last is not None and last.kind in _ENDS else {}
    waiting = ledger.last(kind="help.needed", subject=f"h-{run.removeprefix('r-')}")
    return {
        "id": run,
        "run": line.fields() if line is not None else None,
        "tree": is_tree,
        "story": [] if is_tree else list(tell(events)),
        "steps": [] if is_tree else [{"id": event.id, **event_fields(event)} for event in events],
        "ended": dict(ended) or None,
        "help": None if waiting is None else {"id": waiting.subject, **waiting.payload},
    }


_ENDS = ("run.resolved", "run.collapsed", "run.failed", "run.ended")


@router.get("/{run}/events", summary="Read the events of a run")
def run_events(
    run: RunId,
    served: Site,
    node: Annotated[str, Query(max_length=200, pattern=r"^[\w.]*$", description="Of this promise alone.")] = "",
    after: Annotated[int, Query(ge=0, le=2**62, description="Only those after this event.")] = 0,
    limit: Limit = 50,
) -> Answer:
    """Return what the ledger has under a run, or under one promise of it, a page at a time, the oldest first."""
    subject = f"{run}/{node}" if node else run
    found = list(served.runtime.ledger.read(subject=subject, after=after, limit=limit + 1))
    if not found and not after and served.runtime.ledger.last(subject=run) is None:
        raise NotFound(f"there is no run {run}", fix="see GET /api/runs")
    shown = [{"id": one.id, **event_fields(one), "words": event_words(one)} for one in found[:limit]]
    return recorded({"events": shown, "next": found[limit - 1].id if len(found) > limit else None})


@router.get("/{run}/promises", summary="Read the promises of a run")
def run_promises(
    run: RunId,
    served: Site,
    limit: Limit = 50,
    skip: Skip = 0,
    state: Annotated[State | None, Query(description="Only promises in this state.")] = None,
    depth: Annotated[int | None, Query(ge=0, le=1000, description="Only promises down to this depth.")] = None,
    under: Annotated[str, Query(max_length=200, pattern=r"^[\w.]*$", description="This promise and below.")] = "",
    search: Annotated[str, Query(max_length=200, description="Only promises whose intent has this text.")] = "",
) -> Answer:
    """Return the promises of a tree from the top, a page at a time, each with where it stands; counts are of all."""
    return recorded(
        promises_data(served, run, limit=limit, skip=skip, state=state, depth=depth, under=under, search=search)
    )


def promises_data(
    served: Served,
    run: str,
    *,
    limit: int,
    skip: int = 0,
    state: str | None = None,
    depth: int | None = None,
    under: str = "",
    search: str = "",
) -> dict[str, Any]:
    """Return a page of promises, and how many of the tree are in which state."""
    with looked_up():
        tree = served.trees.get(run)
    counts: dict[str, int] = {}
    for place in tree.places:
        counts[place.promise.state.value] = counts.get(place.promise.state.value, 0) + 1
    wanted = [
        place
        for place in tree.places
        if (state is None or place.promise.state.value == state)
        and (depth is None or len(place.last) <= depth)
        and (not under or place.promise.id == under or place.promise.id.startswith(f"{under}."))
        and (not search or search.casefold() in place.promise.intent.casefold())
    ]
    page = [_promise_fields(tree.saved, place) for place in wanted[skip : skip + limit]]
    return {
        "id": run,
        "status": tree.saved.status,
        "total": len(tree.places),
        "counts": counts,
        "matching": len(wanted),
        "promises": page,
        "next": skip + limit if skip + limit < len(wanted) else None,
    }


def _promise_fields(saved: Any, place: Any) -> dict[str, Any]:
    promise = place.promise
    return {
        "node": promise.id,
        "depth": len(place.last),
        "last": list(place.last),
        "after": list(place.after),
        "intent": promise.intent,
        "state": promise.state.value,
        "budget": promise.budget,
        "served_by": promise.by,
        "reason": reason_of(promise),
        "code": promise.code,
        "strength": promise.proof.strength if promise.proof else "none",
        "seconds": saved.timings.get(promise.id),
        "again": promise.id in saved.again,
        "children": len(promise.children),
    }


@router.get("/{run}/promises/{node}", summary="Look at one promise")
def get_promise(run: RunId, node: str, served: Site) -> Answer:
    """Return one promise with all below it, its proof, its cost, its events and its own story."""
    from mayfly.operations import Trace

    with looked_up():
        tree = served.trees.get(run)
        below = sum(1 for one in tree.places if one.promise.id == node or one.promise.id.startswith(f"{node}."))
        _check_size(below, run)
        return recorded(Trace(served.runtime.ledger, run, node).fields())


@router.get("/{run}/trace", summary="Read a whole tree")
def get_trace(run: RunId, served: Site) -> Answer:
    """Return the tree of a run with all events; one of more than 2,000 promises is read by its pages instead."""
    from mayfly.operations import Trace

    with looked_up():
        _check_size(len(served.trees.get(run).places), run)
        return recorded(Trace(served.runtime.ledger, run).fields())


def _check_size(promises: int, run: str) -> None:
    if promises > _TRACED:
        raise ConflictError(
            f"{run} has {promises:,} promises here, more than are sent at once",
            fix=f"read GET /api/runs/{run}/promises page by page",
        )


@router.get("/{run}/why", summary="Why a run ended as it did")
def why_run(
    run: RunId,
    served: Site,
    node: Annotated[str, Query(max_length=200, pattern=r"^[\w.]*$", description="One promise of it.")] = "",
) -> Answer:
    """Return the chain of reasons from the root to the leaf that decided, the proofs, rules and effects on the way.

    A list of more than 500 is cut there, and `cut` says how many there are.
    """
    from mayfly.serve._reasons import reasons_for

    with looked_up():
        reply = reasons_for(served.runtime, f"{run}/{node}" if node else run)
    lists = {name: value for name, value in reply.data.items() if isinstance(value, list) and len(value) > _STORY}
    # Of a large tree thousands are proven, one like the other; their pages have them all.
    cut = {name: value[:_STORY] for name, value in lists.items()}
    counts = {name: len(value) for name, value in lists.items()}
    return recorded({**reply.data, **cut, "cut": counts, "words": reply.text.splitlines()[:_STORY]})


@router.post("/{run}/cancel", summary="Ask a run to stop")
def cancel_run(run: RunId, order: WordOrder, served: Site) -> Answer:
    """Ask a run to stop, in whatever process it is; what is proven stays proven. 409 where it is not running."""
    from mayfly.promise import cancel

    by = order_by(order.by)
    with looked_up():
        cancel(served.runtime.ledger, run, by=by, reason=order.reason)
    return recorded({"id": run, "cancelled": True, "by": by, "reason": order.reason})


@router.post("/{run}/resume", summary="Go on with a run")
async def resume_run(run: RunId, order: ResumeOrder, request: Request, served: Site) -> Answer:
    """Go on with a tree that was interrupted, cancelled or collapsed: what is proven is not done again."""
    model = check_model(served, order.model)
    if served.runtime.ledger.last(kind="promise.planned", subject=run) is None:
        raise NotFound(f"there is no run {run} that is a tree", fix="run it again")
    work = lambda: served.runtime.resume(run, hints=tuple(order.hints), model=model)  # noqa: E731
    return await run_for(served, request, work, wait=order.wait)
