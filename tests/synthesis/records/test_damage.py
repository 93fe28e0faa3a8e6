"""Damaged lines: a program and the hand-made reading agree on every one of them, and nothing fails."""

import random

import pytest

from mayfly.synthesis.records import oracle

from . import test_formats, test_layouts, test_operations
from .programs import call, lines, planned

SIGNS = '"\\[]()<>{}|;,:=-. \t\r\n/0159aZ\u0663\u00a0\ufeff\x00+%'
EPOCHS = [
    f'{{"ts": {1_735_689_600 + 977 * n}, "level": "{"info" if n % 3 else "error"}", "n": {n}}}' for n in range(20)
]
CASES: list[tuple[str, list[str]]] = [
    *(("parse the lines", case[1]) for case in test_formats.CASES),
    *((intent, test_operations.LOG) for intent, _ in test_operations.RECORDS[::4]),
    *((intent, test_operations.LOG) for intent, _ in test_operations.VALUES[::4]),
    *(("parse the lines", test_layouts.layout(seed)[1]) for seed in range(2000, 2006)),
    *((intent, lines("app.log")) for intent in ("identify OOM patterns", "find exceptions", "errors sorted by time")),
    *((intent, lines("orders.csv")) for intent in ("total amount by month", "orders sorted by date descending")),
    *((intent, lines("events.jsonl")) for intent in ("events sorted by time", "average latency by service")),
    *((intent, EPOCHS) for intent in ("newest 3 events", "count by hour", "errors since 2025-01-01 02:00")),
]


def damaged(line: str, source: random.Random) -> str:
    """Return the line with a few signs changed, lost, added or doubled."""
    signs = list(line)
    for _ in range(source.randint(1, 3)):
        at = source.randint(0, len(signs))
        width = source.randint(1, 6)
        change = source.choice(([], [source.choice(SIGNS)], signs[at : at + width] * 2))
        signs[at : at + (width if source.random() < 0.5 else 1)] = change
    return "".join(signs)


@pytest.mark.parametrize(("intent", "sample"), CASES, ids=[f"{at} {intent}" for at, (intent, _) in enumerate(CASES)])
def test_damaged_lines_are_read_alike(intent: str, sample: list[str]) -> None:
    made, answers = planned(intent, sample), oracle(intent, sample)
    source = random.Random(len(intent) + len(sample))
    assert answers is not None
    for _ in range(12):
        chosen = [source.choice(sample) for _ in range(6)]
        items: list[object] = [damaged(line, source) if source.random() < 0.8 else line for line in chosen]
        assert call(made.source, made.entry, items) == answers(items), items
