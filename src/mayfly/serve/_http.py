"""MCP over streamable HTTP: on loopback, or for others with a token."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mcp.server.transport_security import TransportSecuritySettings

from mayfly.core import MachineError
from mayfly.serve._door import App, Door
from mayfly.serve._token import check_token_needed, is_loopback

if TYPE_CHECKING:
    from mayfly.serve._server import McpServer

PATH = "/mcp"
# Seconds that requests have to end in once the server has to; then they are ended.
_GRACE = 2
# Connections that wait to be taken up.
_BACKLOG = 512


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """Where to listen, and who is let in."""

    host: str
    port: int
    token: str = ""
    hosts: tuple[str, ...] = ()


async def serve_http(mcp: McpServer, options: HttpOptions, *, ready: Callable[[str], None]) -> None:
    """Serve until somebody ends the process; *ready* is told the address as soon as it can be used."""
    import uvicorn

    check_token_needed(options.host, options.token)
    bound = _listen(options.host, options.port)
    with bound:
        host, port = bound.getsockname()[:2]
        config = uvicorn.Config(
            make_app(mcp, options),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
            lifespan="on",
        )
        server = uvicorn.Server(config)
        # The socket listens already: who connects now waits a moment for the answer.
        ready(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
        await server.serve(sockets=[bound])


def make_app(mcp: McpServer, options: HttpOptions) -> App:
    """Return the application behind its door."""
    settings = mcp.settings
    inner = mcp.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.body,
        session_idle_timeout=settings.idle,
        max_sessions=settings.sessions,
        # The door looks at hosts and origins, and at more than the SDK does.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        host=options.host,
    )
    return Door(cast("Any", inner), hosts=_names(options), token=options.token)


def _names(options: HttpOptions) -> tuple[str, ...]:
    """Return the names this server goes by: any where it listens everywhere and nobody says which, with a token."""
    if is_loopback(options.host):
        return ("localhost", *options.hosts)
    everywhere = options.host in ("0.0.0.0", "::", "[::]")
    return options.hosts or ("*",) if everywhere else (options.host.strip("[]"), *options.hosts)


def _listen(host: str, port: int) -> socket.socket:
    # The name may be given to another address elsewhere; here it is meant as this machine.
    address = "127.0.0.1" if host.lower() == "localhost" else host.strip("[]")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise MachineError(f"cannot listen on {host}:{port}: {said}", fix="another port: --port 0") from None
