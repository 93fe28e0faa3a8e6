"""Read web access logs and keep the client errors."""

import re
from dataclasses import dataclass

PATTERN = re.compile(r'(\S+) \S+ (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\d+|-)')


@dataclass(frozen=True)
class AccessLog:
    """One request."""

    ip: str
    user: str | None
    time: str
    request: str
    status: int
    size: int | None


def read(line: str) -> AccessLog | None:
    """Return the request a line tells of, or nothing if it is no such line."""
    match = PATTERN.match(line)
    if match is None:
        return None
    ip, user, time, request, status, size = match.groups()
    return AccessLog(
        ip=ip,
        user=None if user == "-" else user,
        time=time,
        request=request,
        status=int(status),
        size=None if size == "-" else int(size),
    )


class ClientErrors:
    """Keep the requests that were the client's mistake."""

    def invoke(self, input: list[str]) -> list[AccessLog]:
        """Return the records with a status from 400 to 499, in order."""
        records = [read(line) for line in input]
        return [record for record in records if record is not None and 400 <= record.status < 500]
