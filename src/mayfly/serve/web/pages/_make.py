"""*Make a tool*: say what it does, give a few examples or its source; it serves once it is proven."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from mayfly.core import ConflictError, InputError, Stop
from mayfly.library import ToolMade
from mayfly.serve.web._passes import checked_form
from mayfly.serve.web._who import order_by
from mayfly.serve.web.pages._examples import examples_in
from mayfly.serve.web.pages._frame import Site, for_pages, page, see, word_in

router = APIRouter()
# Characters of a source or of examples; more is no tool any more.
_LARGEST = 200_000
_FIELDS = ("intent", "name", "examples", "source", "tests")


@router.get("/make")
def show_form(request: Request, intent: str = "") -> HTMLResponse:
    """Show the empty form, or one with what somebody looked for in vain."""
    return page(
        request,
        "make.html",
        typed={**dict.fromkeys(_FIELDS, ""), "intent": intent[:500]},
        weak=False,
        wrong="",
        made=None,
    )


@router.post("/make")
async def make_tool(request: Request, served: Site) -> Response:
    """Have a tool made; one that is refused leaves what was typed in the form, with the reason above it."""
    form = await checked_form(request)
    typed = {name: word_in(form, name, most=_LARGEST) for name in _FIELDS}
    weak = word_in(form, "accept_weak") == "on"
    made: ToolMade | None = None
    try:
        order = _order(typed)

        def work(stop: Stop) -> ToolMade:
            return served.runtime.tools.write(typed["intent"], **order, accept_weak=weak, by=order_by(None))

        made = await served.workroom.do(request, work)
        wrong = for_pages(made.reason)
    except (InputError, ConflictError) as error:
        wrong = str(error)
    if made is not None and made.accepted:
        return see(f"/library/{made.name}", "made")
    return page(request, "make.html", status=422, typed=typed, weak=weak, wrong=wrong, made=made)


def _order(typed: dict[str, str]) -> dict[str, Any]:
    if not (typed["intent"] or typed["source"]):
        raise InputError("it was not said what the tool does", fix="say it in a few words, or paste its source")
    # A browser ends lines as its system does; Python and the hash of a source are of one opinion.
    texts = {name: typed[name].replace("\r\n", "\n") or None for name in ("source", "tests")}
    return {"name": typed["name"], "examples": examples_in(typed["examples"]), **texts}
