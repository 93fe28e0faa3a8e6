"""Read access logs; wrong on purpose: a server's errors are taken for the client's."""

import re
from dataclasses import dataclass
from typing import Iterable, Iterator, Optional

PATTERN = re.compile(r'(\S+) \S+ (\S+) \[([^\]]+)\] "([^"]*)" (\d{3}) (\d+|-)')


@dataclass(frozen=True)
class AccessLog:
    """One request."""

    ip: str
    user: str
    timestamp: str
    request: str
    status: int
    size: Optional[int]


class ErrorFinder:
    """Find requests that went wrong."""

    def invoke(self, input: Iterable[str]) -> Iterator[AccessLog]:
        """Yield a record for each error."""
        for line in input:
            match = PATTERN.match(line)
            if match and int(match[5]) >= 400:
                size = None if match[6] == "-" else int(match[6])
                yield AccessLog(match[1], match[2], match[3], match[4], int(match[5]), size)
