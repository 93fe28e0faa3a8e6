"""Runs: begin one, list them, look at one with its promises and reasons, stop it and go on with it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from pydantic import ValidationError

from mayfly import operations
from mayfly.core import ConflictError, InputError, one_line, parse_json
from mayfly.serve.web._answer import JsonAnswer, NotFound, looked_up, recorded
from mayfly.serve.web._served import Before, Limit, RunId, ServedRuntime, Site, Skip, order_by
from mayfly.serve.web.api._running import (
    LONGEST_INTENT,
    LONGEST_NAME,
    ResumeOrder,
    RunOrder,
    WordOrder,
    check_model,
    options_of,
    run_for,
    task_of,
    with_files,
)

router = APIRouter(prefix="/runs", tags=["runs"])
Status = Literal["running", "resolved", "collapsed", "failed", "cancelled", "killed", "interrupted"]
State = Literal["pending", "resolving", "resolved", "collapsed", "failed"]
# Rows of one list of reasons that are sent at once.
_REASONS = 500
# Promises of a tree that a whole trace is given of: more are read page by page.
_TRACED = 2000


@router.post("", summary="Do a task", status_code=200)
async def begin_run(order: RunOrder, request: Request, served: Site) -> JsonAnswer:
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
    file: Annotated[
        list[UploadFile],
        File(description="JSON for .json, a list for .jsonl, otherwise lines or a table; several are one table."),
    ],
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
) -> JsonAnswer:
    """Do a task with the lines or the table of a file, or with the value of a .json file; see `POST /api/runs`.

    Several files are one table, whose records also have the name of their file in `file`.
    """
    given: dict[str, Any] = {"intent": intent, "model": model, "reading": reading, "bad_lines": bad_lines, "wait": wait}
    given |= {"accept_weak": accept_weak, "demand_strong": demand_strong}
    given |= {"examples": parse_json(examples, "examples"), "ground": parse_json(ground, "ground")}
    try:
        order = RunOrder.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", fix="see /api/openapi.json") from None
    options = options_of(served, order)
    paths = [await asyncio.to_thread(served.uploads.keep, one.filename or "upload", one.file) for one in file]
    return await run_for(served, request, with_files(served, order, paths, options), wait=wait)


@router.get("", summary="List runs")
def list_runs(
    served: Site,
    limit: Limit = 50,
    status: Annotated[list[Status] | None, Query(description="Only runs that stand so.")] = None,
    before: Before = None,
    search: Annotated[str, Query(max_length=200, description="Only runs whose intent has this text.")] = "",
) -> JsonAnswer:
    """List runs, the newest first; `next` is the `before` of the next page, null at the end."""
    found = operations.search_runs(served.ledger, last=limit, status=status or (), before=before, search=search)
    return recorded(found.to_json())


@router.get("/{run}", summary="Look at a run")
def get_run(run: RunId, served: Site) -> JsonAnswer:
    """Return how a run stands: its row in the list, its story in words and steps, and what it asked.

    A run that is a tree has `tree` true: its promises, reasons and events have pages of their own.
    """
    with looked_up():
        return recorded(operations.run_view(served.ledger, run).to_json())


@router.get("/{run}/events", summary="Read the events of a run")
def run_events(
    run: RunId,
    served: Site,
    node: Annotated[str, Query(max_length=200, pattern=r"^[\w.]*$", description="Of this promise alone.")] = "",
    after: Annotated[int, Query(ge=0, le=2**62, description="Only those after this event.")] = 0,
    limit: Limit = 50,
) -> JsonAnswer:
    """Return what the ledger has under a run, or under one promise of it, a page at a time, the oldest first."""
    subject = f"{run}/{node}" if node else run
    found = list(served.ledger.read(subject=subject, after=after, limit=limit + 1))
    if not found and not after and served.ledger.last(subject=run) is None:
        raise NotFound(f"there is no run {run}", fix="see GET /api/runs")
    shown = [
        {"id": one.id, **operations.event_fields(one), "words": operations.event_words(one)} for one in found[:limit]
    ]
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
) -> JsonAnswer:
    """Return the promises of a tree from the top, a page at a time, each with where it stands; counts are of all."""
    wanted = operations.PromiseFilter(state=state, depth=depth, under=under, search=search)
    with looked_up():
        read = served.trees.get(run)
    return recorded(operations.promise_page(read.saved, read.places, limit=limit, skip=skip, wanted=wanted).to_json())


@router.get("/{run}/promises/{node}", summary="Look at one promise")
def get_promise(run: RunId, node: str, served: Site) -> JsonAnswer:
    """Return one promise with all below it, its proof, its cost, its events and its own story."""
    with looked_up():
        tree = served.trees.get(run)
        below = sum(1 for one in tree.places if one.promise.id == node or one.promise.id.startswith(f"{node}."))
        _check_size(below, run)
        return recorded(operations.trace(served.ledger, f"{run}/{node}").to_json())


@router.get("/{run}/trace", summary="Read a whole tree")
def get_trace(run: RunId, served: Site) -> JsonAnswer:
    """Return the tree of a run with all events; one of more than 2,000 promises is read by its pages instead."""
    with looked_up():
        _check_size(len(served.trees.get(run).places), run)
        return recorded(operations.trace(served.ledger, run).to_json())


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
) -> JsonAnswer:
    """Return the chain of reasons from the root to the leaf that decided, the proofs, rules and effects on the way.

    A list of more than 500 is cut there, and `cut` says how many there are.
    """
    data = reasons_data(served, f"{run}/{node}" if node else run)
    lists = {name: value for name, value in data.items() if isinstance(value, list) and len(value) > _REASONS}
    # Of a large tree thousands are proven, one like the other; their pages have them all.
    cut = {name: value[:_REASONS] for name, value in lists.items()}
    counts = {name: len(value) for name, value in lists.items() if name != "words"}
    return recorded({**data, **cut, "cut": counts})


def reasons_data(served: ServedRuntime, id: str) -> dict[str, Any]:
    """Return why whatever is called *id* is as it is, as data and in words."""
    from mayfly.persona import Desk

    runtime = served.runtime
    with looked_up():
        found = operations.why(
            served.ledger, id, desk=lambda: Desk(runtime.settings, ledger=served.ledger), tools=lambda: runtime.tools
        )
    return {**found.to_json(), "words": [one_line(line, limit=2000) for line in found.lines()]}


@router.post("/{run}/cancel", summary="Ask a run to stop")
def cancel_run(run: RunId, order: WordOrder, served: Site) -> JsonAnswer:
    """Ask a run to stop, in whatever process it is; what is proven stays proven. 409 where it is not running."""
    from mayfly.promise import cancel

    by = order_by(order.by)
    with looked_up():
        cancel(served.ledger, run, by=by, reason=order.reason)
    return recorded({"id": run, "cancelled": True, "by": by, "reason": order.reason})


@router.post("/{run}/resume", summary="Go on with a run")
async def resume_run(run: RunId, order: ResumeOrder, request: Request, served: Site) -> JsonAnswer:
    """Go on with a tree that was interrupted, cancelled or collapsed: what is proven is not done again."""
    model = check_model(served, order.model)
    if served.ledger.last(kind="promise.planned", subject=run) is None:
        raise NotFound(f"there is no run {run} that is a tree", fix="run it again")
    work = lambda: served.runtime.resume(run, hints=tuple(order.hints), model=model)  # noqa: E731
    return await run_for(served, request, work, wait=order.wait)
