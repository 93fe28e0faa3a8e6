"""The stability gate: complexity, arms, size, growth and the metrics."""

import pytest

from mayfly.core import InputError, Tier
from mayfly.gates._profile import Profile
from mayfly.gates._syntax import check_syntax
from mayfly.gates.stability._stability import MAX_LINES, MAX_NODES, Metrics, StabilityReport, check_stability, is_stable

NGINX = """
import re
from dataclasses import dataclass
from typing import Optional

@dataclass
class AccessLog:
    ip: str
    timestamp: str
    method: str
    path: str
    status: int
    size: int

class NginxParser:
    PATTERN = re.compile(
        r'(?P<ip>\\S+) - - \\[(?P<time>[^\\]]+)\\] '
        r'"(?P<method>\\S+) (?P<path>\\S+) [^"]+" '
        r'(?P<status>\\d+) (?P<size>\\d+)'
    )

    def parse(self, log_line: str) -> Optional[AccessLog]:
        match = self.PATTERN.match(log_line)
        if not match:
            return None
        return AccessLog(
            ip=match.group("ip"),
            timestamp=match.group("time"),
            method=match.group("method"),
            path=match.group("path"),
            status=int(match.group("status")),
            size=int(match.group("size"))
        )

    def find_4xx_errors(self, logs: list[str]) -> list[AccessLog]:
        return [
            log for line in logs
            if (log := self.parse(line)) and 400 <= log.status < 500
        ]
"""


def report(source: str, profile: Profile | None = None) -> StabilityReport:
    parsed = check_syntax(source)
    assert parsed.tree is not None, parsed.verdicts
    return check_stability(parsed.tree, parsed.text, profile or Profile())


def codes(source: str, profile: Profile | None = None) -> list[tuple[str, str]]:
    return [(verdict.decision, verdict.code) for verdict in report(source, profile).verdicts]


def named(function: str, source: str, profile: Profile) -> bool:
    """Whether *function* is too complex for *profile*."""
    found = [verdict for verdict in report(source, profile).verdicts if verdict.code == "COMPLEXITY"]
    return any(verdict.message.endswith(f" in {function}") for verdict in found)


def branching_function(complexity: int) -> str:
    return "def parse(x):\n" + "    if x:\n        x -= 1\n" * (complexity - 1) + "    return x\n"


def chain(arms: int) -> str:
    middle = "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1, arms - 1))
    return f"x = y = 0\nif x == 0:\n    y = 1\n{middle}else:\n    y = 2\n"


def match_of(arms: int) -> str:
    return "def f(x):\n    match x:\n" + "".join(f"        case {n}:\n            return {n}\n" for n in range(arms))


@pytest.mark.parametrize(("depth", "limit"), [(0, 20), (1, 10), (2, 6), (3, 5)])
def test_the_complexity_limit_is_inclusive_at_every_depth(depth: int, limit: int) -> None:
    profile = Profile(depth=depth)
    assert codes(branching_function(limit), profile) == []
    assert codes(branching_function(limit + 1), profile) == [("reject", "COMPLEXITY")]


def test_a_complexity_verdict_says_what_was_measured_and_where() -> None:
    (verdict,) = report("x = 1\n" + branching_function(14)).verdicts
    assert verdict.message == "cyclomatic 14 > 10 (budget 0.50) in parse"
    assert (verdict.gate, verdict.measured, verdict.limit, verdict.line) == ("stability", 14, 10, 2)
    assert verdict.fix


@pytest.mark.parametrize(
    ("body", "complexity"),
    [
        ("return 1", 1),
        ("if x: return 1", 2),
        ("for i in x: pass", 2),
        ("while x: x -= 1", 2),
        ("with x: pass", 2),
        ("try:\n        pass\n    except ValueError: pass\n    except KeyError: pass", 3),
        ("return [i for i in x for j in i]", 3),
        ("return 1 if x else 2", 2),
        ("return a and b and c or d", 4),
        ("assert x", 1),
        ("match x:\n        case 1: pass\n        case 2: pass\n        case _: pass", 3),
        ("def g():\n        if x: pass\n        if x: pass", 1),
    ],
)
def test_complexity_counts_each_decision(body: str, complexity: int) -> None:
    source = f"def f(x, a, b, c, d):\n    {body}\n"
    assert not named("f", source, Profile(depth=0, complexity=complexity))
    assert named("f", source, Profile(depth=0, complexity=complexity - 1))


def test_inner_functions_are_counted_on_their_own() -> None:
    inner = branching_function(10).replace("\n", "\n    ")
    source = f"def outer(x):\n    {inner}\n" + "    if x:\n        x -= 1\n" * 9 + "    return parse(x)\n"
    assert codes(source) == []


def test_code_outside_of_functions_counts_as_well() -> None:
    assert "in the module" in report("x = 1\n" + "if x: x = 2\n" * 10).verdicts[0].message


def test_every_function_over_the_limit_is_named() -> None:
    second = branching_function(12).replace("parse", "other")
    assert [v.message.split()[-1] for v in report(branching_function(11) + second).verdicts] == ["parse", "other"]


def test_a_constraint_may_lower_the_limit_but_not_raise_it() -> None:
    assert Profile(complexity=5).max_complexity == 5
    assert codes(branching_function(11), Profile(complexity=50)) == [("reject", "COMPLEXITY")]


