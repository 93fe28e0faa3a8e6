"""Make wrong programs of a program: a fixed choice of small changes, spread over its lines and kinds of mistake."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from mayfly.core import clipped, content_hash, parse_python
from mayfly.gates.proof._mutants_edits import Edit, Finder


class Mutant(NamedTuple):
    """A program with one change, and the change in words."""

    source: str
    line: int
    kind: str
    change: str

    def describe(self) -> str:
        """Say the change with its line."""
        return f"line {self.line}: {self.change}"


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
