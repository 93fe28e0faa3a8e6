"""A program of the usual kind. Every worker checks it before it waits, so that its memory is its own by then."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

_LINE = re.compile(r"(?P<day>\d+-\d+-\d+) (?P<name>\w+) (?P<amount>[\d.]+)")


@dataclass(frozen=True, kw_only=True)
class Record:
    """Hold what one line says."""

    day: datetime
    name: str
    amount: float = 0.0
    tags: list[str] = field(default_factory=list)


def parse(text: str) -> Record | None:
    """Read one line, if it is one of ours."""
    found = _LINE.fullmatch(text.strip())
    if found is None:
        return None
    day = datetime.fromisoformat(found["day"])
    return Record(day=day + timedelta(days=1), name=found["name"].lower(), amount=float(found["amount"]))


class Report:
    """Add records up."""

    def __init__(self, limit: int = 10) -> None:
        self.limit = limit
        self.totals: dict[str, float] = defaultdict(float)
        self.seen: Counter[str] = Counter()

    def add(self, lines: list[str]) -> int:
        """Take lines in and return how many were read."""
        records = [record for line in lines if (record := parse(line)) is not None]
        for index, record in enumerate(records):
            self.totals[record.name] += math.floor(record.amount * 100) / 100
            self.seen.update({record.name: index % 2 + 1})
        return len(records)

    def invoke(self, data: dict[str, Any]) -> str:
        """Return the report as JSON."""
        count = self.add([str(line) for line in data.get("lines", [])])
        best = sorted(self.totals.items(), key=lambda pair: (-pair[1], pair[0]))[: self.limit]
        return json.dumps({"count": count, "best": [f"{name}: {total:.2f}" for name, total in best]})
