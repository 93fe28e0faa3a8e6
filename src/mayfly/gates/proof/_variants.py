"""Programs beside the one to be proven: small mistakes put into it, and rivals that were written apart."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mayfly.core import clipped, content_hash, parse_python
from mayfly.gates._entry import Entry, NoEntry, find_entry
from mayfly.gates.proof._mutants_edits import Edit, Finder
from mayfly.gates.proof._program import Program


@dataclass(frozen=True, kw_only=True)
class Variants:
    """The programs that are tried beside one; mutants come before rivals."""

    # The source without the tests it makes of itself.
    quiet: str
    mutants: tuple[Mutant, ...] = ()
    rivals: tuple[Rival, ...] = ()

    @property
    def sources(self) -> list[str]:
        """The source of each of them."""
        return [*(mutant.source for mutant in self.mutants), *(rival.source for rival in self.rivals)]


def make_variants(program: Program, rivals: Sequence[Rival], parts: Collection[str], *, mutants: int) -> Variants:
    """Make so many *mutants*, none in what is named in *parts*, and *rivals* callable as the program is."""
    quiet = without_own_tests(program.source)
    skip = lines_of(program.source, parts)
    callables = (callable_as(rival, program.entry, program.source) for rival in rivals)
    return Variants(
        quiet=quiet,
        mutants=tuple(mutants_of(quiet, mutants, skip=skip)) if mutants else (),
        rivals=tuple(rival for rival in callables if rival is not None),
    )


class Mutant(NamedTuple):
    """A program with one change, and the change in words."""

    source: str
    line: int
    kind: str
    change: str


def without_own_tests(source: str) -> str:
    """Blank out the asserts a program makes while it loads: what they catch is no merit of the tests."""
    lines = source.split("\n")
    for node in parse_python(source).body:
        if isinstance(node, ast.Assert):
            begin, end = node.lineno - 1, node.end_lineno or node.lineno
            lines[begin:end] = ["pass"] + [""] * (end - begin - 1)
    return "\n".join(lines)


def lines_of(source: str, names: Collection[str]) -> frozenset[int]:
    """Return the lines of the functions, classes and constants with these names."""
    found: set[int] = set()
    for node in parse_python(source).body if names else ():
        targets = node.targets if isinstance(node, ast.Assign) else []
        called = [getattr(node, "name", ""), *(target.id for target in targets if isinstance(target, ast.Name))]
        if set(called) & set(names):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)


def mutants_of(source: str, count: int, *, skip: frozenset[int] = frozenset()) -> list[Mutant]:
    """Return at most *count* mutants of *source* outside the lines *skip*; names and comments change nothing."""
    edits = [edit for edit in Finder(source).find() if edit.line not in skip]
    text = source.encode()
    return [_mutant(text, edit) for edit in _choose(sorted(edits), count)]


def _choose(edits: list[Edit], count: int) -> list[Edit]:
    """Take in turn the edit whose kind and line are least taken so far; its number and kind decide among equals."""
    numbered = sorted(enumerate(edits), key=lambda pair: content_hash(f"{pair[0]}{pair[1].kind}"))
    waiting = [edit for _, edit in numbered]
    kinds: Counter[str] = Counter()
    lines: Counter[int] = Counter()
    places: Counter[tuple[int, int]] = Counter()
    chosen: list[Edit] = []
    while waiting and len(chosen) < count:
        best = min(waiting, key=lambda edit: (places[edit[:2]], lines[edit.line] + kinds[edit.kind]))
        waiting.remove(best)
        chosen.append(best)
        kinds[best.kind] += 1
        lines[best.line] += 1
        places[best[:2]] += 1
    return sorted(chosen)


def _mutant(text: bytes, edit: Edit) -> Mutant:
    old = text[edit.start : edit.end].decode()
    source = (text[: edit.start] + edit.new.encode() + text[edit.end :]).decode()
    change = f"{_quoted(old)} became {_quoted(edit.new)}"
    return Mutant(source, edit.line, edit.kind, change)


def _quoted(text: str) -> str:
    return f"`{clipped(' '.join(text.split()), 60)}`"


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
