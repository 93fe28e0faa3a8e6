"""*Market*: what is worth keeping: how programs stand, who voted, and what is missing for promotion."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly.core import InputError, Stop
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web.pages._frame import Site, page, see, word_in

router = APIRouter()
# Programs on the page, those nearest to promotion first.
_MOST = 100


@router.get("/market")
def show_market(request: Request, served: Site) -> HTMLResponse:
    """Show how programs stand."""
    promotion = served.runtime.promotion
    return page(
        request,
        "market.html",
        standings=[one.to_json() for one in promotion.standings()[:_MOST]],
        problems=promotion.problems(),
        needed=promotion.settings,
        voters=[one.name for one in promotion.identities.all() if one.own],
    )


@router.post("/market/{hash}/vote")
async def vote(request: Request, hash: str, served: Site) -> RedirectResponse:
    """Cast a signed vote; one that completes the quorum promotes."""
    form = await checked_form(request)
    choice, identity = word_in(form, "choice"), word_in(form, "identity", most=100)
    if choice not in ("for", "against"):
        raise InputError("a vote is for or against", fix="press one of the two buttons")

    def work(stop: Stop) -> object:
        return served.runtime.promotion.vote(hash, "for" if choice == "for" else "against", identity=identity)

    await served.workroom.do(request, work)
    return see("/market", "voted")
