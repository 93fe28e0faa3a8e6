"""A program that was bytes for a while answers as it did before, with the same derivations."""

import pickle
import subprocess
import sys
from random import Random

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse_atom, parse_fact
from mayfly.mangle._text import show_row
from mayfly.mangle._values import Row, Time
from mayfly.mangle.engine import Model, Program, freeze, functions, thaw
from mayfly.mangle.explain import to_json, why, why_not

from .helpers import facts, program, rows
from .programs import Maker
from .test_merge import SHORTEST

NOW = Time(1_700_000_000_000_000_000)
Fact = tuple[Symbol, Row]


def everything(model: Model) -> list[object]:
    """Return all that holds, in order, each with where it comes from."""
    return [
        (fact, None if origin is None else (origin.place, dict(origin.bindings), origin.rule and origin.rule.number))
        for fact in model.facts()
        for origin in [model.origin(*fact)]
    ]


def outcome(loaded: Program, given: list[Fact], *, record: bool = True) -> list[object]:
    try:
        return everything(loaded.evaluate(given, now=NOW, record=record))
    except MangleError as error:
        return [str(error)]


@pytest.mark.parametrize("batch", range(4))
def test_random_programs_answer_as_before(batch: int) -> None:
    for seed in range(batch * 60, batch * 60 + 60):
        made, random = Maker(seed).make(), Random(seed)
        own = [fact for fact in made.facts if random.random() < 0.5]
        given = [parse_fact(fact) for fact in made.facts if fact not in own]
        before = program("\n".join([made.rules, *own]))
        fresh = thaw(freeze(before))
        expected = outcome(before, given)
        after = thaw(freeze(before))
        for loaded in (fresh, after, thaw(freeze(after))):
            assert outcome(loaded, given) == expected, seed
            assert outcome(loaded, given[::2]) == outcome(before, given[::2]), seed
        assert outcome(after, given, record=False) == outcome(before, given, record=False)


ODD = {
    "merged": f"{SHORTEST} edge(/a, /b). edge(/b, /c). far(X) :- path(X, /c, N), N > 1.",
    "timed": "Decl on(X) temporal. on(/a)@[2023-01-01, 2024-02-01]. on(/b)@[2024-03-01]. q(X) :- on(X)@[now].",
    "counted": "p(/a, 1). p(/a, 2). q(X, N) :- p(X, Y) |> do fn:group_by(X), let N = fn:sum(Y).",
    "built": "p([1, 2]). p([3]). q(X, N) :- p(X), N = fn:list:len(X). r(Y) :- p(X), :match_cons(X, Y, _).",
    "external": "Decl asked(X) descr [external(), mode('+')]. p(/a). q(X) :- p(X), !asked(X).",
}


@pytest.mark.parametrize("name", ODD)
def test_every_kind_of_rule_answers_as_before(name: str) -> None:
    before = program(ODD[name])
    given = facts("edge(/a, /c)") if name == "merged" else []
    expected = outcome(before, given)
    assert outcome(thaw(freeze(before)), given) == expected
    assert outcome(thaw(freeze(thaw(freeze(before)))), given) == expected


def test_a_better_row_replaces_one_that_came_back() -> None:
    loaded = program(ODD["merged"])
    assert rows(loaded.evaluate(), "far") == {"/a"}
    nearer = thaw(freeze(loaded)).evaluate(facts("edge(/a, /c)"))
    assert rows(nearer, "far") == set()


def test_explanations_are_the_same() -> None:
    text = "e(/a, /b). e(/b, /c). p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). q(X) :- p(X, /c), !e(X, /c)."
    before = program(text)
    models = [loaded.evaluate() for loaded in (before, thaw(freeze(before)))]
    goal, missing = parse_atom("q(/a)"), parse_atom("q(/b)")
    reasons = [to_json(why(model, goal.symbol, model.match(goal)[0])) for model in models]
    gaps = [to_json(why_not(model, missing)) for model in models]
    assert reasons[0] == reasons[1]
    assert gaps[0] == gaps[1]


def test_functions_that_were_made_come_back_and_are_counted() -> None:
    before = program("e(1). e(2). p(X) :- e(X), X > 1.")
    assert functions(before) == 0
    before.evaluate(facts("e(7)"))
    made = functions(before)
    after = thaw(freeze(before))
    assert functions(after) == made > 0
    after.evaluate(facts("e(7)"))
    assert functions(after) == made
    after.evaluate(facts("e(7)"), record=False)
    assert functions(after) > made


def test_a_program_comes_back_in_another_process() -> None:
    data = freeze(program("e(1). e(2). p(X) :- e(X), X > 1. q(N) :- p(X) |> do fn:group_by(), let N = fn:count()."))
    script = (
        "import sys; from mayfly.mangle.engine import thaw; from mayfly.mangle import show_row\n"
        "model = thaw(sys.stdin.buffer.read()).evaluate()\nprint(*sorted(show_row(*fact) for fact in model.facts()))"
    )
    ran = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=True)
    assert ran.stdout.decode().split() == ["e(1)", "e(2)", "p(2)", "q(1)"]


def test_what_is_known_of_predicates_comes_back() -> None:
    loaded = thaw(freeze(program('Decl p(X, Y) descr [doc("pairs")]. p(1, 2). q(X) :- p(X, _).')))
    assert loaded.predicates == {Symbol("p", 2), Symbol("q", 1)}
    assert loaded.checked.declared[Symbol("p", 2)].doc == "pairs"
    assert [show_row(given.symbol, given.row) for given in loaded.checked.given] == ["p(1, 2)"]
    assert [rule.number for rule in loaded.checked.rules] == [0]


def test_nothing_from_elsewhere_is_read_as_a_part() -> None:
    texts, whole, _ = pickle.loads(freeze(program("p(1).")))
    with pytest.raises(pickle.UnpicklingError, match=r"posix\.system is no part"):
        thaw(pickle.dumps((texts, whole, b"cposix\nsystem\n(S'true'\ntR.")))
