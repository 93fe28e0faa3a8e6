"""Programs that were written apart for the same request, made callable as the one to be proven."""

from __future__ import annotations

import ast
from typing import NamedTuple

from mayfly.core import parse_python
from mayfly.gates._entry import Entry, NoEntry, find_entry


class Rival(NamedTuple):
    """Another program for the same request, and who wrote it."""

    source: str
    author: str = ""


def callable_as(rival: Rival, entry: Entry, source: str) -> Rival | None:
    """Return a rival under the name of *entry*; None where it cannot be called alike, or is the same program again."""
    try:
        tree = parse_python(rival.source)
        own = find_entry(tree, spread=entry.spread)
    except (SyntaxError, ValueError, RecursionError, NoEntry):
        return None
    same = ast.dump(tree) == ast.dump(parse_python(source))
    if same or own.kind != entry.kind or own.spread != entry.spread or own.generator != entry.generator:
        return None
    alias = "" if own.name == entry.name else f"\n\n{entry.name} = {own.name}\n"
    return rival._replace(source=rival.source + alias)
