"""Which files of the workspace hold secrets, in the words of the shipped rules."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from mayfly.policy.kernel import Kernel


class _Known(NamedTuple):
    parts: frozenset[str]
    names: frozenset[str]
    suffixes: tuple[str, ...]
    examples: tuple[str, ...]


def holds_secrets(path: str) -> bool:
    """Say whether the rules would refuse to read a file because of its name: looking through many files skips it."""
    known = _known()
    parts = path.lower().split("/")
    if known.parts.intersection(parts) or parts[-1] in known.names or parts[-1].endswith(known.suffixes):
        return True
    return any(part.startswith(".env.") for part in parts) and not parts[-1].endswith(known.examples)


@cache
def _known() -> _Known:
    kernel = Kernel()

    def column(predicate: str) -> frozenset[str]:
        return frozenset(str(row[0]) for row in kernel.query(f"{predicate}(X)"))

    return _Known(
        parts=column("secret_part"),
        names=column("secret_name"),
        suffixes=tuple(sorted(suffix for suffix in column("secret_suffix"))),
        examples=tuple(sorted(column("example_suffix"))),
    )
