"""Grouping and reducing."""

from .helpers import derived, facts, program, rows

PAID = "Decl paid(Who, What, Amount)."


def test_each_fact_of_a_single_atom_counts() -> None:
    text = f"{PAID} n(W, N) :- paid(W, _, _) |> do fn:group_by(W), let N = fn:count()."
    assert derived(text, "n", "paid(/a, 1, 1)", "paid(/a, 2, 1)", "paid(/b, 1, 1)") == {"/a, 2", "/b, 1"}


def test_a_wildcard_alone_counts_every_fact() -> None:
    text = "Decl p(X). n(N) :- p(_) |> do fn:group_by(), let N = fn:count()."
    assert derived(text, "n", "p(1)", "p(2)", "p(3)") == {"3"}


def test_with_more_premises_distinct_rows_count() -> None:
    text = f"{PAID} Decl ok(W). s(W, S) :- paid(W, _, A), ok(W) |> do fn:group_by(W), let S = fn:sum(A)."
    # Two payments of the same amount are one row, since what was paid for has no name.
    assert derived(text, "s", "paid(/a, 1, 5)", "paid(/a, 2, 5)", "ok(/a)") == {"/a, 5"}


def test_no_rows_no_group() -> None:
    text = "Decl p(X). n(N) :- p(X) |> do fn:group_by(), let N = fn:count()."
    assert derived(text, "n") == set()


def test_later_statements_use_earlier_ones() -> None:
    text = "Decl p(X). n(M) :- p(X) |> do fn:group_by(), let S = fn:sum(X), let M = fn:plus(S, 1)."
    assert derived(text, "n", "p(1)", "p(2)") == {"4"}


def test_two_aggregating_rules_of_one_predicate_do_not_mix() -> None:
    text = """Decl p(X). Decl q(X). Decl r(X).
    n(N) :- p(X), r(X) |> do fn:group_by(), let N = fn:count().
    n(N) :- q(X), r(X) |> do fn:group_by(), let N = fn:sum(X)."""
    assert derived(text, "n", "p(1)", "q(7)", "q(8)", "r(1)", "r(7)", "r(8)") == {"1", "15"}


def test_recursion_of_the_same_predicate_does_not_see_its_aggregates() -> None:
    text = """Decl e(X). n(N) :- e(X) |> do fn:group_by(), let N = fn:count().
    n(M) :- n(N), N < 5, M = fn:plus(N, 1)."""
    assert derived(text, "n", "e(1)", "e(2)") == {"2"}
    assert derived(f"{text} n(3).", "n", "e(1)") == {"1", "3", "4", "5"}


def test_an_aggregate_of_the_programs_own_facts_is_made_anew_when_there_are_more() -> None:
    loaded = program("p(1). p(2). n(N) :- p(_) |> do fn:group_by(), let N = fn:count(). big(/yes) :- n(N), N > 2.")
    assert rows(loaded.evaluate(), "n") == {"2"}
    more = loaded.evaluate(facts("p(3)"))
    assert rows(more, "n") == {"3"}
    assert rows(more, "big") == {"/yes"}
    assert rows(loaded.evaluate(), "big") == set()
