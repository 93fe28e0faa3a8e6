"""A parser of about forty lines, the size of a typical tool: what the speed of a proof is measured on."""

from __future__ import annotations

import re
from dataclasses import dataclass

PATTERN = re.compile(
    r"(?P<host>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "
    r'"(?P<method>[A-Z]+) (?P<path>\S+) [^"]+" '
    r"(?P<status>\d{3}) (?P<size>\d+|-)"
)


@dataclass(frozen=True)
class Hit:
    """One line of an access log."""

    host: str
    method: str
    path: str
    status: int
    size: int


class AccessLog:
    """Find failed requests in an access log."""

    def invoke(self, lines: list[str]) -> list[Hit]:
        """Return the hits whose status is a client's error, the largest first."""
        hits = [hit for line in lines if (hit := self._parse(line)) is not None]
        failed = [hit for hit in hits if 400 <= hit.status < 500]
        return sorted(failed, key=lambda hit: (-hit.size, hit.path))

    def _parse(self, line: str) -> Hit | None:
        match = PATTERN.match(line)
        if match is None:
            return None
        return Hit(
            host=match["host"],
            method=match["method"],
            path=match["path"].lower(),
            status=int(match["status"]),
            size=0 if match["size"] == "-" else int(match["size"]),
        )
