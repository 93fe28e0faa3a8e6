"""Predicates with time."""

import pytest

from mayfly.mangle._ast import Symbol

from .checking import accept, only

DATED = "t(1) @[2024-01-01]."


@pytest.mark.parametrize(
    "text",
    [
        "q(X) :- t(X)@[S, E].",
        "q(X, S) :- <-[0d, 7d] t(X)@[S, E].",
        "q(X)@[S, E] :- t(X)@[S, E].",
        "q(X)@[S, E] :- t(X)@[S, E]. q(X)@[S, E] :- q(X)@[S, E].",
        "q(X)@[S, E] :- <+[0d, 7d] t(X)@[S, E].",
    ],
)
def test_good_uses_of_time_are_accepted(text: str) -> None:
    accept(f"{DATED} {text}")


def test_a_dated_fact_makes_its_predicate_temporal() -> None:
    checked = accept(DATED)
    assert checked.declared[Symbol("t", 1)].temporal
    assert checked.given[0].time is not None


def test_an_open_interval_makes_nothing_temporal() -> None:
    assert not accept("t(1) @[_, _]. q(X) :- t(X).").declared[Symbol("t", 1)].temporal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{DATED} q(X) :- t(X).", "t/1 is temporal and is asked without a time"),
        (f"{DATED} t(2).", "t/1 is temporal but has no time here"),
        (f"t(2). {DATED}", "t/1 is not temporal but has a time here"),
        ("Decl t(X) temporal. t(1).", "t/1 is temporal but has no time here"),
        (f"Decl t(X). {DATED}", "t/1 is not temporal but has a time here"),
        ("p(1). q(X) :- p(X)@[S, E].", "p/1 is not temporal but is asked for a time"),
        (f"{DATED} q(X)@[T] :- t(X)@[S, E].", "T has no value in the rule"),
        ("t(1) @[S].", "a fact has no variables, found S"),
        (f"{DATED} q(X)@[_, _] :- <-[0d, 1d] :lt(X, 2), t(X)@[S, E].", ":lt is built in and has no time"),
    ],
)
def test_wrong_uses_of_time_are_refused(text: str, message: str) -> None:
    error = only(text)
    assert (error.message, error.stage) == (message, "analyze")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t(1) @[2024-02-01, 2024-01-01].", "the interval ends before it begins"),
        (f"{DATED} q(X)@[7d] :- t(X)@[S, E].", "a duration says how long, not when"),
    ],
)
def test_an_interval_that_cannot_be_fails_when_it_is_evaluated(text: str, message: str) -> None:
    error = only(text)
    assert (error.message, error.stage) == (message, "eval")


def test_recursion_through_several_temporal_predicates_is_refused() -> None:
    error = only(f"{DATED} a(X)@[S, E] :- t(X)@[S, E]. a(X)@[S, E] :- b(X)@[S, E]. b(X)@[S, E] :- a(X)@[S, E].")
    assert error.stage == "analyze"
    assert "a/1 -> b/1 (rules.mg:1) -> a/1 (rules.mg:1)" in error.message


def test_a_loop_of_one_does_not_hide_the_cycle_of_two() -> None:
    error = only("a(X)@[S, E] :- a(X)@[S, E]. a(X)@[S, E] :- b(X)@[S, E]. b(X)@[S, E] :- a(X)@[S, E].")
    assert "a/1 -> b/1 (rules.mg:1) -> a/1 (rules.mg:1)" in error.message


def test_recursion_into_the_future_is_refused() -> None:
    error = only(f"{DATED} q(X)@[S, E] :- t(X)@[S, E]. q(X)@[S, E] :- <+[0d, 1d] q(X)@[S, E].")
    assert (error.stage, "into the future" in error.message) == ("analyze", True)
