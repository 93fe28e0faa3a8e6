"""*Market* and *Doctor*: money, what is at risk, how programs stand; and which wall this machine gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from mayfly.core import InputError
from mayfly.operations import ProfitAndLoss, ProfitRow, doctor, market_view, standings_data
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._served import Site
from mayfly.serve.web.pages._frame import page, see, svg, word_in
from mayfly.serve.web.pages._plots import Bar, bar_plot

router = APIRouter()
# Programs on the page, those nearest to promotion first.
_MOST = 100
# Payments and sales on the page, those that moved last; the API has more of them.
_LATEST = 25
# By what profit and loss is shown, in the order of the buttons.
_WAYS = ("tool", "strategy", "host", "day")


@router.get("/market")
def show_market(
    request: Request, served: Site, by: Annotated[Literal["tool", "strategy", "host", "day"], Query()] = "tool"
) -> HTMLResponse:
    """Show money and how programs stand."""
    promotion = served.runtime.promotion
    money = market_view(served.ledger, by=by, latest=_LATEST)
    standings = standings_data(promotion)
    return page(
        request,
        "market.html",
        by=by,
        ways=_WAYS,
        money=money,
        assets=list(_assets(money.pnl)),
        standings=standings["capabilities"][:_MOST],
        problems=standings["problems"],
        needed=standings["needed"],
        voters=[one.name for one in promotion.identities.all() if one.own],
    )


@router.post("/market/{hash}/vote")
async def vote(request: Request, hash: str, served: Site) -> RedirectResponse:
    """Cast a signed vote; one that completes the quorum promotes."""
    form = await checked_form(request)
    choice, identity = word_in(form, "choice"), word_in(form, "identity", most=100)
    if choice not in ("for", "against"):
        raise InputError("a vote is for or against", fix="press one of the two buttons")

    cast = served.runtime.promotion.vote
    await served.workroom.call(request, cast, hash, "for" if choice == "for" else "against", identity=identity)
    return see("/market", "voted")


def _assets(found: ProfitAndLoss) -> Iterator[dict[str, Any]]:
    """Yield each asset with its rows, its total and a plot: different ones are never added together, nor compared."""
    for total in found.totals:
        kind = (total.network, total.asset, total.decimals)
        rows = [row for row in found.rows if (row.network, row.asset, row.decimals) == kind]
        bars = [bar for row in rows for bar in _bars(row)]
        yield {"total": total, "rows": rows, "plot": svg(bar_plot(bars, title=f"earned and spent by {found.by}"))}


def _bars(row: ProfitRow) -> Iterator[Bar]:
    """Yield what a row earned, spent and may have spent, each where there is some."""
    shown, key = row.shown(), row.key or "none"
    for name, units, sign, kind in (
        ("revenue", row.revenue, "+", "good"),
        ("cost", row.cost, "−", "bad"),
        ("at_risk", row.at_risk, "?", "warn"),
    ):
        if units:
            # As a float it is only drawn; the words at its end are exact.
            yield Bar(key, units / 10**row.decimals, f"{sign}{shown[name]}", kind)


@router.get("/doctor")
def show_doctor(request: Request, served: Site) -> HTMLResponse:
    """Show what a look at the machine finds."""
    ledger = served.ledger
    attacked = ledger.last(kind="doctor.attacked")
    looked = doctor(served.runtime.settings, served.runtime.tools)
    found = {**looked.to_json(), "events": ledger.count(), "attacked": attacked}
    return page(request, "doctor.html", found=found)
