"""Rule files: found, read and parsed, each with what it claims."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from mayfly.core import content_hash
from mayfly.mangle import MangleError, Unit, parse, read_source
from mayfly.policy.kernel._protected import Protected, check_heads, check_restricts, claims

BASE: Final = "mayfly.policy.rules"
SUFFIX: Final = ".mg"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """One rule file that was read: `name` is how settings and rules call it."""

    name: str
    place: str
    hash: str
    unit: Unit
    base: bool


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
    return tuple(_base_file(name, text) for name, text in _shipped(""))


def shipped_policies() -> dict[str, tuple[str, str]]:
    """Return place and text of the shipped policies that are joined by name, where there are any."""
    return {name: (f"policies/{name}", text) for name, text in _shipped("policies")}


def _shipped(folder: str) -> Iterator[tuple[str, str]]:
    place = files(BASE) / folder if folder else files(BASE)
    if not place.is_dir():
        return
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(SUFFIX):
            yield entry.name, entry.read_text(encoding="utf-8")


def _base_file(name: str, text: str) -> RuleFile:
    unit = parse(text, file=name)
    return RuleFile(name=name, place=name, hash=content_hash(text), unit=unit, base=True)


def read_text(path: Path) -> str:
    """Read one file of the operator's, refusing one that anybody may write."""
    try:
        open_to_all = path.stat().st_mode & stat.S_IWOTH
    except OSError:
        open_to_all = False
    if open_to_all:
        raise MangleError("anybody may write it", stage="parse", fix=f"chmod o-w {path}")
    return read_source(path)


def rule_file(name: str, place: str, text: str, protected: Protected, *, restricts: bool = False) -> RuleFile:
    """Parse one file that is not shipped and refuse what it may not say; *restricts*: it may only take away."""
    unit = parse(text, file=place)
    check_heads(unit, protected)
    if restricts:
        check_restricts(unit)
    return RuleFile(name=name, place=place, hash=content_hash(text), unit=unit, base=False)


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
    facts = tuple(clause for file in rules if file.unit.package is None for clause in claims(file.unit))
    return Unit(file="claims", package=None, uses=(), declarations=(), clauses=facts)
