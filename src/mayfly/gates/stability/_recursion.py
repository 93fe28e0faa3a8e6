"""Find functions that can only end by calling themselves, whether directly, through a method or through each other."""

from __future__ import annotations

from collections.abc import Iterator

from mayfly.core import Verdict
from mayfly.gates.stability._calls import Calls
from mayfly.gates.stability._found import MODULE, Scan, Scope
from mayfly.gates.stability._paths import Path
from mayfly.gates.stability._verdict import reject


def check_recursion(scan: Scan) -> Iterator[Verdict]:
    """Yield a verdict for each function that no path leaves without calling it again."""
    calls = Calls(scan)
    edges = {id(scope): calls.of(scope) for scope in scan.scopes if scope.name != MODULE}
    scopes = {id(scope): scope for scope in scan.scopes}
    for group in _cycles(edges):
        stuck = _stuck([scopes[key] for key in group], calls)
        if stuck:
            yield _verdict(stuck)


def _verdict(stuck: list[Scope]) -> Verdict:
    stuck = sorted(stuck, key=lambda scope: scope.line)
    listed = " and ".join(scope.name for scope in stuck)
    how = "calls itself" if len(stuck) == 1 else "call each other"
    return reject(
        code="RECURSION",
        message=f"recursion without a base case: {listed} {how} on every path",
        measured=listed,
        line=stuck[0].line,
        fix="return a value for the smallest input before calling again",
    )


def _stuck(group: list[Scope], calls: Calls) -> list[Scope]:
    """Return the functions of *group* that never end: take away those that end, until nothing changes."""
    never = list(group)
    while never:
        bad = {id(scope) for scope in never}
        ending = [scope for scope in never if Path(scope, bad, calls).can_end()]
        if not ending:
            break
        never = [scope for scope in never if scope not in ending]
    return never


def _cycles(edges: dict[int, set[int]]) -> list[list[int]]:
    """Return the groups of functions that reach each other, by Tarjan's algorithm without recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    held: list[int] = []
    groups: list[list[int]] = []
    for root in edges:
        work = [(root, iter(sorted(edges[root] & edges.keys())))] if root not in order else []
        while work:
            key, rest = work[-1]
            if key not in order:
                order[key] = low[key] = len(order)
                held.append(key)
            following = next(rest, None)
            if following is None:
                work.pop()
                _close(key, order, low, held, groups)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[key])
            elif following not in order:
                work.append((following, iter(sorted(edges[following] & edges.keys()))))
            elif following in held:
                low[key] = min(low[key], order[following])
    return [group for group in groups if len(group) > 1 or group[0] in edges[group[0]]]


def _close(key: int, order: dict[int, int], low: dict[int, int], held: list[int], groups: list[list[int]]) -> None:
    if low[key] == order[key]:
        at = held.index(key)
        groups.append(held[at:])
        del held[at:]
