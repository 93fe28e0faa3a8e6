"""Which variables have a value."""

import pytest

from mayfly.mangle._ast import Symbol

from .checking import accept, only, refuse, spot

KNOWN = "Decl q(X). Decl r(X, Y). Decl s(L)."


@pytest.mark.parametrize(
    "rule",
    [
        "p(X) :- q(X).",
        "p(X) :- X = 1.",
        "p(X) :- 1 = X.",
        "p(X) :- X = Y, q(Y).",
        "p(X) :- X = Y, Y = /bar .",
        "p(X, Z) :- X = Y, Y = Z, q(Z).",
        "p(X) :- q(Y), X = Y.",
        "p(X) :- Z = 2, q(X), X < Z.",
        "p(X) :- q(Y), X = fn:plus(Y, 1).",
        "p(fn:plus(X, 1)) :- q(X).",
        "p(X) :- q(X), q(fn:plus(X, 1)).",
        "p(H) :- s(L), :match_cons(L, H, _).",
        "p(X) :- s(L), :list:member(X, L).",
        "p(X) :- q(X), !r(X, _).",
        "p(X) :- r(X, _), !r(_, X).",
        "p(X) :- q(X), _ = X.",
        "p() :- 1 = 1.",
    ],
)
def test_a_bound_rule_is_accepted(rule: str) -> None:
    assert len(accept(f"{KNOWN} {rule}").rules) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "p(X) :- q(Y).",
        "p(X) :- !q(X).",
        "p(X) :- X = Y.",
        "p(X) :- X = X.",
        "p(X) :- Y = X, q(Y).",
        "p(X, Z) :- X = Y, Y = Z, q(X).",
        "p(X) :- X != Y, q(Y).",
        "p(X) :- q(X), X != _.",
        "p(X) :- X < 3, q(X).",
        "p(X) :- q(Y), X = Y, X < 3.",
        "p(Z) :- q(Y), X = Y, Z = fn:plus(X, 1).",
        "p(X) :- X = fn:plus(Y, 1), q(Y).",
        "p(X) :- r(X, L), :list:member(X, L).",
        "p(X) :- s(L), :match_cons(L, X, []).",
        "p(L) :- s(L), :match_cons(_, _, _).",
        "p(X) :- q(X), !r(X, Y).",
        "p(X) :- q(X), !:match_nil(_).",
        "p(_) :- q(X).",
        "p(X).",
        "p(_).",
    ],
)
def test_a_variable_without_a_value_is_refused(rule: str) -> None:
    assert {error.stage for error in refuse(f"{KNOWN} {rule}")} == {"analyze"}


def test_an_unbound_variable_is_pointed_at() -> None:
    error = only("Decl q(X).\np(X) :- q(X),\n  !q(Y).")
    assert spot(error) == (3, 6)
    assert error.message == "Y has no value in the rule"
    assert error.fix == "use Y in an atom that is not negated, or write _ if any will do"


def test_an_early_comparison_says_where_to_move_it() -> None:
    error = only("Decl q(X). p(X) :- X < 3, q(X).")
    assert error.message == "X has no value yet in X < 3"
    assert error.fix == "move this to the right of what gives it a value"


def test_modes_decide_what_an_atom_binds() -> None:
    moded = 'Decl m(X, Y) descr [mode("+", "-")]. Decl q(X).'
    accept(f"{moded} p(Y) :- q(X), m(X, Y).")
    assert only(f"{moded} p(X) :- m(X, Y).").message == "X has no value in the rule"
    accept('Decl m(X, Y) descr [mode("+", "-"), mode("-", "-")]. p(X) :- m(X, Y).')


def test_an_input_of_a_deferred_predicate_has_a_value() -> None:
    found = accept('Decl d(X, Y) descr [mode("+", "-"), deferred()]. d(X, Y) :- X < 3, Y = X.')
    assert found.declared[Symbol("d", 2)].deferred


def test_an_input_of_a_computed_predicate_has_none_when_it_is_evaluated() -> None:
    text = 'Decl d(X) descr [mode("+")]. Decl q(X).'
    assert only(f"{text} d(X) :- X < 3.").stage == "eval"
    assert only(f"{text} d(X) :- q(Y).").stage == "eval"


@pytest.mark.parametrize("premise", ["q(fn:plus(Y, 1))", "fn:plus(Y, 1) != 3, q(Y)", "r(fn:plus(_, 1), X)"])
def test_a_function_of_nothing_known_fails_when_it_is_evaluated(premise: str) -> None:
    assert only(f"{KNOWN} p(X) :- q(X), {premise}.").stage == "eval"


@pytest.mark.parametrize("words", ["external(), ", "deferred(), "])
def test_inputs_of_what_is_asked_lazily_must_be_known(words: str) -> None:
    text = f'Decl look(X, Y) descr [{words} mode("+", "-")]. Decl q(X).'
    accept(f"{text} p(Y) :- q(X), look(X, Y).")
    assert refuse(f"{text} p(Y) :- look(X, Y), q(X).")[0].stage == "eval"


def test_a_deferred_predicate_is_neither_negated_nor_used_without_a_mode() -> None:
    assert "negated" in only('Decl d(X) descr [deferred(), mode("+")]. Decl q(X). p(X) :- q(X), !d(X).').message
    assert "no mode" in only("Decl d(X) descr [deferred()]. Decl q(X). p(X) :- q(X), d(X).").message
