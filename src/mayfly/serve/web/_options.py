"""`WebOptions`: where the server listens, who is let in, and the key that its processes share."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class WebOptions:
    """Where to listen, and who is let in.

    *key* signs cookies and forms, *spent* is a directory in which links that were used are marked: all processes of a
    server have the same.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    spent: Path | None = None
