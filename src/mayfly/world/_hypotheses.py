"""What may be wrong with a change: suspicions from comparing functions before and after, each with its evidence."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mayfly.core import MayflyError, one_line, parse_python
from mayfly.world._changes import Changed, ChangedFiles
from mayfly.world._findings import GateFinding
from mayfly.world._impact import CodeIndex, is_test
from mayfly.world._place import WorkspacePlace
from mayfly.world._python_project import PythonSymbol

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Callers named in one suspicion.
_CALLERS = 5
_MOST = 200


class Hypothesis(NamedTuple):
    """Something that may be wrong in a file, and what shows it, if anything does."""

    path: str
    line: int
    claim: str
    evidence: str = ""


def hypotheses_of(change: ChangedFiles, findings: Sequence[GateFinding], index: CodeIndex | None) -> list[Hypothesis]:
    """Return what the gates found in the change, and what comparing before and after suggests."""
    found = [Hypothesis(one.path, one.line, f"{one.code}: {one.said}", one.gate) for one in findings if one.new]
    changed = {file.path for file in change.files}
    for file in change.files:
        if file.path.endswith(".py") and file.before is not None:
            found += _compared(file, index, changed)
    return list(dict.fromkeys(found))[:_MOST]


def _compared(file: Changed, index: CodeIndex | None, changed: set[str]) -> Iterator[Hypothesis]:
    try:
        before, after = _functions(file.before or ""), _functions(file.text or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, old in before.items():
        new = after.get(name)
        if new is None:
            yield from _gone(file, name, old, index, changed)
        elif ast.dump(old) != ast.dump(new):
            yield from _differs(file, name, old, new, index, changed)


def _functions(source: str) -> dict[str, Function]:
    found: dict[str, Function] = {}

    def collect(body: Sequence[ast.stmt], within: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[f"{within}{node.name}"] = node
            elif isinstance(node, ast.ClassDef):
                collect(node.body, f"{within}{node.name}.")

    collect(parse_python(source).body, "")
    return found


def _gone(file: Changed, name: str, old: Function, index: CodeIndex | None, changed: set[str]) -> Iterator[Hypothesis]:
    if is_test(file.path) and old.name.startswith("test"):
        yield Hypothesis(file.path, 1, f"the test {name} is gone: what it held is not checked any more")
        return
    users = _mentions(index, name, but=file.path) if not name.startswith("__") else []
    if users:
        named = ", ".join(users[:_CALLERS])
        yield Hypothesis(file.path, 1, f"{name} is gone and still used: {named}", users[0])


def _differs(
    file: Changed, name: str, old: Function, new: Function, index: CodeIndex | None, changed: set[str]
) -> Iterator[Hypothesis]:
    was, now = ast.unparse(old.args), ast.unparse(new.args)
    if was != now:
        callers = _callers(index, file.path, name, changed)
        if callers:
            named = ", ".join(callers[:_CALLERS])
            taken = f"({one_line(now, limit=80)}) instead of ({one_line(was, limit=80)})"
            yield Hypothesis(file.path, new.lineno, f"{name} takes {taken}, and callers are as before: {named}")
    if isinstance(old, ast.AsyncFunctionDef) != isinstance(new, ast.AsyncFunctionDef):
        yield Hypothesis(
            file.path, new.lineno, f"{name} has to be awaited now, or no longer: every caller has to agree"
        )
    for claim, line in _lost(old, new):
        yield Hypothesis(file.path, line or new.lineno, f"{name} {claim}")


def _lost(old: Function, new: Function) -> Iterator[tuple[str, int]]:
    """Yield what a function did before and does not now, and edges that were moved."""
    kinds: Mapping[str, type[ast.AST]] = {
        "checks less: an assert is gone": ast.Assert,
        "raises less: a raise is gone": ast.Raise,
        "catches less: an except is gone": ast.ExceptHandler,
        "awaits less: an await is gone": ast.Await,
    }
    for claim, kind in kinds.items():
        if _count(old, kind) > _count(new, kind):
            yield claim, 0
    was, now = _comparisons(old), _comparisons(new)
    for sides, (operator, line) in now.items():
        if sides in was and was[sides][0] != operator:
            told = f"compares {sides} by {operator} instead of {was[sides][0]}: look at the value on the edge"
            yield told, line


def _count(node: ast.AST, kind: type[ast.AST]) -> int:
    return sum(isinstance(inner, kind) for inner in ast.walk(node))


def _comparisons(node: ast.AST) -> dict[str, tuple[str, int]]:
    found = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            sides = one_line(f"{ast.unparse(inner.left)} and {ast.unparse(inner.comparators[0])}", limit=80)
            found[sides] = (type(inner.ops[0]).__name__, inner.lineno)
    return found


def _callers(index: CodeIndex | None, path: str, name: str, changed: set[str]) -> list[str]:
    users = index.used_by.get(PythonSymbol(path, name), ()) if index is not None else ()
    return sorted({f"{one.path}:{one.line}" for one in users if one.called and one.path not in changed})


def _mentions(index: CodeIndex | None, name: str, *, but: str) -> list[str]:
    """Return where a name that is gone is still imported or called."""
    if index is None:
        return []
    last = name.rpartition(".")[2]
    found = set()
    for path, file in index.project.files.items():
        if path == but:
            called = [use.line for use in file.uses if use.dotted == name and use.called]
            found |= {f"{path}:{line}" for line in called if name not in file.definitions and last not in file.imported}
            continue
        for one in file.imports():
            if one.name == last and index.project.imported_module(one, path) == but:
                found.add(f"{path}:{one.line}")
    return sorted(found)


def judged_by_rules(place: WorkspacePlace, found: Sequence[Hypothesis]) -> dict[Hypothesis, str]:
    """Return whether each is supported or open, by the rules of `hypothesis_rules.mg` where they are in force."""
    words = {one: one_line(one.claim, limit=300) for one in found}
    facts = [(("hypothesis_gen", 2), (one.path, words[one])) for one in found]
    facts += [(("evidence", 2), (one.path, words[one])) for one in found if one.evidence]
    try:
        rows = place.kernel().query("supported(P, C)", [_fact(name, row) for name, row in facts])
    except MayflyError:
        # This agent's rules know nothing of suspicions: what has evidence is supported.
        return {one: "supported" if one.evidence else "open" for one in found}
    supported = {(str(path), str(claim)) for path, claim in rows}
    return {one: "supported" if (one.path, words[one]) in supported else "open" for one in found}


def _fact(name: tuple[str, int], row: tuple[str, str]) -> object:
    from mayfly.mangle import Symbol as Predicate

    return Predicate(*name), row
