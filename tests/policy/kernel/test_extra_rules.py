"""Rule files made of pieces of the shipped rules, dropped beside them: a hostile action stays denied."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import pytest

from mayfly.core import MayflyError
from mayfly.mangle import Clause, DeclaredPredicate, MangleError, Name, Program, Symbol, check_program, show_clause
from mayfly.policy import RuleFile, Snapshot
from mayfly.policy.kernel._files import base_files
from mayfly.policy.kernel._protected import protected_by
from mayfly.policy.kernel.facts import facts_of_action

from ..rules.actions import Asked, read_table  # noqa: TID252

GOALS = [Symbol("decision", 2), Symbol("permitted", 3)]
BATCHES, FILES = 5, 100
# An operator may say that an action with a name of its own is fine: these are denied only as long as nobody says so.
NAMED = ("names that mean nothing", "moved and patched out of the workspace")
HEADS = (
    *["policy_allows(Action, Target, Payload)"] * 6,
    "policy_denies(Id, Reason)",
    "policy_needs_approval(Id, Reason)",
    "verb_claimed(Action)",
    "verb_action(Action, Action)",
    "verb_persona(Action, /stranger)",
    "persona(/stranger)",
    "persona_for(Id, /stranger)",
    "default_persona(/command, /stranger)",
    "action_type(Action)",
    "helper(Id)",
)
ASKED = "pending_action(Id, Action, Target, Payload, _)"


@cache
def base() -> tuple[RuleFile, ...]:
    return tuple(base_files())


@cache
def protected() -> frozenset[str]:
    return protected_by(file.unit for file in base())


@cache
def shipped() -> Mapping[Symbol, DeclaredPredicate]:
    return Snapshot(base()).program().checked.declared


@cache
def clauses() -> tuple[Clause, ...]:
    return tuple(clause for file in base() for clause in file.unit.clauses if clause.premises)


def body_of(clause: Clause) -> list[str]:
    text = show_clause(clause).partition(" :- ")[2].removesuffix(".").partition(" |> ")[0]
    return re.findall(r"(?:[^,(\"]|\"(?:[^\"\\]|\\.)*\"|\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*\))+", text)


def clause_text(random: Random) -> str:
    """Return a shipped rule as it is, with another head, with premises left out, or with those of another rule."""
    one, other = random.choice(clauses()), random.choice(clauses())
    if random.random() < 0.15:
        return show_clause(one)
    premises = [*body_of(one), *(body_of(other) if random.random() < 0.4 else ())]
    premises = [premise.strip() for premise in premises if random.random() < 0.4]
    return f"{random.choice(HEADS)} :- {', '.join([ASKED, *premises])}."


def extra_file(random: Random, number: int) -> RuleFile | None:
    """Return a file as the rulebook would admit it, or None where it refuses what the file defines."""
    name = f"extra{number}.mg"
    text = "\n".join(clause_text(random) for _ in range(random.randrange(1, 4)))
    try:
        own = text.replace("helper(", f"helper{number}(")
        file = RuleFile(name=name, place=name, text=own, protected=protected)
        known = {clause.head.symbol for clause in file.unit.clauses}
        check_program([file.unit], extra={symbol: about for symbol, about in shipped().items() if symbol not in known})
    except MayflyError:
        return None
    return file


def joined(files: Sequence[RuleFile]) -> tuple[Program, int]:
    """Return the shipped rules with those files that pass the checks, and how many did."""
    while True:
        try:
            return Snapshot((*base(), *files)).program(), len(files)
        except MangleError as error:
            wrong = set(re.findall(r"extra\d+\.mg", " ".join(map(str, error.all))))
            left = [file for file in files if file.place not in wrong]
            if len(left) == len(files):
                raise
            files = left


def hostile() -> list[Asked]:
    denied = [asked for asked in read_table("hostile.toml") if asked.decision == "deny" and asked.group not in NAMED]
    return denied[:: len(denied) // 30][:30]


@pytest.mark.first(1)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_mixture_of_rules_permits_what_is_hostile(batch: int) -> None:
    random = Random(batch)
    made = [extra_file(random, number) for number in range(FILES)]
    program, count = joined([file for file in made if file is not None])
    assert count > 20
    allowing = 0
    for asked in hostile():
        facts = facts_of_action(asked.action, asked.target, asked.payload, id="a", time=1, workspace="/w")
        model = program.evaluate([*facts, *asked.told], goals=[*GOALS, Symbol("policy_allows", 3)])
        allowing += bool(model.rows(Symbol("policy_allows", 3)))
        assert not model.rows(Symbol("permitted", 3)), asked
        assert list(model.rows(Symbol("decision", 2))) == [("a", Name("/deny"))], asked
    assert allowing == 30
