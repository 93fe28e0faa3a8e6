"""Rule files: found, read and parsed, each with what it claims."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mayfly.core import content_hash

if TYPE_CHECKING:
    from mayfly.mangle import Unit

BASE: Final = Path(__file__).parents[1] / "rules"
SUFFIX: Final = ".mg"


class RuleFile:
    """One rule file that was read: `name` is how settings and rules call it.

    It is parsed when its rules are first wanted, and refused then where it says what it may not: a file that is not
    shipped nothing that is *protected*, one that only *restricts* nothing that gives anybody more.
    """

    def __init__(
        self,
        *,
        name: str,
        place: str,
        text: str,
        protected: Callable[[], frozenset[str]] | None,
        restricts: bool = False,
    ) -> None:
        self.name = name
        self.place = place
        self.text = text
        self.hash = content_hash(text)
        self.base = protected is None
        self.restricts = restricts
        self._protected = protected

    @cached_property
    def unit(self) -> Unit:
        """What the file says."""
        from mayfly.policy.kernel._protected import check_heads, check_restricts

        # The shipped rules are read once a process, however many ask for them.
        unit = (_parsed if self.base else _parsed.__wrapped__)(self.text, self.place)
        if self._protected is not None:
            check_heads(unit, self._protected())
        if self.restricts:
            check_restricts(unit)
        return unit


@lru_cache(maxsize=64)
def _parsed(text: str, place: str) -> Unit:
    from mayfly.mangle import parse

    return parse(text, file=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A rule file that is not in force as it stands, and why; `kept` tells that an older version is."""

    file: str
    reason: str
    kept: bool = False

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}" + ("; its last good version stays in force" if self.kept else "")


def base_files() -> tuple[RuleFile, ...]:
    """Read the shipped rules: from the installed package, which no agent may write, and from nowhere else."""
    return tuple(RuleFile(name=name, place=name, text=text, protected=None) for name, text in _shipped(BASE))


def shipped_policies() -> dict[str, tuple[str, str]]:
    """Return place and text of the shipped policies that are joined by name, where there are any."""
    return {name: (f"policies/{name}", text) for name, text in _shipped(BASE / "policies")}


def _shipped(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        yield path.name, path.read_text(encoding="utf-8")


def read_text(path: Path) -> str:
    """Read one file of the operator's, refusing one that anybody may write."""
    from mayfly.mangle import MangleError, read_source

    try:
        open_to_all = path.stat().st_mode & stat.S_IWOTH
    except OSError:
        open_to_all = False
    if open_to_all:
        raise MangleError("anybody may write it", stage="parse", fix=f"chmod o-w {path}")
    return read_source(path)


def rule_paths(places: Sequence[Path]) -> Iterator[Path]:
    """Yield every rule file in *places*, each a file or a directory, in a steady order and each once."""
    seen: set[Path] = set()
    for place in places:
        if place.is_dir():
            inside = sorted(place.rglob(f"*{SUFFIX}"))
        else:
            # A directory that nobody has made yet holds no rules; a file that is named has to be there.
            inside = [place] if place.exists() or place.suffix == SUFFIX else []
        for path in inside:
            if path not in seen and not any(part.startswith(".") for part in path.relative_to(place).parts):
                seen.add(path)
                yield path


def claimed(rules: Sequence[RuleFile]) -> Unit:
    """Return the facts that follow from what the files claim, as a unit of their own."""
    from mayfly.mangle import Unit
    from mayfly.policy.kernel._protected import claims

    facts = tuple(clause for file in rules if file.unit.package is None for clause in claims(file.unit))
    return Unit(file="claims", package=None, uses=(), declarations=(), clauses=facts)
