"""The rules: which are in force, why something holds or not, whether an action is permitted, what a change would do."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request

from mayfly import operations
from mayfly.core import InputError
from mayfly.serve.web._answer import JsonAnswer, recorded
from mayfly.serve.web._served import Before, Limit, ServedRuntime, Site
from mayfly.serve.web.api._running import PermitOrder, SimulateOrder
from mayfly.serve.web.api._runs import reasons_data

if TYPE_CHECKING:
    from mayfly.persona import Desk

router = APIRouter(prefix="/policy", tags=["policy"])


def open_desk(served: ServedRuntime) -> Desk:
    """Return the rules in force in the directory that the server works in."""
    from mayfly.persona import Desk

    return Desk(served.runtime.settings, ledger=served.ledger, workspace=served.workspace)


@router.get("/rules", summary="Read the rules in force")
def list_rules(
    served: Site, search: Annotated[str, Query(max_length=200, description="Only lines with this text.")] = ""
) -> JsonAnswer:
    """Return every rule file in force with its text, or the lines that have a text; and what is not in force."""
    return recorded(operations.rules_in_force(open_desk(served).snapshot, search))


@router.get("/decisions", summary="List decisions")
def list_decisions(
    served: Site,
    limit: Limit = 50,
    before: Before = None,
    decision: Annotated[str, Query(pattern="^(permit|deny|approval)?$", description="Only decisions like this.")] = "",
) -> JsonAnswer:
    """Return what the rules decided, the newest first; `next` is the `before` of the next page."""
    return recorded(operations.decisions(served.ledger, limit=limit, before=before, decision=decision).to_json())


@router.get("/why", summary="Why a decision fell, or whether a goal holds")
def why(
    served: Site,
    of: Annotated[str, Query(min_length=1, max_length=2000, description="A decision's id, or a goal: 'persona(X)'.")],
) -> JsonAnswer:
    """Return the derivation as trees of rules and facts: why, and where it does not hold, why not."""
    return recorded(reasons_data(served, of))


@router.post("/permit", summary="Ask whether an action may be done")
def permit(order: PermitOrder, served: Site) -> JsonAnswer:
    """Return permit, deny or approval with the reasons; the question is recorded, and nothing is done."""
    facts = [] if order.tier is None else [f"tier(/{order.tier})"]
    kernel = open_desk(served).kernel(persona=order.persona, facts=facts)
    found = kernel.permitted(order.action, order.target, order.payload)
    return recorded(operations.permit_fields(found, why=order.why))


@router.post("/simulate", summary="Try changed rules on past decisions")
async def simulate(order: SimulateOrder, request: Request, served: Site) -> JsonAnswer:
    """Say what changed rules would have decided otherwise; nothing is put into force."""
    names = [one.name for one in order.files]
    if len(set(names)) < len(names):
        raise InputError("two of the files have one name", fix="give each a name of its own")

    files = {one.name: one.text for one in order.files}
    tried = await served.workroom.call(request, try_files, served, files, last=order.last)
    return recorded(tried.to_json(whole_paths=False))


def try_files(served: ServedRuntime, files: Mapping[str, str], *, last: int) -> operations.RulesTried:
    """Try changed rules, each a name and its text, on past decisions."""
    with tempfile.TemporaryDirectory(prefix="mayfly-rules-") as folder:
        paths = [Path(folder, Path(name).name) for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text, encoding="utf-8", errors="replace")
        return operations.try_rules(open_desk(served), paths, last=last)
