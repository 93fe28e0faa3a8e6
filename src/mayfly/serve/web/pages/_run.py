"""*Run*: what became of one thing that was asked: the answer or the reason first, then how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly.core import InputError, MayflyError, ending_of
from mayfly.operations import (
    RUN_ENDS,
    PromiseFilter,
    account_words,
    answer_call,
    call_fields,
    chain_of,
    has_tree,
    open_call,
    promise_page,
    reason_of,
)
from mayfly.serve.web._answer import NotFound, looked_up
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site, order_by
from mayfly.serve.web.pages._frame import moments, page, see, word_in
from mayfly.serve.web.pages._home import begin, kept_answer
from mayfly.serve.web.pages._plots import Bar, bar_plot

if TYPE_CHECKING:
    from mayfly.promise import Promise, Saved
    from mayfly.serve.web._served import ReadTree, ServedRuntime
    from mayfly.store import Event, Ledger, RunRow

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
    wanted = PromiseFilter(state=state if state in _STATES else None, under=under, with_itself=False)
    found = promise_page(read.saved, read.places, limit=_PAGE, skip=skip, wanted=wanted)
    return {
        "rows": found.promises,
        "counts": [(one, found.counts[one]) for one in _STATES if found.counts.get(one)],
        "total": found.total,
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


# Events on one page of a story, and tests beside a source.
_RUN_STORY = 60
_TESTS = 40
# Proofs that are looked through for the one of a program from memory.
_PROOFS = 300
# What a source may have in characters to be put on a page.
_SOURCE = 100_000
# Numbers up to which an answer is drawn: more are a table.
_BARS = 24


@router.get("/runs/{run}")
def show_run(
    request: Request,
    run: str,
    served: Site,
    after: Annotated[int, Query(ge=0, le=2**62)] = 0,
    skip: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    state: str = "",
) -> HTMLResponse:
    """Show one run; *after* pages through its story, *skip* and *state* through its promises."""
    ledger = served.ledger
    first = next(iter(ledger.read(subject=run, limit=1)), None)
    if first is None:
        raise NotFound(f"there is no run {run[:80]}", fix="see the list of runs")
    row, ended = ledger.run(run), _end_of(ledger, run)
    status = _status(row, ended)
    events = list(ledger.read(subject=run, after=after, limit=_RUN_STORY + 1))
    tree = _tree(served, run, skip, state) if has_tree(ledger, run) else None
    kept = kept_answer(ledger, run)
    outcome, again = kept or ({}, None)
    payload: Mapping[str, Any] = ended.payload if ended and status not in ("running", "interrupted") else {}
    return page(
        request,
        "run.html",
        run=run,
        row=row,
        state=status,
        ending=ending_of(status, row.code if row else str(payload.get("code", ""))),
        intent=(row.intent if row else "") or str(first.payload.get("intent", run)),
        outcome=outcome,
        answered="value" in outcome and status == "resolved",
        answer_plot=_answer_plot(outcome.get("value")),
        again=again,
        ended=payload,
        reading=payload.get("reading") or outcome.get("reading") or "",
        lines=account_words(payload["account"]) if payload.get("account") else "",
        question=_question(ledger, run),
        moments=list(moments([one for one in events[:_RUN_STORY] if one.kind != "page.answered"], start=first.at)),
        story_next=events[_RUN_STORY - 1].id if len(events) > _RUN_STORY else 0,
        after=after,
        proof=_proof(ledger, run, outcome),
        tree=tree,
        decisions=decisions_of(ledger, run, first.id, small=not row or row.nodes <= _SMALL),
        live=run if status == "running" or (status == "resolved" and _is_late(ended, kept, tree)) else "",
    )


def _status(row: RunRow | None, ended: Event | None) -> str:
    """Return how a run stands; one that no list has, such as a compilation, by its last event."""
    if row is not None:
        return row.status
    return "resolved" if ended is not None and ended.kind == "run.resolved" else "collapsed"


# Seconds in which the answer of a run may come after its end.
_LATE = 3.0


def _is_late(ended: Event | None, kept: object, tree: object) -> bool:
    """Whether a run has just ended, so that its answer may be about to be kept."""
    if ended is None or kept or tree:
        return False
    return (datetime.now(UTC) - ended.at).total_seconds() < _LATE


# Promises up to which everything about a run is gathered at once.
_SMALL = 2000


def _end_of(ledger: Ledger, run: str) -> Event | None:
    """Return how a run ended the last time it did."""
    found = [ledger.last(kind=kind, subject=run) for kind in RUN_ENDS]
    return max((one for one in found if one), key=lambda one: one.id, default=None)


def _answer_plot(value: object) -> object:
    """Draw an answer that is a number for each of a few names; nothing where it is anything else."""
    if not isinstance(value, dict) or not 2 <= len(value) <= _BARS:
        return ""
    if not all(isinstance(one, (int, float)) and not isinstance(one, bool) and one >= 0 for one in value.values()):
        return ""
    return bar_plot([Bar(str(name), number) for name, number in value.items()], title="the answer")


def _question(ledger: Ledger, run: str) -> dict[str, Any] | None:
    """Return what a run asks a person, with the answers that are offered; None where nothing is open."""
    call = open_call(ledger, run)
    if call is None:
        return None
    told = call_fields(call)
    offered = told["asked"]["offered"] if told["asked"] else []
    text = str(call.context.get("question") or call.last_error)
    return {**told, "text": text, "offered": list(enumerate(offered, 1)), "settles": told["asked"] is not None}


def _proof(ledger: Ledger, run: str, outcome: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what proved a run: its source beside the tests, and what speaks for it by kind."""
    made = ledger.last(kind="proof.made", subject=run) or _proven_before(ledger, run)
    told: Any = outcome.get("proof") or {}
    if made is None:
        return {"made": None, **_evidence(told, ())} if told.get("evidence") else None
    payload: Any = made.payload
    return {
        "made": payload,
        "source": _blob(ledger, str(payload["source_hash"])),
        "tests": payload["results"][:_TESTS],
        "more": max(0, len(payload["results"]) - _TESTS),
        **_evidence(told, payload["results"]),
    }


