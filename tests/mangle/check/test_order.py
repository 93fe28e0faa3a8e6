"""The order in which premises are evaluated."""

import pytest

from .checking import accept, body

KNOWN = "Decl q(X). Decl r(X). Decl s(X, Y)."


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        ("p(X) :- !r(X), q(X).", ["q(X)", "!r(X)"]),
        ("p(X) :- !r(X), !s(X, _), q(X), q(1).", ["q(X)", "!r(X)", "!s(X, _)", "q(1)"]),
        ("p(X) :- !r(Y), !q(X), q(X), q(Y).", ["q(X)", "!q(X)", "q(Y)", "!r(Y)"]),
        ("p(X) :- !r(Y), q(X), Y = 1.", ["q(X)", "Y = 1", "!r(Y)"]),
        ("p(X) :- X = Y, q(Y).", ["q(Y)", "X = Y"]),
        ("p(X) :- X != 1, q(X).", ["q(X)", "X != 1"]),
        ("p(X) :- X != Y, q(X), q(Y).", ["q(X)", "q(Y)", "X != Y"]),
        ("p(X) :- q(X), X < 3, r(X).", ["q(X)", "X < 3", "r(X)"]),
        ("p() :- !r(_).", ["!r(_)"]),
    ],
)
def test_what_may_wait_comes_as_soon_as_it_can(rule: str, order: list[str]) -> None:
    assert body(accept(f"{KNOWN} {rule}").rules[0]) == order


def test_a_negation_waits_for_a_temporal_premise() -> None:
    rule = accept("Decl t(X) temporal. Decl r(X). p(X) :- !r(X), t(X)@[S, E].").rules[0]
    assert body(rule) == ["t(X)@[S, E]", "!r(X)"]


def test_a_predicate_that_reflects_a_prefix_becomes_its_test() -> None:
    text = "Decl animal(X) descr [reflects(/animal)]. Decl q(X). p(X) :- q(X), animal(X)."
    assert body(accept(text).rules[0]) == ["q(X)", ":match_prefix(X, /animal)"]


def test_a_predicate_that_reflects_a_prefix_is_looked_up_where_nothing_is_known() -> None:
    text = "Decl animal(X) descr [reflects(/animal)]. animal(/animal/cat). p(X) :- animal(X)."
    assert body(accept(text).rules[0]) == ["animal(X)"]


def test_a_rule_keeps_what_was_written() -> None:
    rule = accept(f"{KNOWN} p(X) :- !r(X), q(X).").rules[0]
    assert rule.clause.premises is not None
    assert len(rule.clause.premises) == 2
    assert (rule.number, rule.place.line) == (0, 1)
