"""The token without which nobody but this machine is let in: from a file of one's own, or from the environment."""

from __future__ import annotations

import hmac
import os
import stat
from ipaddress import ip_address
from pathlib import Path

from mayfly.core import InputError

VARIABLE = "MAYFLY_MCP_TOKEN"
# Fewer characters can be tried out; 32 random ones are what the hint makes.
_SHORTEST = 16
_LONGEST = 4096
_MAKE = "make one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > FILE && chmod 600 FILE"


def read_token(file: str, variable: str = VARIABLE) -> str:
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


def check_token_needed(host: str, token: str, variable: str = VARIABLE) -> None:
    """Refuse to serve others without a token."""
    if not token and not is_loopback(host):
        raise InputError(
            f"{host} can be reached from other machines, and there is no token",
            fix=f"set {variable}, or --token-file FILE; {_MAKE}",
        )


def is_token(given: str, token: str) -> bool:
    """Compare in a time that tells nothing about the token."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
