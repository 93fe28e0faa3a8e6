"""The pages: what a person sees of `mayfly serve`. Made on the server; a small script makes them live."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

__all__ = ["error_page", "pages_router"]

_HEADINGS = {403: "That is not allowed", 404: "There is nothing here", 409: "Somebody else was first"}
_KINDS = {"mayfly.css": "text/css", "mayfly.js": "text/javascript", "mayfly.svg": "image/svg+xml"}


def pages_router() -> APIRouter:
    """Return the routes of all pages."""
    from mayfly.serve.web.pages import _chat, _home, _library, _policy, _run

    router = APIRouter(include_in_schema=False)
    for one in (_home, _run, _chat, _library, _policy):
        router.include_router(one.router)
    router.add_api_route("/static/{name}", _static)
    return router


def _static(name: str, request: Request) -> Response:
    """Return one of our three files; a browser asks whether it has changed and is told so in a few bytes."""
    from mayfly.core import content_hash
    from mayfly.serve.web._answer import NotFound
    from mayfly.serve.web.pages._frame import HERE

    if name not in _KINDS:
        raise NotFound(f"there is no /static/{name}")
    data = (HERE / "static" / name).read_bytes()
    mark = f'"{content_hash(data.decode())[:20]}"'
    headers = {"ETag": mark, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=_KINDS[name], headers=headers)


def error_page(request: Request, status: int, error: Mapping[str, str]) -> HTMLResponse:
    """Return the page that says what went wrong, for a browser that asked for a page."""
    from mayfly.serve.web.pages._frame import page

    heading = _HEADINGS.get(status, "That did not work")
    said = {"message": error["message"], "fix": error["fix"].replace("/api/openapi.json", "the pages on the left")}
    # A form has no page of its own; the one it was on has the same beginning.
    back = "/" + request.url.path.strip("/").partition("/")[0]
    return page(request, "error.html", status=status, heading=heading, back="/" if back == "/ask" else back, **said)
