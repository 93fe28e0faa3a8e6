"""Who gives an order over HTTP: a name that is recorded with it."""

from __future__ import annotations

import getpass

from mayfly.core import InputError


def order_by(name: str | None) -> str:
    """Return the name to record: the one given, or whoever the server runs as."""
    if name is not None and name.strip():
        if not name.isprintable():
            raise InputError("a name holds characters that cannot be shown", fix="write it in plain letters")
        return name.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "web"
