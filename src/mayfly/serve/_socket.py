"""Where a server listens, and under which names it is asked for there."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import MachineError
from mayfly.serve._token import is_loopback

if TYPE_CHECKING:
    import uvicorn

# Connections that wait to be taken up.
_BACKLOG = 512


def served_names(host: str, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names a server goes by: any where it listens everywhere and nobody says which, with a token."""
    if is_loopback(host):
        return ("localhost", *hosts)
    everywhere = host in ("0.0.0.0", "::", "[::]")
    return hosts or ("*",) if everywhere else (host.strip("[]"), *hosts)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; an address that cannot be had is one line."""
    # The name may be given to another address elsewhere; here it is meant as this machine.
    address = "127.0.0.1" if host.lower() == "localhost" else host.strip("[]")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        bound = socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        said = "the port is in use" if taken else getattr(error, "strerror", None) or str(error)
        raise MachineError(f"cannot listen on {host}:{port}: {said}", fix="another port: --port 0") from None
    # What is taken up from it inherits this. Otherwise an answer in two pieces waits 40 ms until the client says that
    # it has the first one: asyncio sets it only on sockets that were made with the protocol's number.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def address_of(bound: socket.socket) -> str:
    """Return where *bound* listens, as the beginning of an address."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def uvicorn_server(app: object, grace: int, **more: Any) -> uvicorn.Server:
    """Return the server of an application: it logs nothing by itself, and requests have *grace* seconds to end in."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            cast("Any", app),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=grace,
            lifespan="on",
            **more,
        )
    )
