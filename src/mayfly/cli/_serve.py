"""`mayfly serve`: the pages and the HTTP API."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from mayfly.cli._output import AsJson, answer_json, note, prepare_server
from mayfly.core import MachineError, Settings


def serve(
    *,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on; any but loopback needs a token.", metavar="HOST")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; 0 takes a free one.", min=0, max=65535, metavar="PORT")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many processes answer requests.", min=1, max=64, metavar="N")
    ] = None,
    token_file: Annotated[
        str | None,
        typer.Option(help="A file with the token that clients send; or set MAYFLY_WEB_TOKEN.", metavar="FILE"),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the pages in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the pages and the HTTP API until Ctrl-C.

    On loopback this machine is let in; for anybody else it takes a token. Where there is one, a link is printed that
    lets one browser in, once.
    """
    settings = Settings.load()
    _load_framework()
    from mayfly.serve import read_token
    from mayfly.serve.web import WEB_TOKEN, WebOptions, serve_web

    prepare_server("serve")
    chosen = settings.web
    options = WebOptions(
        host=host or chosen.host,
        port=chosen.port if port is None else port,
        token=read_token(token_file or chosen.token_file, WEB_TOKEN),
        hosts=tuple(one.strip() for one in chosen.hosts.split(",") if one.strip()),
    )

    def ready(address: str, link: str) -> None:
        if as_json:
            answer_json({"url": address, "link": link, "pid": os.getpid()})
            sys.stdout.flush()
        else:
            note(f"mayfly serve: {link}" + (" (this link works once, for ten minutes)" if options.token else ""))
            note("Ctrl-C ends it; the API is described at /api/openapi.json")
        if open_browser:
            import webbrowser

            webbrowser.open(link)

    serve_web(settings, options, workers=workers or chosen.workers, ready=ready)


def _load_framework() -> None:
    try:
        import fastapi  # noqa: F401 -- whether they are there
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MachineError(
            f"serving pages needs the package fastapi and others ({error})", fix="pip install 'mayfly-agents[serve]'"
        ) from None
