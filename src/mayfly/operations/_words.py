"""Words that every face uses for how long something took and which lines an answer is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_COUNTS = (
    ("used", "used"),
    ("filtered", "filtered out"),
    ("header", "header"),
    ("empty", "empty"),
    ("not_understood", "not understood"),
)


def how_long(seconds: float) -> str:
    """Say a duration in the unit that reads best."""
    if seconds >= 60:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def account_words(account: Mapping[str, object]) -> str:
    """Say how many lines there were and what became of them; only what was used is said even where it is none."""
    second = account.get("second")
    return _told(account) + (f"; in the second input {_told(second)}" if isinstance(second, Mapping) else "")


def _told(account: Mapping[str, object]) -> str:
    said = [f"{_count(account, key):,} {words}" for key, words in _COUNTS if key == "used" or _count(account, key)]
    return f"{_count(account, 'lines'):,}: {', '.join(said)}{_first(account)}"


def _first(account: Mapping[str, object]) -> str:
    """Name the first line that was not understood; its count is the last that is said."""
    first = account.get("first_not_understood")
    line = first.get("line") if isinstance(first, Mapping) else None
    return f" (first: line {line:,})" if isinstance(line, int) and _count(account, "not_understood") else ""


def _count(account: Mapping[str, object], key: str) -> int:
    found = account.get(key, 0)
    return found if isinstance(found, int) else 0


def pick_fields(value: object, names: str) -> dict[str, Any]:
    """Return the attributes of *value* that *names* lists, as plain data."""
    return {name: getattr(value, name) for name in names.split()}
