"""The stability gate: code has to be simple enough for where it is written, before anything costlier looks at it.

It raises quality and refuses early. It is no wall: what holds untrusted code is the sandbox.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mayfly.core import InputError, Tier, Verdict
from mayfly.gates._profile import Profile
from mayfly.gates._syntax import check_syntax
from mayfly.gates.stability._growth import check_growth, check_loops, growth_of
from mayfly.gates.stability._imports import check_imports, check_module_attributes, risk_of
from mayfly.gates.stability._names import check_names
from mayfly.gates.stability._recursion import check_recursion
from mayfly.gates.stability._scan import MODULE, Scan, reject, revise, scan

MAX_LINES = 1_000
MAX_NODES = 20_000


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Hold what was measured, whether or not it is within the limits."""

    cyclomatic: int = 0
    branching: int = 0
    import_risk: float = 0.0
    has_unbounded_recursion: bool = False
    estimated_runtime: str = "O(1)"
    import_count: int = 0
    function_count: int = 0
    max_nesting_depth: int = 0


class StabilityReport(NamedTuple):
    """Hold the metrics and every violation, in the order of the lines."""

    metrics: Metrics
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, kw_only=True)
class _AtBudget(Profile):
    """A profile for a budget that belongs to no whole depth."""

    budget: float = 1.0

    @property
    def entropy(self) -> float:
        return self.budget


def check_stability(tree: ast.Module, text: str, profile: Profile) -> StabilityReport:
    """Measure *tree* and collect everything in it that *profile* does not allow."""
    try:
        found = scan(tree)
        verdicts = tuple(sorted(_violations(found, text, profile), key=lambda verdict: verdict.line or 0))
        return StabilityReport(_metrics(found, verdicts, profile), verdicts)
    except RecursionError:
        problem = "expressions are nested too deeply to be analysed"
        fix = "name the inner parts and use the names"
        return StabilityReport(Metrics(), (reject(code="NESTING", message=problem, line=1, fix=fix),))


def is_stable(source: str | bytes, budget: float) -> bool:
    """Whether *source* passes the syntax gate and nothing in it is refused at *budget*, which is 1 at depth 0."""
    if not math.isfinite(budget) or not 0 <= budget <= 1:
        raise InputError(f"a budget of {budget!r} is not from 0 to 1", fix="at depth d it is 1 / (d + 1)")
    parsed = check_syntax(source)
    if parsed.tree is None:
        return False
    report = check_stability(parsed.tree, parsed.text, _AtBudget(tier=Tier.EPHEMERAL, budget=budget))
    return not any(verdict.decision == "reject" for verdict in report.verdicts)


def _violations(found: Scan, text: str, profile: Profile) -> Iterator[Verdict]:
    yield from check_imports(found, profile)
    yield from check_module_attributes(found, profile)
    yield from check_names(found, text, profile)
    yield from _complexity(found, profile)
    yield from _branching(found, profile)
    yield from check_recursion(found)
    yield from check_loops(found)
    yield from check_growth(found)
    yield from _size(found, text)


def _metrics(found: Scan, verdicts: tuple[Verdict, ...], profile: Profile) -> Metrics:
    recursion = any(verdict.code == "RECURSION" for verdict in verdicts)
    endless = any(verdict.code == "LOOP" and verdict.decision == "reject" for verdict in verdicts)
    return Metrics(
        cyclomatic=max(scope.complexity for scope in found.scopes),
        branching=max((arms.number for arms in found.choices), default=1),
        import_risk=risk_of(found, profile),
        has_unbounded_recursion=recursion,
        estimated_runtime=growth_of(found, unbounded=recursion or endless),
        import_count=sum(len(node.names) if isinstance(node, ast.Import) else 1 for node in found.imports),
        function_count=sum(not isinstance(scope.node, (ast.Module, ast.Lambda)) for scope in found.scopes),
        max_nesting_depth=found.max_blocks,
    )


def _budget(profile: Profile) -> str:
    return f"(budget {profile.entropy if profile.scaled else 1.0:.2f})"


def _complexity(found: Scan, profile: Profile) -> Iterator[Verdict]:
    for scope in found.scopes:
        verdict = too_complex(scope.name, scope.complexity, scope.line, profile)
        if verdict is not None:
            yield verdict


def too_complex(name: str, complexity: int, line: int, profile: Profile) -> Verdict | None:
    """Refuse a function that is more complex than the profile allows, in whatever language it is written."""
    limit = profile.max_complexity
    if complexity <= limit:
        return None
    return reject(
        code="COMPLEXITY",
        message=f"cyclomatic {complexity} > {limit} {_budget(profile)} in {name}",
        measured=complexity,
        limit=limit,
        line=line,
        fix="move part of it into functions of its own" if name == MODULE else "split the function",
    )


def _branching(found: Scan, profile: Profile) -> Iterator[Verdict]:
    for arms in found.choices:
        verdict = too_many_arms(arms.scope.name, arms.number, arms.node.lineno, profile)
        if verdict is not None:
            yield verdict


def too_many_arms(name: str, number: int, line: int, profile: Profile) -> Verdict | None:
    """Ask for fewer arms of one choice, and refuse twice as many, in whatever language it is written."""
    limit = profile.max_arms
    if number <= limit:
        return None
    hard = number > 2 * limit
    return (reject if hard else revise)(
        code="ARMS",
        message=f"arms {number} > {2 * limit if hard else limit} {_budget(profile)} in {name}",
        measured=number,
        limit=2 * limit if hard else limit,
        line=line,
        fix="look the cases up in a dict, or return early",
    )


def _size(found: Scan, text: str) -> Iterator[Verdict]:
    lines = text.count("\n") + 1
    for what, measured, limit in (("lines", lines, MAX_LINES), ("nodes", found.nodes, MAX_NODES)):
        if measured > limit:
            message = f"{measured:,} {what} > {limit:,} in one source"
            fix = "split the task into smaller parts"
            yield reject(code="SIZE", message=message, measured=measured, limit=limit, line=1, fix=fix)
