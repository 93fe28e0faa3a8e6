"""`make_app`: the API and the pages over one runtime, behind the guard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from mayfly import __version__
from mayfly.core import Refusal, Verdict
from mayfly.serve.web._answer import handle_errors
from mayfly.serve.web._guard import ENTER, Guard
from mayfly.serve.web._passes import SESSION, Passes, set_cookie
from mayfly.serve.web._served import ServedRuntime, TreeCache, Uploads
from mayfly.serve.web._workroom import Feed, Workroom
from mayfly.serve.web.api import api_router
from mayfly.serve.web.pages import error_page, pages_router

if TYPE_CHECKING:
    from mayfly.runtime import Runtime
    from mayfly.serve.web._passes import WebOptions


def make_app(runtime: Runtime, options: WebOptions) -> FastAPI:
    """Return the application that serves *runtime*; the runtime stays the caller's to close."""
    settings = runtime.settings.web
    served = ServedRuntime(
        runtime=runtime,
        options=options,
        passes=Passes(options),
        workroom=Workroom(most=settings.calls, waiting=settings.waiting),
        uploads=Uploads(runtime.settings),
        trees=TreeCache(runtime.ledger),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        served.feeding = Feed(runtime.ledger, asyncio.get_running_loop())
        served.uploads.sweep()
        yield
        served.feed.close()
        await anyio.to_thread.run_sync(served.workroom.close)

    app = FastAPI(
        title="Mayfly",
        version=__version__,
        summary="Agents compiled on demand, proven before they fly.",
        openapi_url="/api/openapi.json",
        # Their scripts come from another host.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.served = served
    handle_errors(app, error_page)
    app.add_api_route(ENTER, _enter, include_in_schema=False)
    app.include_router(api_router(), prefix="/api")
    app.include_router(pages_router())
    app.add_middleware(Guard, options=options, settings=settings, passes=served.passes)
    return app


def _enter(request: Request, link: str = "") -> Response:
    """Let a browser in that has the link which was printed: once, and with a cookie from then on."""
    passes: Passes = request.app.state.served.passes
    if not passes.use_link(link):
        raise Refusal(
            Verdict(
                decision="reject",
                gate="web",
                code="LINK",
                message="this link was used before, is too old, or is not ours",
                fix="start mayfly serve again, or send the token: Authorization: Bearer TOKEN",
            )
        )
    # See other: the link does not stay in the address bar.
    answer = RedirectResponse("/", 303)
    answer.headers.append("set-cookie", set_cookie(SESSION, passes.make_session()).decode())
    answer.headers["cache-control"] = "no-store"
    return answer
