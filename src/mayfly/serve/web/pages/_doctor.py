"""*Doctor*: which wall this machine gives, layer by layer, and how the library and the ledger stand."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from mayfly.serve.web._served import Site
from mayfly.serve.web.api._system import look_at_machine
from mayfly.serve.web.pages._frame import page

router = APIRouter()


@router.get("/doctor")
def show_doctor(request: Request, served: Site) -> HTMLResponse:
    """Show what a look at the machine finds."""
    ledger = served.ledger
    attacked = ledger.last(kind="doctor.attacked")
    found = {**look_at_machine(served).to_json(), "events": ledger.count(), "attacked": attacked}
    return page(request, "doctor.html", found=found)
