"""*Runs*: all that was run, the newest first, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from mayfly.operations import STATUSES, RunLine, status_words
from mayfly.operations import runs as find_runs
from mayfly.serve.web.pages._frame import Site, page

if TYPE_CHECKING:
    from mayfly.store import Ledger

router = APIRouter()
# As many as fit on two screens; further ones are a page away.
_PAGE = 30
# Pages that a search looks through at a time, so that a rare word does not read all that ever ran.
_SEARCHED = 20


@router.get("/runs")
def list_runs(
    request: Request,
    served: Site,
    status: str = "",
    search: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> HTMLResponse:
    """Show runs that stand so and whose words have the text."""
    wanted = (status,) if status in STATUSES else ()
    found, more = list_page(served.runtime.ledger, wanted, before, search.casefold())
    kept = {name: value for name, value in (("status", "".join(wanted)), ("search", search)) if value}
    older = f"/runs?{urlencode({**kept, 'before': found[-1].number})}" if found and more else ""
    return page(
        request,
        "runs.html",
        runs=found,
        older=older,
        newest=f"/runs?{urlencode(kept)}" if before is not None else "",
        statuses=[("", "all"), *((one, status_words(one)) for one in STATUSES)],
        chosen="".join(wanted),
        search=search,
        narrowed=bool(kept) or before is not None,
    )


def list_page(
    ledger: Ledger, status: tuple[str, ...] = (), before: int | None = None, search: str = ""
) -> tuple[list[RunLine], bool]:
    """Return a page of runs, and whether there may be more."""
    found: list[RunLine] = []
    for _ in range(_SEARCHED):
        some = find_runs(ledger, last=_PAGE + 1, status=status, before=before)
        # What was only compiled has a story and no end: its tool tells the rest.
        found += [one for one in some if one.id.startswith("r-") and search in one.intent.casefold()]
        if len(some) <= _PAGE or len(found) > _PAGE:
            return found[:_PAGE], len(found) > _PAGE
        before = some[-1].number
    return found[:_PAGE], bool(found)
