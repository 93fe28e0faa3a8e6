"""`mayfly serve` and `mcp`: the pages and the HTTP API for people, the library for every program that speaks MCP."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import AsJson, answer, answer_json, note, prepare_server
from mayfly.core import InputError, MachineError, Settings

if TYPE_CHECKING:
    from mayfly.serve import HttpOptions


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


def mcp(
    *,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdin and stdout.")] = False,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on; any but loopback needs a token.", metavar="HOST")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; 0 takes a free one.", min=0, max=65535, metavar="PORT")
    ] = None,
    token_file: Annotated[
        str | None,
        typer.Option(help="A file with the token that clients send; or set MAYFLY_MCP_TOKEN.", metavar="FILE"),
    ] = None,
    print_config: Annotated[
        str | None,
        typer.Option(help="Print what goes into the configuration of a client, and stop.", metavar="CLIENT"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve the library to programs that speak MCP: to one on stdin and stdout, or to many with --http.

    Coding agents find, make and call tools with it. CLIENT is one of claude-code, claude-desktop, codex, cursor,
    gemini, opencode, vscode, zed.
    """
    settings = Settings.load()
    if print_config is not None:
        _print_config(print_config, as_json=as_json)
        return
    if not http and (host, port, token_file) != (None, None, None):
        raise InputError("--host, --port and --token-file go with --http", fix="add --http")
    if not http and as_json:
        raise InputError("--json goes with --http or --print-config: stdout is the client's here")
    _load_sdk()
    options = _http_options(settings, host, port, token_file) if http else None
    _serve_mcp(settings, options, as_json=as_json)


def _http_options(settings: Settings, host: str | None, port: int | None, token_file: str | None) -> HttpOptions:
    from mayfly.serve import HttpOptions, check_token_needed, read_token

    chosen = settings.mcp
    options = HttpOptions(
        host=host or chosen.host,
        port=chosen.port if port is None else port,
        token=read_token(token_file or chosen.token_file),
        hosts=tuple(one.strip() for one in chosen.hosts.split(",") if one.strip()),
    )
    check_token_needed(options.host, options.token)
    return options


def _load_sdk() -> None:
    try:
        import mcp.server  # noqa: F401 -- whether it is there
    except ImportError as error:
        raise MachineError(
            f"serving MCP needs the package mcp ({error})", fix="pip install 'mayfly-agents[mcp]'"
        ) from None


def _serve_mcp(settings: Settings, options: HttpOptions | None, *, as_json: bool) -> None:
    import anyio

    from mayfly.runtime import Runtime
    from mayfly.serve import McpServer, serve_http, serve_stdio

    prepare_server("mcp")

    def ready(url: str) -> None:
        if as_json:
            answer_json({"url": url, "pid": os.getpid()})
            sys.stdout.flush()
        else:
            note(f"mayfly mcp: {url}" + ("" if options is None or not options.token else " (with a token)"))

    with Runtime(settings) as runtime:
        served = McpServer(runtime)
        if options is None:
            anyio.run(serve_stdio, served)
        else:
            anyio.run(lambda: serve_http(served, options, ready=ready))


def _print_config(client: str, *, as_json: bool) -> None:
    from mayfly.serve import client_config

    state = os.environ.get("MAYFLY_STATE_DIR")
    env = {"MAYFLY_STATE_DIR": str(Path(state).expanduser().absolute())} if state else {}
    found = client_config(client, [*_own_command(), "mcp"], env)
    if as_json:
        answer_json({"client": client, "title": found.title, "where": found.where, "config": found.block})
        return
    note(f"{found.title}: {found.where}")
    answer(found.block)


def _own_command() -> list[str]:
    """Return how this program is started from any directory: as a checkout's own script, or by its interpreter."""
    called = os.environ.get("MAYFLY_COMMAND")
    if called and Path(called).is_file():
        return [str(Path(called).absolute())]
    return [sys.executable, "-m", "mayfly.cli"]
