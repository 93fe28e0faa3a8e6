"""The inbox: what waits for a person: approvals, questions and calls for help, effects nobody can tell the end of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from mayfly.core import ConflictError, one_line, without_secrets
from mayfly.serve.web._answer import Answer, recorded
from mayfly.serve.web._served import Served, served_by
from mayfly.serve.web._who import order_by
from mayfly.serve.web._wrong import NotFound, looked_up
from mayfly.serve.web.api._orders import AnswerOrder, SettleOrder, WordOrder
from mayfly.serve.web.api._running import check_model, run_for

if TYPE_CHECKING:
    from mayfly.session import Approvals, Waiting

router = APIRouter(prefix="/inbox", tags=["inbox"])
Site = Annotated[Served, Depends(served_by)]
# Characters of a diff that are shown at once; who wants more looks at the workspace.
_DIFF = 200_000


class SettledBefore(ConflictError):
    """Somebody else was first."""

    code = "SETTLED"

    def __init__(self, message: str, *, details: dict[str, Any]) -> None:
        super().__init__(message, fix="look at what they said")
        self.details = details


@router.get("", summary="List what waits for a person")
def list_inbox(
    served: Site, settled: Annotated[bool, Query(description="Those already answered, too.")] = False
) -> Answer:
    """Return approvals, calls for help (questions among them) and unknown effects, each list with the oldest first."""
    return recorded(inbox_data(served, settled=settled))


def inbox_data(served: Served, *, settled: bool = False) -> dict[str, Any]:
    """Return everything that waits for a person."""
    from mayfly.promise import unknown_effects
    from mayfly.session import waiting_in

    ledger = served.runtime.ledger
    return {
        "approvals": [approval_fields(one) for one in waiting_in(ledger, settled=settled)],
        "calls": [call_fields(one) for one in served.runtime.parts.inbox.list(answered=settled)],
        "effects": [effect_fields(one) for one in unknown_effects(ledger)],
    }


def approval_fields(one: Waiting) -> dict[str, Any]:
    """Return an approval as data."""
    asked, settled = one.asked, one.settled
    return {
        "id": one.id,
        "at": one.at.isoformat(),
        "session": asked.session,
        "decision": asked.decision,
        "action": asked.action,
        "target": asked.target,
        "payload": asked.payload,
        "held": asked.held,
        "summary": asked.summary,
        "reasons": list(asked.reasons),
        "approved": None if settled is None else settled.approved,
        "by": "" if settled is None else settled.by,
        "reason": "" if settled is None else settled.reason,
        "result": "" if settled is None else settled.result,
    }


def call_fields(call: Any) -> dict[str, Any]:
    """Return a call for help as data; one that is a question has what it asks about and the answers offered."""
    asked = call.asked
    return {
        "id": call.id,
        "at": call.at.isoformat(),
        "run": call.run,
        "task": call.task,
        "attempts": call.attempts,
        "last_error": call.last_error,
        "context": dict(call.context),
        "asked": None if asked is None else {"input": asked[0], "offered": list(asked[1])},
        "answer": call.answer,
    }


def effect_fields(effect: Any) -> dict[str, Any]:
    """Return an effect that nobody can tell the end of as data."""
    names = ("id", "run", "node", "capability", "target", "intent", "reason")
    return {**{name: getattr(effect, name) for name in names}, "at": effect.at.isoformat()}


@contextmanager
def opened(served: Served, id: str) -> Iterator[tuple[Approvals, Waiting]]:
    """Open what waits under *id*, by the rules in force where it was asked for."""
    from mayfly.runtime import Desk, open_approvals
    from mayfly.session import SessionLog

    settings, ledger = served.runtime.settings, served.runtime.ledger
    with looked_up():
        waiting = open_approvals(settings, Desk(settings, ledger=ledger), ledger).get(id)
    began = SessionLog(ledger, waiting.asked.session).began
    workspace = Path(began.workspace) if began is not None else None
    yield open_approvals(settings, Desk(settings, ledger=ledger, workspace=workspace), ledger), waiting


@router.get("/approvals/{id}", summary="Look at what waits for an approval")
def get_approval(id: str, served: Site) -> Answer:
    """Return what would be done: the changes as a diff, or what would be sent."""
    with opened(served, id) as (approvals, waiting):
        try:
            diff = approvals.diff(waiting)
        except ConflictError:
            raise
        except Exception:  # what was committed or dropped is not held any more
            if waiting.settled is None:
                raise
            diff = ""
    fields = {**approval_fields(waiting), "diff": diff[:_DIFF], "cut": len(diff) > _DIFF}
    return recorded(fields)


@router.post("/approvals/{id}/approve", summary="Agree to exactly this")
async def approve(id: str, order: WordOrder, request: Request, served: Site) -> Answer:
    """Agree: held changes are committed, a push is made. 409 with what happened where somebody else was first."""
    by = order_by(order.by)

    def work() -> dict[str, Any]:
        with opened(served, id) as (approvals, waiting):
            try:
                result = approvals.approve(waiting.id, by=by, reason=order.reason)
            except ConflictError as error:
                raise _told_before(served, waiting.id, error) from None
            return {"id": waiting.id, "approved": True, "by": by, "result": result}

    return recorded(await served.workroom.do(request, lambda stop: work()))


@router.post("/approvals/{id}/deny", summary="Say no to this")
async def deny(id: str, order: WordOrder, request: Request, served: Site) -> Answer:
    """Say no: held changes are dropped, and the agent is told why. 409 where somebody else was first."""
    by = order_by(order.by)

    def work() -> dict[str, Any]:
        with opened(served, id) as (approvals, waiting):
            try:
                approvals.deny(waiting.id, by=by, reason=order.reason)
            except ConflictError as error:
                raise _told_before(served, waiting.id, error) from None
            return {"id": waiting.id, "approved": False, "by": by}

    return recorded(await served.workroom.do(request, lambda stop: work()))


def _told_before(served: Served, id: str, error: ConflictError) -> ConflictError:
    """Return a conflict that says what the other person did, as far as they have."""
    from mayfly.session import waiting_in

    found = next((one for one in waiting_in(served.runtime.ledger, settled=True) if one.id == id), None)
    if found is None or found.settled is None:
        return SettledBefore(f"somebody else is answering {id} at this moment", details={"approval": None})
    word = "approved" if found.settled.approved else "denied"
    message = without_secrets(f"{id} was {word} by {one_line(found.settled.by, limit=100)} before")
    return SettledBefore(message, details={"approval": approval_fields(found)})


@router.post("/calls/{id:path}/answer", summary="Answer a question or a call for help")
async def answer_call(id: str, order: AnswerOrder, request: Request, served: Site) -> Answer:
    """Answer; the task goes on with it, and this answers how it ended. 409 where somebody has answered already."""
    from mayfly.runtime import answer_help

    model = check_model(served, order.model)
    id = f"h-{id.removeprefix('r-')}" if id.startswith("r-") else id
    ledger = served.runtime.ledger

    def work() -> Any:
        with looked_up():
            call = served.runtime.parts.inbox.get(id)
        # A call of a leaf has a slash in its name, which no claim may have.
        with ledger.claim(id.replace("/", "_")):
            answered = served.runtime.parts.inbox.get(id).answer
            if answered is not None and not order.again:
                raise SettledBefore(
                    f"{id} was answered before", details={"call": {**call_fields(call), "answer": answered}}
                )
            return answer_help(served.runtime, id, order.text, model=model)

    return await run_for(served, request, work, wait=order.wait)


@router.post("/effects/{id:path}/settle", summary="Say what became of an effect")
def settle(id: str, order: SettleOrder, served: Site) -> Answer:
    """Record whether an effect that nobody could tell about is done, is to be sent again, or is given up."""
    from mayfly.promise import settle_effect

    if order.value is not None and order.verdict != "done":
        raise ConflictError(f"a value goes with done, not with {order.verdict}")
    by = order_by(order.by)
    if not id.isprintable() or len(id) > 300:
        raise NotFound("there is no such effect", fix="see GET /api/inbox")
    with looked_up():
        settle_effect(served.runtime.ledger, id, verdict=order.verdict, by=by, value=order.value)
    return recorded({"id": id, "verdict": order.verdict, "by": by, "value": order.value})
