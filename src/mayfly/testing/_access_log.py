"""An access log of any size, to try out what is done with large files."""

from __future__ import annotations

import random
from pathlib import Path

MEGABYTE = 1024 * 1024
# One in three requests goes wrong or elsewhere, so that every kind of answer is in a log of a few hundred lines.
STATUS = (200,) * 12 + (301, 304, 304, 400, 401, 403, 404, 404, 499, 500, 502)
PATHS = ("/", "/index.html", "/login", "/api/items", "/api/items/7", "/static/app.js", "/favicon.ico", "/admin")
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "curl/8.4.0", "Go-http-client/1.1", "-")
# Lines are made in blocks that repeat: writing a large log then costs no more than copying it.
BLOCK = 4000


def write_access_log(path: Path, megabytes: float, *, seed: int = 7) -> Path:
    """Write an access log of about that size; the same seed gives the same log."""
    chance = random.Random(seed)
    blocks = ["".join(_line(chance, minute) for _ in range(BLOCK)) for minute in range(8)]
    left = int(megabytes * MEGABYTE)
    with path.open("w", encoding="ascii", newline="\n") as file:
        while left > 0:
            left -= file.write(chance.choice(blocks))
    return path


def _line(chance: random.Random, minute: int) -> str:
    address = ".".join(str(chance.randint(1, 254)) for _ in range(4))
    at = f"12/Mar/2024:10:{minute:02}:{chance.randint(0, 59):02} +0000"
    request = f"{chance.choice(('GET', 'GET', 'POST', 'HEAD'))} {chance.choice(PATHS)} HTTP/1.1"
    end = f'{chance.choice(STATUS)} {chance.randint(0, 90_000)} "-" "{chance.choice(AGENTS)}"'
    return f'{address} - - [{at}] "{request}" {end}\n'
