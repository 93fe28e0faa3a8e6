"""Accounts of lines: how many of a file were used, filtered out and not understood, summed over its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mayfly.promise._job import Part
from mayfly.promise.split._cut import lines_before

COUNTS = ("lines", "used", "filtered", "not_understood", "empty", "header")
FIRST = "first_not_understood"


def total(accounts: Sequence[Mapping[str, object] | None], *, before: Callable[[int], int]) -> dict[str, object] | None:
    """Return the account of a file from those of its parts, in order; None unless every part has one.

    A part counts its lines from one, so to the line that was not understood first come the lines *before* that part.
    An account cannot tell those: it counts records, and a record may go over several lines.
    """
    counts = dict.fromkeys(COUNTS, 0)
    first: object = None
    for at, account in enumerate(accounts):
        if account is None:
            return None
        if first is None and account.get(FIRST) is not None:
            first = _moved(account[FIRST], before(at))
        for name in COUNTS:
            counts[name] += _count(account, name)
    return {**counts, FIRST: first} if accounts else None


def total_of_parts(accounts: Sequence[Mapping[str, object] | None], parts: Sequence[Part]) -> dict[str, object] | None:
    """Return the account of a file that was read in *parts*."""
    return total(accounts, before=lambda at: lines_before(parts[at]))


def _moved(found: object, lines: int) -> object:
    if isinstance(found, Mapping) and isinstance(found.get("line"), int):
        return {**found, "line": found["line"] + lines}
    return found


def _count(account: Mapping[str, object], name: str) -> int:
    found = account.get(name, 0)
    return found if isinstance(found, int) else 0
