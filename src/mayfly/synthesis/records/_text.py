"""Bring lines into the one form that detection, programs and tests agree on."""

from __future__ import annotations

from collections.abc import Sequence

EDGES = "\ufeff\r\n"


def clean(line: str) -> str:
    """Take off the line's end and a byte order mark."""
    return line.strip(EDGES)


def lines_of(sample: Sequence[object]) -> list[str] | None:
    """Return the sample as clean lines, or None if it does not consist of text."""
    if isinstance(sample, str):
        return [clean(line) for line in sample.split("\n")]
    if not all(isinstance(item, str) for item in sample):
        return None
    return [clean(line) for item in sample for line in [str(item)]]
