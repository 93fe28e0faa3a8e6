"""Glob patterns over paths, matched in time that no pattern can blow up."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

from mayfly.core import InputError

LONGEST = 500


class Glob:
    """Match paths: `*` and `?` stay within one name, `**` stands for any number of directories.

    A pattern without a slash is about the name alone, wherever the file lies.
    """

    def __init__(self, pattern: str) -> None:
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if not parts or ".." in parts or pattern.startswith(("/", "~")) or len(pattern) > LONGEST:
            fix = "write *.py, test_*, src/**/*.toml or a whole name"
            raise InputError(f"{pattern[:80]!r} is not a pattern for files of the workspace", fix=fix)
        self._anywhere = len(parts) == 1
        self._parts = parts
        self.hidden = any(part.startswith(".") for part in parts)

    def fits(self, path: str) -> bool:
        """Say whether *path*, from the directory that is looked at, fits."""
        names = path.split("/")
        if self._anywhere:
            return self._parts == ["**"] or _fits_name(self._parts[0], names[-1])
        # Which beginnings of the path the beginning of the pattern fits, part by part.
        reached = {0}
        for part in self._parts:
            if part == "**":
                reached = set(range(min(reached, default=len(names) + 1), len(names) + 1))
            else:
                reached = {at + 1 for at in reached if at < len(names) and _fits_name(part, names[at])}
        return len(names) in reached


def _fits_name(pattern: str, name: str) -> bool:
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    # The standard translation keeps what one star took, so matching a name is never worse than quadratic.
    return re.compile(translate(pattern))
