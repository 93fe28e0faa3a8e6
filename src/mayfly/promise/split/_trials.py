"""Inputs like a sample, and the places to cut them, that tell one way of joining results from another."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from mayfly.core import parse_python
from mayfly.promise.split._cut import may_begin

Lines = list[str]
WINDOW = 240
SINGLES = 24
FINE = 40
DOUBLED = 12
RUNS = 8
LONG = 12
ODD = 12
ANYWHERE = 6
FEWEST = 1500
SEED = 7
CHANGED = 0.3
_TOKEN = re.compile(r"\d+|[A-Za-z]{2,}")
_RUN = re.compile(r"(.)\1+")
_KINDS = str.maketrans(string.ascii_letters + string.digits, "a" * 52 + "0" * 10)


@dataclass(frozen=True, kw_only=True)
class CutTrial:
    """One input and the places where it is cut."""

    name: str
    lines: Lines
    cuts: tuple[int, ...]

    def pieces(self) -> list[Lines]:
        """Return the parts; some may be empty."""
        edges = [0, *self.cuts, len(self.lines)]
        return [self.lines[start:stop] for start, stop in pairwise(edges)]


def trials_of(lines: Lines, *, busy: Lines, most: int) -> Iterator[CutTrial]:
    """Yield the trials, the cheapest that refuse most first; they are cut only where a file would be.

    *busy* are a few lines of the sample that give the most results; one trial has more than three times *most* lines.
    """
    # The same sample is tried in the same way every time: a proof can be run again.
    for trial in _anywhere(lines, busy, Random(SEED), most):
        yield replace(trial, cuts=tuple(_moved(trial)))


def _moved(trial: CutTrial) -> Iterator[int]:
    """Yield the cuts, each moved on to where a record may begin."""
    size = len(trial.lines)
    for cut in trial.cuts:
        behind = (at for at in range(cut, size) if may_begin(trial.lines[at]))
        yield next(behind, size) if cut else 0


def _anywhere(lines: Lines, busy: Lines, chance: Random, most: int) -> Iterator[CutTrial]:
    size = len(lines)
    yield CutTrial(name="the sample", lines=lines, cuts=(size // 3, size // 3, size // 2))
    start = lines[:WINDOW]
    for cut in (1, len(start) - 1, 0, len(start)):
        yield CutTrial(name="the beginning of the sample", lines=start, cuts=(cut,))
    # What an agent finds in lines that follow each other is lost where they are cut apart.
    for few in (lines[:SINGLES], busy):
        yield CutTrial(name="single lines", lines=few, cuts=tuple(range(1, len(few))))
    fine = tuple(sorted(chance.sample(range(len(start) + 1), min(FINE, len(start)))))
    yield CutTrial(name="small pieces of the sample", lines=start, cuts=fine)
    for window in _windows(lines):
        yield from (CutTrial(name="a piece of the sample", lines=window, cuts=cuts) for cuts in _places(window, chance))
    yield from _rearranged(lines, chance)
    yield from _varied(lines, chance, max(FEWEST, 3 * most + 1))


def _windows(lines: Lines) -> Iterator[Lines]:
    """Yield the beginning, and the surroundings of the first odd line behind it."""
    yield lines[:WINDOW]
    later = next((at for at in _odd(lines) if at >= WINDOW), None)
    if later is not None:
        start = max(0, later - WINDOW // 2)
        yield lines[start : start + WINDOW]


def _places(lines: Lines, chance: Random) -> Iterator[tuple[int, ...]]:
    """Yield where to cut: before and behind lines that are unlike the others, and anywhere."""
    odd = _odd(lines)
    chosen = sorted(chance.sample(odd, min(ODD, len(odd))))
    if chosen:
        yield tuple(chosen)
        yield tuple(at + 1 for at in chosen)
    yield from ((chance.randrange(len(lines)),) for _ in range(ANYWHERE))


def _odd(lines: Lines) -> list[int]:
    """Return where a line begins unlike most of them: with blanks, a bracket, a word instead of a date."""
    shapes = [_RUN.sub(r"\1", line[:24].translate(_KINDS))[:4] for line in lines]
    usual = Counter(shapes).most_common(1)[0][0]
    return [at for at, shape in enumerate(shapes) if shape != usual]


def _rearranged(lines: Lines, chance: Random) -> Iterator[CutTrial]:
    doubled = [line for line in lines[:DOUBLED] for _ in range(2)]
    for cuts in ((1,), (len(doubled) // 2 | 1,), tuple(range(1, len(doubled), 2))):
        yield CutTrial(name="the sample with every line twice", lines=doubled, cuts=cuts)
    runs = [line for line in chance.sample(lines, min(RUNS, len(lines))) for _ in range(LONG)]
    yield CutTrial(name="the same lines many times", lines=runs, cuts=tuple(range(1, len(runs), LONG // 2 - 1)))
    backwards = lines[WINDOW - 1 :: -1] if len(lines) > WINDOW else lines[::-1]
    yield CutTrial(name="the sample backwards", lines=backwards, cuts=(len(backwards) // 2,))
    for _ in range(3):
        shuffled = chance.sample(lines, min(WINDOW, len(lines)))
        cuts = tuple(sorted(chance.randrange(len(shuffled) + 1) for _ in range(3)))
        yield CutTrial(name="the sample in another order", lines=shuffled, cuts=cuts)


def _varied(lines: Lines, chance: Random, large: int) -> Iterator[CutTrial]:
    window = lines[:WINDOW]
    for digits, words in ((True, False), (False, True), (True, True)):
        changed = [vary(line, chance, digits=digits, words=words) for line in window]
        for cuts in ((len(changed) // 2,), tuple(sorted(chance.randrange(len(changed) + 1) for _ in range(4)))):
            yield CutTrial(name="the sample with other values in it", lines=changed, cuts=cuts)
    many = [vary(lines[at % len(lines)], chance, digits=True, words=bool(at % 2)) for at in range(large)]
    yield CutTrial(name="many lines like the sample", lines=many, cuts=(large // 5, large // 2))


def vary(line: str, chance: Random, *, digits: bool, words: bool) -> str:
    """Return *line* with some of its numbers or words replaced by others of the same length."""

    def other(found: re.Match[str]) -> str:
        token = found.group()
        number = token.isdigit()
        if not (digits if number else words) or chance.random() >= CHANGED:
            return token
        letters = string.digits if number else string.ascii_lowercase
        made = "".join(chance.choice(letters) for _ in token)
        return made.upper() if token.isupper() and not number else made

    return _TOKEN.sub(other, line)


_TAKING = frozenset({"islice", "nlargest", "nsmallest", "most_common", "range", "take", "head", "first", "limit"})


def constants(source: str) -> list[int]:
    """Return every whole number above 1 that *source* writes out."""
    return [
        node.value
        for node in ast.walk(parse_python(source))
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1
    ]


def limits_of(source: str) -> list[int]:
    """Return the numbers that *source* cuts, takes or breaks off at."""
    tree = parse_python(source)
    named = _named(tree)
    return [number for node in _bounds(tree) for number in _numbers(node, named)]


def _named(tree: ast.AST) -> dict[str, list[int]]:
    """Return the numbers that names and parameters stand for."""
    found: dict[str, list[int]] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            for argument, default in zip(
                positional[len(positional) - len(node.defaults) :], node.defaults, strict=True
            ):
                found.setdefault(argument.arg, []).extend(_written(default))
            continue
        else:
            continue
        for target in targets:
            name = (
                target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
            )
            if name and node.value is not None:
                found.setdefault(name, []).extend(_written(node.value))
    return found


def _written(node: ast.AST) -> list[int]:
    return [node.value] if isinstance(node, ast.Constant) and type(node.value) is int else []


def _numbers(node: ast.AST, named: dict[str, list[int]]) -> list[int]:
    numbers: list[int] = []
    for inner in ast.walk(node):
        numbers += _written(inner)
        if isinstance(inner, ast.Name):
            numbers += named.get(inner.id, [])
        elif isinstance(inner, ast.Attribute):
            numbers += named.get(inner.attr, [])
    return [number for number in numbers if number > 0]


def _bounds(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that may hold a limit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Slice):
            yield from (bound for bound in (node.lower, node.upper) if bound is not None)
        elif isinstance(node, ast.Call) and _called(node.func) in _TAKING:
            yield from (*node.args, *(keyword.value for keyword in node.keywords))
        elif isinstance(node, ast.Compare) and any(_is_length(side) for side in (node.left, *node.comparators)):
            yield from (node.left, *node.comparators)
        elif isinstance(node, ast.While):
            yield node.test
        elif isinstance(node, ast.For):
            yield from _breaks(node)


def _breaks(loop: ast.For) -> Iterator[ast.AST]:
    for node in ast.walk(loop):
        if isinstance(node, ast.If) and any(isinstance(inner, (ast.Break, ast.Return)) for inner in node.body):
            yield node.test


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node.func) == "len"
