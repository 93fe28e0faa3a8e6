"""Compiled rules kept from one process to the next: reading and checking them takes longer than most commands may."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import canonical_json, content_hash
from mayfly.mangle.engine import freeze, functions, thaw

if TYPE_CHECKING:
    from mayfly.mangle import Program
    from mayfly.policy.kernel._files import RuleFile
    from mayfly.store import SealedFiles

# Everything that decides what a program is made of, beside the rules themselves.
_MAKERS = (Path(__file__).parents[2] / "mangle", Path(__file__).parent)


class Programs:
    """Keep programs by the texts they were made of and by what made them; one that is not as it was is made again."""

    def __init__(self, files: SealedFiles) -> None:
        self._files = files
        self._known: dict[str, int] = {}

    def load(self, rules: Sequence[RuleFile]) -> Program | None:
        """Return the program of exactly these files, if an earlier process has kept it."""
        key = _key(rules)
        data = self._files.get(key)
        if data is None:
            return None
        try:
            program = thaw(data)
        except Exception:  # whatever is wrong with what was kept, the rules are there to be compiled
            return None
        self._known[key] = functions(program)
        return program

    def keep(self, rules: Sequence[RuleFile], program: Program) -> None:
        """Keep the program, unless what is kept is no less."""
        key, size = _key(rules), functions(program)
        if size > self._known.get(key, -1):
            self._files.put(key, freeze(program))
            self._known[key] = size


def _key(rules: Sequence[RuleFile]) -> str:
    named = [[file.name, file.place, file.hash, file.base, file.restricts] for file in rules]
    return content_hash(canonical_json([_makers(), sys.version, named]))


@cache
def _makers() -> str:
    """Return a hash over the source of the engine and of the kernel."""
    paths = sorted(path for folder in _MAKERS for path in folder.rglob("*.py"))
    return content_hash(b"\0".join(path.read_bytes() for path in paths))
