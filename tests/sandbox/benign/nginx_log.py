"""Parse access log lines and report the client errors."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

ARGUMENT = [
    '10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /index.html HTTP/1.1" 200 2326 "-" "Mozilla/5.0"',
    '10.0.0.2 - bob [10/Oct/2000:13:56:01 -0700] "GET /missing HTTP/1.1" 404 153 "-" "curl/8"',
    '10.0.0.2 - - [10/Oct/2000:14:01:09 -0700] "POST /login HTTP/1.1" 403 99 "-" "curl/8"',
    "garbage line",
    '10.0.0.3 - - [10/Oct/2000:14:02:00 -0700] "GET /missing HTTP/1.1" 404 153 "-" "bot"',
]
LINE = re.compile(r'(?P<ip>\S+) \S+ (?P<user>\S+) \[(?P<when>[^\]]+)\] "(?P<method>\S+) (?P<path>\S+) [^"]*" (?P<status>\d{3}) (?P<size>\d+|-)')


@dataclass(frozen=True)
class Hit:
    ip: str
    when: datetime
    path: str
    status: int


def parse(line: str) -> Hit | None:
    if not (match := LINE.match(line)):
        return None
    return Hit(match["ip"], datetime.strptime(match["when"], "%d/%b/%Y:%H:%M:%S %z"), match["path"], int(match["status"]))


def main(argument):
    hits = [parse(line) for line in argument]
    errors = [hit for hit in hits if hit and 400 <= hit.status < 500]
    return {
        "skipped": hits.count(None),
        "patterns": Counter((hit.status, hit.path) for hit in errors).most_common(),
        "by_address": Counter(hit.ip for hit in errors),
        "hours": sorted({hit.when.hour for hit in errors}),
        "first": min(hit.when for hit in errors).isoformat(),
    }
