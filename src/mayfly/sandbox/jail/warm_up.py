"""What every worker runs once before its first job: the things jobs do, so that their memory is already its own."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import TypedDict


class Kind(Enum):
    """An enumeration."""

    GOOD = "good"
    BAD = "bad"


class Row(TypedDict):
    """A typed dictionary."""

    name: str
    size: int


@dataclass
class Item:
    """A record with a default."""

    name: str
    size: int = 0
    kind: Kind = Kind.GOOD
    tags: list[str] = field(default_factory=list)
    parent: Item | None = None


PATTERN = re.compile(r'(?P<host>\S+) \[(?P<when>[^\]]+)\] "(?P<verb>[A-Z]+) (?P<path>[^ "]*)" (?P<status>\d{3})')


class Parser:
    """A class with state."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.seen: dict[str, list[Item]] = defaultdict(list)

    def parse(self, text: str) -> list[Item]:
        """Return the items, sorted."""
        items = []
        for number, line in enumerate(text.splitlines()):
            match = PATTERN.search(line)
            if match is None or number > self.limit:
                continue
            name, status = match.group("path"), int(match["status"])
            items.append(Item(name=name, size=status, kind=Kind.BAD if 400 <= status < 500 else Kind.GOOD))
            self.seen[name.lower()].append(items[-1])
        return sorted(items, key=lambda item: (item.size, item.name))


def run(argument: dict[str, object]) -> dict[str, object]:
    """Touch strings, numbers, dates, expressions, JSON and exceptions."""
    lines = [f'10.0.0.{i} [2024-01-{i + 1:02d} 10:00] "GET /page/{i % 7}" {200 + i * 20}' for i in range(25)]
    items = Parser(limit=100).parse("\n".join(lines))
    counts = Counter(item.kind.value for item in items)
    when = datetime.strptime("2024-01-31 10:00", "%Y-%m-%d %H:%M") + timedelta(days=1.5)
    squares = {n: n**2 for n in range(300)}
    joined = ",".join(str(value) for value in squares.values())
    total = sum(value / 3 for value in squares.values() if value % 2)
    try:
        int("x")
    except ValueError as error:
        joined += str(error)
    row: Row = {"name": re.sub(r"\d+", "#", joined)[:50], "size": len(joined)}
    match argument:
        case {"numbers": [int(first), *_]}:
            row["size"] += first
        case _:
            pass
    data = json.loads(json.dumps({"items": [vars(i) | {"kind": i.kind.value} for i in items], "row": row}))
    print("ready", len(data["items"]), when.isoformat(), f"{total:.3f}", counts.most_common(1))
    return {"counts": counts, "when": when.isoformat(), "items": items[:0], "text": "x" * 2000}
