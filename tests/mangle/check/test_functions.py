"""Functions in rules and facts."""

import pytest

from mayfly.mangle._values import List, Name, Pair

from .checking import accept, only, refuse, spot


def test_the_functions_of_a_fact_are_evaluated() -> None:
    fact = accept("p(fn:plus(1, 2), [/a, fn:pair(1, 2)]).").given[0]
    assert fact.row == (3, List((Name("/a"), Pair((1, 2)))))


@pytest.mark.parametrize("term", ['fn:plus(1, "a")', "fn:nope(1)", "fn:div(1, 0)", "fn:sqrt(1, 2)", "fn:plus(1, X)"])
def test_a_fact_that_cannot_be_evaluated_is_an_error_of_the_analysis(term: str) -> None:
    error = only(f"p({term}).")
    assert error.stage == "analyze"
    assert error.place is not None


@pytest.mark.parametrize(
    "premise",
    [
        "Y = fn:nope(X)",
        "X != fn:nope(X)",
        "q(fn:nope(X))",
        "!q(fn:nope(X))",
        "Y = fn:mod(X)",
        "Y = fn:map(X)",
        "Y = fn:struct(X)",
        "Y = fn:map:get(X, 1)",
    ],
)
def test_a_wrong_function_of_a_body_is_refused(premise: str) -> None:
    assert {error.stage for error in refuse(f"Decl q(X). p(X) :- q(X), {premise}.")} == {"analyze"}


def test_a_wrong_function_of_a_head_fails_when_it_is_evaluated() -> None:
    error = only("Decl q(X).\np(fn:plsu(X)) :- q(X).")
    assert error.stage == "eval"
    assert error.fix == "did you mean fn:plus?"
    assert spot(error) == (2, 3)


def test_a_wrong_number_of_arguments_is_named() -> None:
    error = only("Decl q(X). p(N) :- q(X) |> do fn:group_by(), let N = fn:count(X).")
    assert error.message == "fn:count takes 0 arguments, not 1"
    assert error.fix == "write fn:count() for the number of rows"