def _proven_before(ledger: Ledger, run: str) -> Event | None:
    """Return the proof of the program that a run found in memory, if it was made not too long ago."""
    found = ledger.last(kind="agent.cached", subject=run)
    if found is None:
        return None
    after = ledger.before_last(_PROOFS, kind="proof.made")
    made = list(ledger.read(kind="proof.made", after=after))
    return next((one for one in reversed(made) if one.payload["source_hash"] == found.payload["source_hash"]), None)


def _evidence(told: Mapping[str, Any], results: Any) -> dict[str, Any]:
    """Say what speaks for a program, by kind: as its proof tells it, or by its tests where that was not kept."""
    counts: Counter[str] = Counter()
    for one in told.get("evidence", ()):
        counts[str(one["kind"])] += int(one["count"])
    if not counts:
        counts.update(str(one.get("kind", "test")) for one in results)
    bars = [Bar(kind, number, kind="good") for kind, number in counts.most_common()]
    return {
        "plot": bar_plot(bars, title="evidence by kind") if bars else "",
        "evidence": list(told.get("evidence", ())),
        "open": list(told.get("open", ())),
    }


def _blob(ledger: Ledger, hash: str) -> str:
    try:
        return ledger.get_blob(hash).decode("utf-8", "replace")[:_SOURCE]
    except MayflyError:  # at tier ephemeral nothing is kept but the hash
        return ""


def _tree(served: ServedRuntime, run: str, skip: int, state: str) -> dict[str, Any]:
    with looked_up():
        read = served.trees.get(run)
    chain = [] if read.saved.status == "resolved" else chain_of(read.saved.tree, read.saved.tree)
    return {
        **promise_rows(read, skip=skip, state=state),
        "plot": shape_of_tree(read),
        "chain": [{"promise": one, "reason": reason_of(one)} for one in chain[1:]],
        "cost": read.saved.cost,
        "value": kept_value(read.saved, read.saved.tree),
    }


@router.post("/runs/{run:path}/answer")
async def answer_question(request: Request, run: str, served: Site) -> RedirectResponse:
    """Take a person's answer, and show the run that goes on with it."""
    form = await checked_form(request)
    text = word_in(form, "text")
    if not text:
        raise InputError("the answer is empty", fix="write what it should give, or: cannot occur")
    id = f"h-{run.removeprefix('r-').removeprefix('h-')}"
    return see(f"/runs/{await begin(served, lambda: answer_call(served.runtime, id, text))}")


@router.post("/runs/{run}/again")
async def ask_again(request: Request, run: str, served: Site) -> RedirectResponse:
    """Ask the same once more, with what was chosen: a reading, to leave lines out, to take a weak proof."""
    from dataclasses import replace

    form = await checked_form(request)
    kept = kept_answer(served.ledger, run)
    if kept is None or kept[1] is None:
        raise InputError(f"{run} was not asked for on a page", fix="ask it anew on the first page")
    task = kept[1]
    if reading := word_in(form, "reading"):
        task = replace(task, reading=reading)
    if word_in(form, "bad_lines") == "skip":
        task = replace(task, bad_lines="skip")
    if word_in(form, "accept_weak"):
        task = replace(task, accept_weak=True)
    return see(f"/runs/{await begin(served, task.work(served), task)}")


@router.post("/runs/{run}/cancel")
async def stop_run(request: Request, run: str, served: Site) -> RedirectResponse:
    """Ask a run to stop, in whatever process it is."""
    from mayfly.promise import cancel

    await checked_form(request)
    await served.workroom.call(request, cancel, served.ledger, run, by=order_by(None))
    return see(f"/runs/{run}", "stopped")


@router.post("/runs/{run}/resume")
async def resume_run(request: Request, run: str, served: Site) -> RedirectResponse:
    """Go on with a tree that was stopped; what is proven is not done again."""
    await checked_form(request)
    if not has_tree(served.ledger, run):
        raise InputError(f"{run} is no tree that could go on", fix="ask it anew")
    return see(f"/runs/{await begin(served, lambda: served.runtime.resume(run))}")
