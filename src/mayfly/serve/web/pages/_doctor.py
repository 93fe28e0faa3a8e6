"""*Doctor*: which wall this machine gives, layer by layer, and how the library and the ledger stand."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from mayfly.serve.web.api._system import doctor_data
from mayfly.serve.web.pages._frame import Site, page

router = APIRouter()


@router.get("/doctor")
def show_doctor(request: Request, served: Site) -> HTMLResponse:
    """Show what a look at the machine finds."""
    ledger = served.runtime.ledger
    found = {**doctor_data(served), "events": ledger.count(), "attacked": ledger.last(kind="doctor.attacked")}
    return page(request, "doctor.html", found=found)
