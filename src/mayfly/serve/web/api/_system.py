"""How things stand: health, metrics, settings, the wall of this machine, and what is worth promoting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from mayfly import __version__
from mayfly.core import SecretFields, Stop, is_secret_name
from mayfly.serve.web._answer import Answer, recorded
from mayfly.serve.web._served import Served, served_by
from mayfly.store import SumBy

router = APIRouter(tags=["system"])
Site = Annotated[Served, Depends(served_by)]


@router.get("/health", summary="Whether the server answers")
def health(served: Site) -> Answer:
    """Answer, with how much is under way in this process."""
    import os

    said = {"status": "ok", "version": __version__, "process": os.getpid()}
    return Answer({**said, "under_way": served.workroom.under_way, "listeners": served.feed.listeners})


@router.get("/metrics", summary="Count runs, agents and fallbacks")
def get_metrics(served: Site) -> Answer:
    """Return what the ledger counts up to."""
    from mayfly.operations import metrics

    return recorded(metrics(served.runtime.ledger).fields())


@router.get("/config", summary="Read the settings in force")
def get_config(served: Site) -> Answer:
    """Return every setting with its value, default, owner, source and meaning; secrets are hidden."""
    rows = []
    for row in served.runtime.settings.show():
        fields = row._asdict()
        if isinstance(fields["value"], str):
            hidden = is_secret_name(row.key) and not row.key.endswith("_file")
            fields["value"] = "(hidden)" if hidden and fields["value"] else SecretFields().said(fields["value"])
        rows.append({**fields, "variable": row.variable})
    return recorded({"settings": rows})


@router.get("/doctor", summary="Look at the wall of this machine")
async def doctor(request: Request, served: Site) -> Answer:
    """Say which wall this machine gives, layer by layer, how to get a better one, and how the library stands."""
    return recorded(await served.workroom.do(request, lambda stop: doctor_data(served, stop)))


def doctor_data(served: Served, stop: Stop | None = None) -> dict[str, Any]:
    """Return what a look at the machine and at the library finds."""
    from mayfly.runtime import left_by_staging
    from mayfly.sandbox import diagnose

    found = diagnose(served.runtime.settings.sandbox)
    tools = served.runtime.tools
    return {
        "level": found.level,
        "reason": found.reason,
        "layers": [{"name": x.name, "ok": x.ok, "detail": x.detail, "fix": x.fix} for x in found.layers],
        "library": {"tools": len(tools.list()), "problems": list(tools.problems())},
        "left_by_staging": left_by_staging(),
    }


@router.get("/market", summary="What was earned and spent, and which programs are worth keeping")
async def market(
    request: Request,
    served: Site,
    by: Annotated[SumBy, Query(description="One row of profit and loss for each of these.")] = "total",
    latest: Annotated[int, Query(ge=0, le=500, description="How many payments and sales, the newest ones.")] = 50,
) -> Answer:
    """Return profit and loss, what is at risk, the last payments and sales; and how programs stand: who voted for them.

    Units are whole ones of an asset's smallest unit, and different assets are never added together. Transactions are
    without their `0x`.
    """

    def work(stop: Stop) -> dict[str, Any]:
        from mayfly.operations import market_view

        promotion = served.runtime.promotion
        money = market_view(served.runtime.ledger, by=by, latest=latest).fields()
        found = [one.to_json() for one in promotion.standings()]
        needed = {"runs": promotion.settings.runs, "quorum": promotion.settings.quorum}
        return {**money, "capabilities": found, "problems": list(promotion.problems()), "needed": needed}

    return recorded(await served.workroom.do(request, work))
