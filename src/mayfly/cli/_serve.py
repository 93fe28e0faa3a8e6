"""`mayfly serve`, `mcp` and `ray`: pages and API, the library for programs that speak MCP, a cluster to try out."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, opened, require, show, shows
from mayfly.cli._output import AsJson, answer_json, command, group, note, prepare_server
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.core import McpSettings, WebSettings
    from mayfly.serve import HttpOptions

Host = Annotated[
    str | None, typer.Option(help="The address to listen on; any but loopback needs a token.", metavar="HOST")
]
Port = Annotated[
    int | None, typer.Option(help="The port to listen on; 0 takes a free one.", min=0, max=65535, metavar="PORT")
]


def serve(
    *,
    host: Host = None,
    port: Port = None,
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
    require("serving pages", "serve", "fastapi", "uvicorn")
    from mayfly.serve.web import WEB_TOKEN, WebOptions, serve_web

    prepare_server("serve")
    options = WebOptions(**_listening(settings.web, host, port, token_file, WEB_TOKEN))

    def ready(address: str, link: str) -> None:
        once = " (this link works once, for ten minutes)" if options.token else ""
        _say_ready(
            {"url": address, "link": link},
            f"mayfly serve: {link}{once}\nCtrl-C ends it; the API is described at /api/openapi.json",
            as_json=as_json,
        )
        if open_browser:
            import webbrowser

            webbrowser.open(link)

    serve_web(settings, options, workers=workers or settings.web.workers, ready=ready)


def _listening(
    chosen: WebSettings | McpSettings, host: str | None, port: int | None, token_file: str | None, variable: str
) -> dict[str, Any]:
    """Return where a server listens and who is let in: as it was asked for, otherwise as the settings say."""
    from mayfly.serve import read_token

    return {
        "host": host or chosen.host,
        "port": chosen.port if port is None else port,
        "token": read_token(token_file or chosen.token_file, variable),
        "hosts": tuple(one.strip() for one in chosen.hosts.split(",") if one.strip()),
    }


def _say_ready(data: dict[str, object], text: str, *, as_json: bool) -> None:
    """Say where a server can be reached, as soon as it can."""
    if as_json:
        answer_json({**data, "pid": os.getpid()})
        sys.stdout.flush()
    else:
        note(text)


def mcp(
    *,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdin and stdout.")] = False,
    host: Host = None,
    port: Port = None,
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
    require("serving MCP", "mcp", "mcp.server")
    _serve_mcp(_http_options(settings.mcp, host, port, token_file) if http else None, as_json=as_json)


def _http_options(chosen: McpSettings, host: str | None, port: int | None, token_file: str | None) -> HttpOptions:
    from mayfly.serve import MCP_TOKEN, HttpOptions, check_token_needed

    options = HttpOptions(**_listening(chosen, host, port, token_file, MCP_TOKEN))
    check_token_needed(options.host, options.token)
    return options


def _serve_mcp(options: HttpOptions | None, *, as_json: bool) -> None:
    import anyio

    from mayfly.serve import McpServer, serve_http, serve_stdio

    prepare_server("mcp")
    with opened() as runtime:
        served = McpServer(runtime)
        if options is None:
            anyio.run(serve_stdio, served)
            return
        said = " (with a token)" if options.token else ""
        anyio.run(
            partial(
                serve_http,
                served,
                options,
                ready=lambda url: _say_ready({"url": url}, f"mayfly mcp: {url}{said}", as_json=as_json),
            )
        )


def _print_config(client: str, *, as_json: bool) -> None:
    from mayfly.serve import client_config

    state = os.environ.get("MAYFLY_STATE_DIR")
    env = {"MAYFLY_STATE_DIR": str(Path(state).expanduser().absolute())} if state else {}
    found = client_config(client, [*_own_command(), "mcp"], env)
    data = {"client": client, "title": found.title, "where": found.where, "config": found.block}
    show(Shown(data, found.block, f"{found.title}: {found.where}"), as_json=as_json)


def _own_command() -> list[str]:
    """Return how this program is started from any directory: as a checkout's own script, or by its interpreter."""
    called = os.environ.get("MAYFLY_COMMAND")
    if called and Path(called).is_file():
        return [str(Path(called).absolute())]
    return [sys.executable, "-m", "mayfly.cli"]


app = group("A Ray cluster on this machine, to try things out. Use it with MAYFLY_ENGINE=ray.")


@app.command()
@shows
def up(
    *,
    nodes: Annotated[int, typer.Option("--nodes", help="How many nodes.")] = 2,
    cpus: Annotated[
        int | None, typer.Option("--cpus", help="Cores of each node; all of them shared otherwise.")
    ] = None,
) -> Shown:
    """Start a cluster that listens on loopback only and stays until `mayfly ray down`."""
    from mayfly.promise.engines import TryOut

    cluster, new = TryOut(Settings.load()).up(nodes=nodes, cpus=cpus)
    return Shown(
        {"started": new, **_cluster_fields(cluster)},
        f"{'started' if new else 'already up'}: {_sentence(cluster)}",
        "use it: MAYFLY_ENGINE=ray MAYFLY_DATABASE_URL=postgresql://...",
    )


@app.command()
@shows
def status() -> Shown:
    """Say whether the cluster is up; the exit status is 1 where it is not."""
    from mayfly.promise.engines import TryOut

    cluster = TryOut(Settings.load()).find()
    if cluster is None:
        return Shown({"up": False}, "not up", status=1)
    dead = cluster.raylets_alive.count(False)
    lost = f", {dead} of them dead; run: {command()} ray down" if dead else ""
    said = f"up: {_sentence(cluster)}{lost}" if cluster.alive else f"died; run: {command()} ray down"
    return Shown({"up": cluster.alive, **_cluster_fields(cluster)}, said, status=0 if cluster.alive else 1)


@app.command()
@shows
def down() -> Shown:
    """End the cluster, exactly the processes that `mayfly ray up` started."""
    from mayfly.promise.engines import TryOut

    cluster, killed = TryOut(Settings.load()).down()
    ended = cluster is not None
    return Shown({"ended": ended, "killed": killed}, "ended" if ended else "nothing was up")


def _sentence(cluster: Any) -> str:
    nodes = f"{cluster.nodes} node{'s' if cluster.nodes != 1 else ''}"
    cores = f"{cluster.cpus} core{'s' if cluster.cpus != 1 else ''} each"
    return f"{nodes} of {cores} at {cluster.address}"


def _cluster_fields(cluster: Any) -> dict[str, Any]:
    return {
        "address": str(cluster.address),
        "nodes": cluster.nodes,
        "cpus": cluster.cpus,
        "pid": cluster.keeper,
        "alive": sum(cluster.raylets_alive),
        "directory": cluster.directory,
    }
