"""The inbox: what waits for a person: approvals, questions and calls for help, effects nobody can tell the end of."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from mayfly import operations
from mayfly.core import ConflictError
from mayfly.serve.web._answer import JsonAnswer, NotFound, looked_up, recorded
from mayfly.serve.web._served import ServedRuntime, Site, order_by
from mayfly.serve.web.api._running import AnswerOrder, SettleOrder, WordOrder, check_model, run_for

router = APIRouter(prefix="/inbox", tags=["inbox"])
# Characters of a diff that are shown at once; who wants more looks at the workspace.
_DIFF = 200_000
# Longer than any id of an effect.
_LONGEST_ID = 300


@router.get("", summary="List what waits for a person")
def list_inbox(
    served: Site, settled: Annotated[bool, Query(description="Those already answered, too.")] = False
) -> JsonAnswer:
    """Return approvals, calls for help (questions among them), unknown effects and payments, each the oldest first."""
    return recorded(operations.inbox(served.ledger, settled=settled).to_json())


@router.get("/approvals/{id}", summary="Look at what waits for an approval")
def get_approval(id: str, served: Site) -> JsonAnswer:
    """Return what would be done: the changes as a diff, or what would be sent."""
    _check_known(served, id)
    return recorded(operations.look_at_approval(served.runtime.settings, served.ledger, id).to_json(most=_DIFF))


@router.post("/approvals/{id}/approve", summary="Agree to exactly this")
async def approve(id: str, order: WordOrder, request: Request, served: Site) -> JsonAnswer:
    """Agree: held changes are committed, a push is made. 409 with what happened where somebody else was first."""
    return await _settle_approval(id, order, request, served, approved=True)


@router.post("/approvals/{id}/deny", summary="Say no to this")
async def deny(id: str, order: WordOrder, request: Request, served: Site) -> JsonAnswer:
    """Say no: held changes are dropped, and the agent is told why. 409 where somebody else was first."""
    return await _settle_approval(id, order, request, served, approved=False)


async def _settle_approval(
    id: str, order: WordOrder, request: Request, served: ServedRuntime, *, approved: bool
) -> JsonAnswer:
    by = order_by(order.by)

    def work() -> operations.ApprovalWord:
        _check_known(served, id)
        settings = served.runtime.settings
        return operations.settle_approval(settings, served.ledger, id, approved=approved, by=by, reason=order.reason)

    return recorded((await served.workroom.call(request, work)).to_json())


def _check_known(served: ServedRuntime, id: str) -> None:
    with looked_up():
        operations.find_approval(served.ledger, id)


@router.post("/calls/{id:path}/answer", summary="Answer a question or a call for help")
async def answer_call(id: str, order: AnswerOrder, request: Request, served: Site) -> JsonAnswer:
    """Answer; the task goes on with it, and this answers how it ended. 409 where somebody has answered already."""
    model = check_model(served, order.model)
    with looked_up():
        served.runtime.parts.inbox.get(f"h-{id.removeprefix('r-').removeprefix('h-')}")
    runtime = served.runtime
    work = lambda: operations.answer_call(runtime, id, order.text, model=model, again=order.again)  # noqa: E731
    return await run_for(served, request, work, wait=order.wait)


@router.post("/effects/{id:path}/settle", summary="Say what became of an effect")
def settle(id: str, order: SettleOrder, served: Site) -> JsonAnswer:
    """Record whether an effect that nobody could tell about is done, is to be sent again, or is given up."""
    from mayfly.promise import settle_effect

    if order.value is not None and order.verdict != "done":
        raise ConflictError(f"a value goes with done, not with {order.verdict}")
    by = order_by(order.by)
    if not id.isprintable() or len(id) > _LONGEST_ID:
        raise NotFound("there is no such effect", fix="see GET /api/inbox")
    with looked_up():
        settle_effect(served.ledger, id, verdict=order.verdict, by=by, value=order.value)
    return recorded({"id": id, "verdict": order.verdict, "by": by, "value": order.value})
