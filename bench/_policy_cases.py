"""The programs that the policy engines are compared on, in Mangle, with their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from mayfly.mangle import Name, Symbol, Value, parse_fact

RULES = Path(__file__).parent / "policy_rules"
CLOSURE = "Decl edge(X, Y).\ntc(X, Y) :- edge(X, Y).\ntc(X, Z) :- tc(X, Y), edge(Y, Z).\n"
CLOSURE_QUERY = (
    "WITH RECURSIVE tc(x, y) AS (SELECT c0, c1 FROM edge UNION "
    "SELECT tc.x, edge.c1 FROM tc JOIN edge ON tc.y = edge.c0) SELECT {} FROM tc"
)
REQUEST = """user_intent("i1", /command, /fix, "src/a.py", /none).
pending_action("a1", /file_write, "src/a.py", "{}", 17).
action_path("a1", "src/a.py", /inside).
action_suffix("a1", ".py").
acting(/mender).
tier(/authored).
grant(/fs).
grant(/net).
file_topology("src/a.py", /python, /false).
imports("src/b.py", "src/a.py").
recent_failure("src/a.py")."""

Fact = tuple[Symbol, tuple[Value, ...]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One program with its facts, what is asked of it, and which peers can be expected to finish."""

    name: str
    rules: str
    facts: Sequence[Fact]
    asked: Symbol
    rounds: int
    calls: int = 1
    patience: tuple[str, ...] = ("clingo", "mangle-py")
    query: str = ""
    """The same question in SQL, over tables of whole numbers named as the facts are; {} is what is wanted."""


def cases(*, quick: bool) -> list[Case]:
    """Return the cases, the smallest first."""
    found = [_routing(quick=quick), _many(quick=quick), _chain(quick=quick)]
    return found if quick else [*found, _random()]


def _routing(*, quick: bool) -> Case:
    return Case(
        name="routing and permit, 166 rules, 11 facts",
        rules=(RULES / "routing.mg").read_text(encoding="utf-8"),
        facts=[parse_fact(line) for line in REQUEST.splitlines()],
        asked=Symbol("permitted", 3),
        rounds=10 if quick else 40,
        calls=20,
    )


def _many(*, quick: bool) -> Case:
    rules = [f"label_{n}(X) :- item(X, /k{n}, N), N > 2." for n in range(1000)]
    item, random = Symbol("item", 3), Random(2)
    return Case(
        name="1,001 rules, 10,000 facts",
        rules="\n".join(["Decl item(X, K, N).", *rules, "rest(X) :- item(X, _, N), N > 7, !label_3(X)."]),
        facts=[
            (item, (Name(f"/x{n}"), Name(f"/k{random.randrange(1000)}"), random.randrange(10))) for n in range(10_000)
        ],
        asked=Symbol("rest", 1),
        rounds=2 if quick else 7,
        patience=("clingo",) if quick else ("clingo", "mangle-py"),
    )


def _chain(*, quick: bool) -> Case:
    edge = Symbol("edge", 2)
    return Case(
        name="closure of a chain of 1,000",
        rules=CLOSURE,
        facts=[(edge, (n, n + 1)) for n in range(1000)],
        asked=Symbol("tc", 2),
        rounds=2 if quick else 7,
        patience=("clingo",),
        query=CLOSURE_QUERY,
    )


def _random() -> Case:
    edge, random = Symbol("edge", 2), Random(1)
    return Case(
        name="closure of a random graph, 2,000 nodes, 8,000 edges",
        rules=CLOSURE,
        facts=[(edge, (random.randrange(2000), random.randrange(2000))) for _ in range(8000)],
        asked=Symbol("tc", 2),
        rounds=1,
        patience=("clingo",),
        query=CLOSURE_QUERY,
    )
