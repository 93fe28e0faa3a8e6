"""MCP over streamable HTTP: on loopback, or for others with a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mcp.server.transport_security import TransportSecuritySettings

from mayfly.serve._door import App, Door
from mayfly.serve._socket import address_of, listen, served_names, uvicorn_server
from mayfly.serve._token import check_token_needed

if TYPE_CHECKING:
    from mayfly.serve._server import McpServer

PATH = "/mcp"
# Seconds that requests have to end in once the server has to; then they are ended.
_GRACE = 2


@dataclass(frozen=True, kw_only=True)
class HttpOptions:
    """Where to listen, and who is let in."""

    host: str
    port: int
    token: str = ""
    hosts: tuple[str, ...] = ()


async def serve_http(mcp: McpServer, options: HttpOptions, *, ready: Callable[[str], None]) -> None:
    """Serve until somebody ends the process; *ready* is told the address as soon as it can be used."""
    check_token_needed(options.host, options.token)
    with listen(options.host, options.port) as bound:
        server = uvicorn_server(make_app(mcp, options), _GRACE)
        # The socket listens already: who connects now waits a moment for the answer.
        ready(f"{address_of(bound)}{PATH}")
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
    return Door(cast("Any", inner), hosts=served_names(options.host, options.hosts), token=options.token)
