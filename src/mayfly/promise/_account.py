"""Accounts of lines: how many of a file were used, filtered out and not understood, summed over its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

COUNTS = ("lines", "used", "filtered", "not_understood", "empty", "header")
FIRST = "first_not_understood"


def total(accounts: Sequence[Mapping[str, object] | None]) -> dict[str, object] | None:
    """Return the account of a file from those of its parts, in order; None unless every part has one.

    A part counts its lines from one, so the line that was not understood first is counted on from the parts before it.
    """
    counts = dict.fromkeys(COUNTS, 0)
    first: object = None
    for account in accounts:
        if account is None:
            return None
        if first is None:
            first = _moved(account.get(FIRST), counts["lines"])
        for name in COUNTS:
            counts[name] += _count(account, name)
    return {**counts, FIRST: first} if accounts else None


def _moved(found: object, lines: int) -> object:
    if isinstance(found, Mapping) and isinstance(found.get("line"), int):
        return {**found, "line": found["line"] + lines}
    return found


def _count(account: Mapping[str, object], name: str) -> int:
    found = account.get(name, 0)
    return found if isinstance(found, int) else 0
