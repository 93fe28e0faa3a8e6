"""Where a server listens, under which names it is asked for, the token for others; and the server of a shop."""

from __future__ import annotations

import errno
import hmac
import os
import socket
import stat
import threading
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mayfly.core import InputError, MachineError

if TYPE_CHECKING:
    import uvicorn

    from mayfly.market.seller import Seller

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


MCP_TOKEN = "MAYFLY_MCP_TOKEN"
# Fewer characters can be tried out; 32 random ones are what the hint makes.
_SHORTEST = 16
_LONGEST = 4096
_MAKE = "make one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > FILE && chmod 600 FILE"


def read_token(file: str, variable: str = MCP_TOKEN) -> str:
    """Return the token; nothing where there is none. One that anybody could read or guess is refused."""
    # Taken out of the environment, so that nothing that is started later finds it there.
    token = os.environ.pop(variable, "").strip()
    if file:
        token = _from_file(Path(file).expanduser())
    if token and not (_SHORTEST <= len(token) <= _LONGEST and token.isascii() and token.isprintable()):
        raise InputError(f"the token needs at least {_SHORTEST} plain characters", fix=_MAKE)
    if token and " " in token:
        raise InputError("the token holds a blank, which no header can carry", fix=_MAKE)
    return token


def _from_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(f"others can read the token in {path}", fix=f"chmod 600 {path}")
            text = file.read(_LONGEST + 1).decode("ascii", "replace").strip()
    except OSError as error:
        raise InputError(f"cannot read the token file {path}: {error.strerror}", fix=_MAKE) from None
    if not text:
        raise InputError(f"the token file {path} is empty", fix=_MAKE)
    return text


def is_loopback(host: str) -> bool:
    """Whether an address is one that only this machine reaches."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_token_needed(host: str, token: str, variable: str = MCP_TOKEN) -> None:
    """Refuse to serve others without a token."""
    if not token and not is_loopback(host):
        raise InputError(
            f"{host} can be reached from other machines, and there is no token",
            fix=f"set {variable}, or --token-file FILE; {_MAKE}",
        )


def is_token(given: str, token: str) -> bool:
    """Compare in a time that tells nothing about the token."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


# Seconds that requests have to end in once the server has to; a sale that is cut off is taken up by the next start.
_GRACE = 5


def serve_shop(
    app: object, seller: Seller, *, host: str, port: int, every: float, ready: Callable[[str], None]
) -> None:
    """Serve until somebody ends the process; what was left open is looked at first, and again *every* so many seconds.

    *ready* is told the address as soon as it can be used.
    """
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            seller.recover()
            ended.wait(every)

    with listen(host, port) as bound:
        server = uvicorn_server(app, _GRACE)
        looking = threading.Thread(target=look, name="market-recover", daemon=True)
        looking.start()
        ready(address_of(bound))
        try:
            server.run(sockets=[bound])
        finally:
            ended.set()
            looking.join(_GRACE)