def test_what_is_kept_in_the_library_has_absolute_limits() -> None:
    kept = Profile(tier=Tier.AUTHORED, depth=3)
    assert codes(branching_function(20), kept) == []
    assert "20 (budget 1.00)" in report(branching_function(21), kept).verdicts[0].message


@pytest.mark.parametrize(
    ("source", "depth", "expected"),
    [
        (chain(2), 3, []),
        (chain(3), 1, [("revise", "ARMS")]),
        (chain(4), 1, [("revise", "ARMS")]),
        (chain(5), 1, [("reject", "ARMS")]),
        (chain(5), 0, []),
        (chain(6), 0, [("revise", "ARMS")]),
        (match_of(10), 0, [("revise", "ARMS")]),
        (match_of(11), 0, [("reject", "ARMS")]),
        ("y = 1 if x else 2 if z else 3\n", 1, [("revise", "ARMS")]),
        ("def f(x):\n    if x: return 1\n    if not x: return 2\n    return 3\n", 3, []),
    ],
)
def test_arms_of_one_choice_are_counted_not_returns(source: str, depth: int, expected: list[tuple[str, str]]) -> None:
    assert codes(source, Profile(depth=depth)) == expected


def test_nested_choices_are_not_added_up() -> None:
    assert codes("x = 1\nif x:\n    if x: x = 2\n    else: x = 3\nelse:\n    x = 4\n") == []


def test_an_arms_verdict_has_its_numbers() -> None:
    (verdict,) = report(chain(3)).verdicts
    assert verdict.message == "arms 3 > 2 (budget 0.50) in the module"
    assert (verdict.measured, verdict.limit, verdict.line) == (3, 2, 2)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_nginx_example_is_stable_at_every_depth(depth: int) -> None:
    assert report(NGINX, Profile(depth=depth)).verdicts == ()


def test_the_metrics_are_those_of_the_code() -> None:
    assert report(NGINX).metrics == Metrics(
        cyclomatic=3,
        branching=1,
        import_risk=0.1,
        has_unbounded_recursion=False,
        estimated_runtime="O(n)",
        import_count=3,
        function_count=2,
        max_nesting_depth=1,
    )


@pytest.mark.parametrize(
    ("source", "growth"),
    [
        ("x = 1", "O(1)"),
        ("for a in x: pass", "O(n)"),
        ("for a in (1, 2, 3): pass", "O(1)"),
        ("for a in range(10):\n    for b in x: pass", "O(n)"),
        ("for a in range(n): pass", "O(n)"),
        ("for a in x:\n    for b in a: pass", "O(n^2)"),
        ("y = [b for a in x for b in a]", "O(n^2)"),
        ("for a in x:\n    y = [b for b in a if [c for c in b]]", "O(n^2)"),
        ("for a in x:\n    for b in x:\n        for c in x: pass", "O(n^3)"),
        ("for a in [b for b in x]: pass", "O(n)"),
        ("def f():\n    for a in x: pass\ndef g():\n    for a in x: pass", "O(n)"),
        ("while True: pass", "unbounded"),
        ("def f(): return f()", "unbounded"),
    ],
)
def test_growth_is_estimated_by_nested_loops(source: str, growth: str) -> None:
    assert report(source).metrics.estimated_runtime == growth


def test_more_than_three_nested_loops_are_sent_back() -> None:
    source = (
        "def f(x):\n    for a in x:\n        for b in x:\n            for c in x:\n                for d in x: pass\n"
    )
    (verdict,) = report(source).verdicts
    assert (verdict.decision, verdict.code, verdict.measured, verdict.limit) == ("revise", "GROWTH", 4, 3)


def test_a_module_may_not_grow_without_limit() -> None:
    assert codes("x = 1\n" * (MAX_LINES - 1)) == []
    assert codes("x = 1\n" * MAX_LINES) == [("reject", "SIZE")]
    assert codes("x = [" + "1, " * MAX_NODES + "]") == [("reject", "SIZE")]


def test_all_violations_are_collected_in_the_order_of_their_lines() -> None:
    source = f"import os\n{branching_function(11)}\nwhile True: pass\neval('1')\n"
    found = report(source).verdicts
    assert {verdict.code for verdict in found} == {"IMPORT", "IMPORT_RISK", "COMPLEXITY", "LOOP", "NAME"}
    lines = [verdict.line or 0 for verdict in found]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("source", "budget", "stable"),
    [
        (NGINX, 0.25, True),
        (branching_function(10), 0.5, True),
        (branching_function(11), 0.5, False),
        (branching_function(14), 0.7, True),
        (branching_function(15), 0.7, False),
        (chain(3), 0.5, True),
        ("import os", 1.0, False),
        ("x = ", 1.0, False),
        ("x = 1", 0.0, False),
    ],
)
def test_is_stable_takes_any_budget(source: str, budget: float, stable: bool) -> None:
    assert is_stable(source, budget) is stable


@pytest.mark.parametrize("budget", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_budget_that_cannot_be_meant_is_an_error(budget: float) -> None:
    with pytest.raises(InputError, match="budget"):
        is_stable("x = 1", budget)


@pytest.mark.parametrize("terms", [500, 900])
def test_deep_expressions_get_a_verdict_and_no_crash(terms: int) -> None:
    source = f"def f(x):\n    return f(x{'.y' * terms}{' + f(x)' * terms})\n"
    parsed = check_syntax(source)
    found = check_stability(parsed.tree, parsed.text, Profile()).verdicts if parsed.tree else parsed.verdicts
    assert any(verdict.decision == "reject" for verdict in found)
