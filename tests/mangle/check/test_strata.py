"""The order of predicates, and the cycles that have none."""

from mayfly.mangle._ast import Symbol

from .checking import accept, only, refuse, spot


def test_strata_are_ordered_lowest_first() -> None:
    strata = accept("a(1). d(X) :- c(X), !b(X). c(X) :- b(X). b(X) :- a(X). b(X) :- b(X).").strata
    assert strata == ((Symbol("b", 1),), (Symbol("c", 1),), (Symbol("d", 1),))


def test_predicates_that_need_each_other_share_a_stratum() -> None:
    strata = accept("n(0). even(X) :- n(X). even(X) :- odd(X). odd(X) :- even(X).").strata
    assert [set(group) for group in strata] == [{Symbol("even", 1), Symbol("odd", 1)}]


def test_a_negation_cycle_is_named_in_full_with_a_way_out() -> None:
    error = only(
        """Decl user_intent(Id, Category, Verb, Target, Constraint).
persona(/first) :- user_intent(_, _, /fix, _, _).
persona(/second) :- user_intent(_, _, V, _, _), !persona_matched(V).
persona_matched(V) :- persona(P), P != /first, user_intent(_, _, V, _, _).
"""
    )
    cycle = "persona/1 -> !persona_matched/1 (rules.mg:3) -> persona/1 (rules.mg:4)"
    assert error.message == f"negation cycle: {cycle}"
    assert error.stage == "eval"
    assert spot(error) == (3, 49)
    assert error.fix is not None
    assert "does not depend on persona/1" in error.fix
    assert "verb_claimed(V) :- verb_persona(V, _)." in error.fix


def test_the_shortest_way_round_is_named() -> None:
    text = "q(1). p(X) :- q(X), !a(X). a(X) :- b(X). b(X) :- p(X). a(X) :- p(X)."
    assert "p/1 -> !a/1 (rules.mg:1) -> p/1" in only(text).message


def test_a_predicate_cannot_negate_itself() -> None:
    assert only("q(1). p(X) :- q(X), !p(X).").message == "negation cycle: p/1 -> !p/1 (rules.mg:1)"


def test_aggregation_counts_like_negation() -> None:
    error = only("q(1). p(N) :- q(N). p(N) :- p(X) |> do fn:group_by(), let N = fn:count().")
    assert error.message == "aggregation cycle: p/1 -> all of p/1 (rules.mg:1)"
    assert error.stage == "eval"


def test_a_let_may_be_recursive() -> None:
    accept("q(1). p(X) :- q(X). p(Y) :- p(X), X < 9 |> let Y = fn:plus(X, 1).")


def test_separate_cycles_are_reported_each() -> None:
    assert len(refuse("q(1). a(X) :- q(X), !a(X). b(X) :- q(X), !b(X).")) == 2


def test_a_long_chain_of_rules_does_not_exhaust_the_stack() -> None:
    chain = "p0(1)." + "".join(f"p{i + 1}(X) :- p{i}(X)." for i in range(3000))
    assert len(accept(chain).strata) == 3000


def test_errors_of_the_analysis_come_before_cycles() -> None:
    stages = [error.stage for error in refuse("q(1). a(X) :- q(X), !a(X). b(X) :- zzz(X).")]
    assert stages == ["analyze", "eval"]
