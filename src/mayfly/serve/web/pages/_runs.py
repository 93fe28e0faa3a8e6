"""*Runs*: all that was run, the newest first, a page at a time."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from mayfly import operations
from mayfly.core import ending_of
from mayfly.serve.web._served import Site
from mayfly.serve.web.pages._frame import page

router = APIRouter()
# As many as fit on two screens; further ones are a page away.
_PAGE = 30


@router.get("/runs")
def list_runs(
    request: Request,
    served: Site,
    status: str = "",
    search: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> HTMLResponse:
    """Show runs that stand so and whose words have the text."""
    wanted = (status,) if status in operations.STATUSES else ()
    # What was only compiled has a story and no end: its tool tells the rest.
    found = operations.search_runs(
        served.ledger, last=_PAGE, status=wanted, before=before, search=search, compilations=False
    )
    kept = {name: value for name, value in (("status", "".join(wanted)), ("search", search)) if value}
    older = f"/runs?{urlencode({**kept, 'before': found.next})}" if found.next is not None else ""
    return page(
        request,
        "runs.html",
        runs=found.runs,
        older=older,
        newest=f"/runs?{urlencode(kept)}" if before is not None else "",
        statuses=[("", "all"), *((one, ending_of(one)) for one in operations.STATUSES)],
        chosen="".join(wanted),
        search=search,
        narrowed=bool(kept) or before is not None,
    )
