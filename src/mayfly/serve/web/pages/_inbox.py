"""*Inbox*: what waits for a person: approvals with their diffs, questions, effects nobody can tell the end of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly import operations
from mayfly.core import InputError, MayflyError
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site
from mayfly.serve.web.api._inbox import approve, deny, settle
from mayfly.serve.web.api._orders import SettleOrder, WordOrder
from mayfly.serve.web.pages._frame import page, see, word_in

if TYPE_CHECKING:
    from mayfly.serve.web._served import Served

router = APIRouter()
# Things of one sort on one page; who has more settles these first.
_MOST = 30


@router.get("/inbox")
def show_inbox(request: Request, served: Site, all: bool = False) -> HTMLResponse:
    """Show what waits, the oldest first; with *all* also what was settled, the newest first."""
    found = operations.inbox(served.ledger, settled=all).to_json()
    if all:
        found = {name: list(reversed(rows)) for name, rows in found.items()}
    waiting = [one for one in found["approvals"] if one["approved"] is None]
    return page(
        request,
        "inbox.html",
        approvals=[{**one, "diff": diff_of(served, one)} for one in waiting[:_MOST]],
        settled=[one for one in found["approvals"] if one["approved"] is not None][:_MOST],
        calls=found["calls"][:_MOST],
        effects=found["effects"][:_MOST],
        payments=found["payments"][:_MOST],
        more=sum(max(0, len(rows) - _MOST) for rows in found.values()),
        all=all,
    )


def diff_of(served: Served, approval: dict[str, Any]) -> str:
    """Return what would be done by an approval; why that cannot be said, where it cannot."""
    try:
        return operations.look_at_approval(served.runtime.settings, served.ledger, approval["id"]).diff
    except MayflyError as error:  # what is held may be damaged; the others are shown all the same
        return f"(it cannot be shown: {error})"


@router.post("/inbox/{id}/approval")
async def settle_approval(request: Request, id: str, served: Site) -> RedirectResponse:
    """Take a person's yes or no; they come back to where they said it."""
    form = await checked_form(request)
    word = WordOrder(by=None, reason=word_in(form, "reason", most=2000))
    chat = word_in(form, "chat")
    back = f"/chat/{chat}" if chat.removeprefix("s-").isalnum() else "/inbox"
    if word_in(form, "say") == "approve":
        await approve(id, word, request, served)
        return see(back, "approved")
    await deny(id, word, request, served)
    return see(back, "denied")


@router.post("/inbox/effects/{id:path}")
async def settle_effect(request: Request, id: str, served: Site) -> RedirectResponse:
    """Take a person's word for what became of an effect."""
    form = await checked_form(request)
    verdict = word_in(form, "verdict")
    if verdict not in operations.VERDICTS:
        raise InputError("nothing was said of it", fix=f"say one of {', '.join(operations.VERDICTS)}")
    settle(id, SettleOrder.model_validate({"verdict": verdict}), served)
    return see("/inbox", "settled")
