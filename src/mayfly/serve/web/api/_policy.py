"""The rules: which are in force, why something holds or not, whether an action is permitted, what a change would do."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from mayfly.core import InputError, Stop
from mayfly.serve.web._answer import Answer, recorded
from mayfly.serve.web._served import Served, served_by
from mayfly.serve.web._wrong import looked_up
from mayfly.serve.web.api._orders import PermitOrder, SimulateOrder
from mayfly.serve.web.api._pages import Before, Limit

if TYPE_CHECKING:
    from mayfly.runtime import Desk

router = APIRouter(prefix="/policy", tags=["policy"])
Site = Annotated[Served, Depends(served_by)]


def open_desk(served: Served) -> Desk:
    """Return the rules in force in the directory that the server works in."""
    from mayfly.runtime import Desk

    return Desk(served.runtime.settings, ledger=served.runtime.ledger, workspace=served.workspace)


@router.get("/rules", summary="Read the rules in force")
def list_rules(
    served: Site, search: Annotated[str, Query(max_length=200, description="Only lines with this text.")] = ""
) -> Answer:
    """Return every rule file in force with its text, or the lines that have a text; and what is not in force."""
    return recorded(rules_data(served, search))


def rules_data(served: Served, search: str = "") -> dict[str, Any]:
    """Return the rules in force."""
    snapshot = open_desk(served).snapshot
    files = []
    for file in (*snapshot.rules, *snapshot.policies.values()):
        lines = file.text.splitlines()
        wanted = search.casefold()
        matches = [
            {"line": number, "text": line}
            for number, line in enumerate(lines, 1)
            if wanted and wanted in line.casefold()
        ]
        if search and not matches:
            continue
        text = {"matches": matches} if search else {"text": file.text}
        files.append(
            {"name": file.name, "shipped": file.base, "restricts": file.restricts, "lines": len(lines), **text}
        )
    return {"hash": snapshot.hash, "files": files, "problems": [str(one) for one in snapshot.problems]}


@router.get("/decisions", summary="List decisions")
def list_decisions(
    served: Site,
    limit: Limit = 50,
    before: Before = None,
    decision: Annotated[str, Query(pattern="^(permit|deny|approval)?$", description="Only decisions like this.")] = "",
) -> Answer:
    """Return what the rules decided, the newest first; `next` is the `before` of the next page."""
    found: list[dict[str, Any]] = []
    last = None
    for event in _backwards(served, before):
        if decision and event.payload.get("decision") != decision:
            continue
        if len(found) == limit:
            last = found[-1]["number"]
            break
        found.append({"number": event.id, "id": event.subject, "at": event.at.isoformat(), **event.payload})
    return recorded({"decisions": found, "next": last})


def _backwards(served: Served, before: int | None) -> Any:
    """Yield decisions, the newest first, of the last that were recorded."""
    ledger = served.runtime.ledger
    # As many as a person scrolls through; older ones are found by their ids.
    after = ledger.before_last(5000, kind="policy.decided")
    found = list(ledger.read(kind="policy.decided", after=after))
    return (one for one in reversed(found) if before is None or one.id < before)


@router.get("/why", summary="Why a decision fell, or whether a goal holds")
def why(
    served: Site,
    of: Annotated[str, Query(min_length=1, max_length=2000, description="A decision's id, or a goal: 'persona(X)'.")],
) -> Answer:
    """Return the derivation as trees of rules and facts: why, and where it does not hold, why not."""
    from mayfly.serve._reasons import reasons_for

    with looked_up():
        reply = reasons_for(served.runtime, of)
    return recorded({**reply.data, "words": reply.text.splitlines()})


@router.post("/permit", summary="Ask whether an action may be done")
def permit(order: PermitOrder, served: Site) -> Answer:
    """Return permit, deny or approval with the reasons; the question is recorded, and nothing is done."""
    from mayfly.mangle import to_json

    facts = [] if order.tier is None else [f"tier(/{order.tier})"]
    found = (
        open_desk(served)
        .kernel(persona=order.persona, facts=facts)
        .permitted(order.action, order.target, order.payload)
    )
    fields: dict[str, Any] = {"decision": found.decision, "because": list(found.because), "id": found.id}
    fields["reasons"] = [reason.to_json() for reason in found.reasons]
    if order.why:
        fields |= {"why": [to_json(tree) for tree in found.trees()], "permitted_if": list(found.remedies())}
    return recorded(fields)


@router.post("/simulate", summary="Try changed rules on past decisions")
async def simulate(order: SimulateOrder, request: Request, served: Site) -> Answer:
    """Say what changed rules would have decided otherwise; nothing is put into force."""
    names = [one.name for one in order.files]
    if len(set(names)) < len(names):
        raise InputError("two of the files have one name", fix="give each a name of its own")

    def work(stop: Stop) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="mayfly-rules-") as folder:
            for one in order.files:
                Path(folder, one.name).write_text(one.text, encoding="utf-8", errors="replace")
            paths = [Path(folder, name) for name in names]
            tried, differences = open_desk(served).simulate(paths, last=order.last)
        return {"tried": tried, "differences": [_difference(one) for one in differences]}

    return recorded(await served.workroom.do(request, work))


def _difference(one: Any) -> dict[str, Any]:
    place = {"file": Path(one.place.file).name if one.place else None, "line": one.place.line if one.place else None}
    return {"id": one.id, "asked": one.asked, "before": one.before, "after": one.after, "rule": one.rule, **place}
