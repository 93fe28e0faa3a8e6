"""How things stand: health, metrics, settings, the wall of this machine, and what is worth promoting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from mayfly import __version__, operations
from mayfly.serve.web._answer import JsonAnswer, recorded
from mayfly.serve.web._served import Site
from mayfly.store import SumBy

router = APIRouter(tags=["system"])


@router.get("/health", summary="Whether the server answers")
def health(served: Site) -> JsonAnswer:
    """Answer, with how much is under way in this process."""
    import os

    said = {"status": "ok", "version": __version__, "process": os.getpid()}
    return JsonAnswer({**said, "under_way": served.workroom.under_way, "listeners": served.feed.listeners})


@router.get("/metrics", summary="Count runs, agents and fallbacks")
def get_metrics(served: Site) -> JsonAnswer:
    """Return what the ledger counts up to."""
    return recorded(operations.metrics(served.ledger).to_json())


@router.get("/config", summary="Read the settings in force")
def get_config(served: Site) -> JsonAnswer:
    """Return every setting with its value, default, owner, source and meaning; secrets are hidden."""
    return recorded({"settings": operations.settings_rows(served.runtime.settings)})


@router.get("/doctor", summary="Look at the wall of this machine")
async def doctor(request: Request, served: Site) -> JsonAnswer:
    """Say which wall this machine gives, layer by layer, how to get a better one, and how the library stands."""
    runtime = served.runtime
    found = await served.workroom.call(request, operations.doctor, runtime.settings, runtime.tools)
    return recorded(found.to_json())


@router.get("/market", summary="What was earned and spent, and which programs are worth keeping")
async def market(
    request: Request,
    served: Site,
    by: Annotated[SumBy, Query(description="One row of profit and loss for each of these.")] = "total",
    latest: Annotated[int, Query(ge=0, le=500, description="How many payments and sales, the newest ones.")] = 50,
) -> JsonAnswer:
    """Return profit and loss, what is at risk, the last payments and sales; and how programs stand: who voted for them.

    Units are whole ones of an asset's smallest unit, and different assets are never added together. Transactions are
    without their `0x`.
    """

    def work() -> dict[str, Any]:
        money = operations.market_view(served.ledger, by=by, latest=latest)
        return {**money.to_json(), **operations.standings_data(served.runtime.promotion)}

    return recorded(await served.workroom.call(request, work))
