"""What single kinds of premises and heads mean."""

import pytest

from mayfly.mangle._errors import MangleError

from .helpers import derived, facts, program, rows

EDGES = "edge(/a, /b). edge(/b, /c). edge(/c, /d)."


def test_a_rule_joins_on_shared_variables() -> None:
    assert derived(f"{EDGES} two(X, Z) :- edge(X, Y), edge(Y, Z).", "two") == {"/a, /c", "/b, /d"}


@pytest.mark.parametrize(
    "rule",
    ["tc(X, Z) :- tc(X, Y), edge(Y, Z).", "tc(X, Z) :- edge(X, Y), tc(Y, Z).", "tc(X, Z) :- tc(X, Y), tc(Y, Z)."],
)
def test_recursion_gives_the_closure(rule: str) -> None:
    found = derived(f"{EDGES} edge(/d, /b). tc(X, Y) :- edge(X, Y). {rule}", "tc")
    expected = {f"{x}, {y}" for x in ("/a", "/b", "/c", "/d") for y in ("/b", "/c", "/d")}
    assert found == expected


def test_mutual_recursion_ends() -> None:
    text = """n(0). n(1). n(2). n(3). n(4).
    even(0). even(Y) :- odd(X), n(Y), Y = fn:plus(X, 1). odd(Y) :- even(X), n(Y), Y = fn:plus(X, 1)."""
    assert derived(text, "even") == {"0", "2", "4"}


def test_constants_and_repeated_variables_select() -> None:
    text = "p(/a, /a, 1). p(/a, /b, 1). p(/c, /c, 2). same(X) :- p(X, X, 1)."
    assert derived(text, "same") == {"/a"}


def test_a_string_is_not_the_name_or_number_of_the_same_look() -> None:
    text = 'p("/a"). p(/a). p("1"). p(1). name(/yes) :- p(/a). n(X) :- p(X), X = 1.'
    assert derived(text, "n") == {"1"}


def test_negation_with_a_wildcard_means_that_no_fact_matches() -> None:
    text = "user(/ann). user(/bob). denied(/bob, /late). ok(X) :- user(X), !denied(X, _)."
    assert derived(text, "ok") == {"/ann"}


def test_negation_of_nothing_holds() -> None:
    text = "Decl stop(X). go(/now) :- !stop(_)."
    assert derived(text, "go") == {"/now"}
    assert derived(text, "go", "stop(/red)") == set()


def test_equalities_bind_and_compare() -> None:
    text = "p(1). p(2). q(X, Y) :- p(X), Y = fn:plus(X, 1). r(X) :- q(X, Y), X != 1, Y = 3. s(X) :- X = /only ."
    assert derived(text, "q") == {"1, 2", "2, 3"}
    assert derived(text, "r") == {"2"}
    assert derived(text, "s") == {"/only"}


def test_an_equality_of_two_variables_waits_for_one_of_them() -> None:
    assert derived("p(1). q(X) :- X = Y, p(Y).", "q") == {"1"}


def test_comparisons_filter() -> None:
    assert derived("p(1). p(2). p(3). q(X) :- p(X), X > 1, X <= 2.", "q") == {"2"}


def test_builtin_predicates_give_values() -> None:
    text = "p([1, 2]). p([]). head(H, T) :- p(L), :match_cons(L, H, T). member(X) :- p(L), :list:member(X, L)."
    assert derived(text, "head") == {"1, [2]"}
    assert derived(text, "member") == {"1", "2"}


def test_heads_may_compute() -> None:
    assert derived("p(1). p(2). q([X, 7]) :- p(X).", "q") == {"[1, 7]", "[2, 7]"}


def test_a_let_transform_computes_after_the_body() -> None:
    assert derived("p(1). p(2). q(X, Y) :- p(X) |> let Y = fn:mult(X, 10).", "q") == {"1, 10", "2, 20"}


def test_a_predicate_may_have_no_columns() -> None:
    text = "Decl seen(X). any() :- seen(_). none() :- !any()."
    assert derived(text, "none") == {""}
    assert derived(text, "none", "seen(1)") == set()
    assert derived(text, "any", "seen(1)") == {""}


def test_no_text_of_a_rule_becomes_code() -> None:
    hostile = "'); raise SystemExit('caught') #"
    text = f'p("{hostile}"). q(X) :- p(X), X = "{hostile}". r("{hostile}") :- p(_).'
    assert len(derived(text, "q")) == 1
    assert len(derived(text, "r")) == 1


def test_a_failing_function_names_the_rule() -> None:
    with pytest.raises(MangleError) as caught:
        program("p(0).\nq(Y) :- p(X), Y = fn:div(1, X).").evaluate()
    assert caught.value.stage == "eval"
    assert caught.value.place is not None
    assert caught.value.place.line == 2


def test_a_rule_fails_as_it_is_written_even_if_a_later_premise_has_no_rows() -> None:
    with pytest.raises(MangleError):
        program("Decl r(X). p(0). q(Y) :- p(X), Y = fn:div(1, X), r(X).").evaluate()


def test_a_premise_without_rows_keeps_a_later_one_from_failing() -> None:
    assert derived("Decl r(X). p(0). q(Y) :- p(X), r(X), Y = fn:div(1, X).", "q") == set()


def test_comparing_what_cannot_be_compared_is_an_error() -> None:
    with pytest.raises(MangleError):
        program("Decl p(X). q(X) :- p(X), X < 3.").evaluate(facts("p(/a)"))


def test_a_rule_may_start_from_any_premise() -> None:
    text = "Decl a(X). Decl b(X, Y). Decl c(Y). q(X, Y) :- a(X), b(X, Y), c(Y)."
    loaded = program(text)
    given = ("a(1)", "b(1, 2)", "c(2)")
    assert rows(loaded.evaluate(facts(*given)), "q") == {"1, 2"}
    for missing in given:
        assert rows(loaded.evaluate(facts(*(one for one in given if one != missing))), "q") == set()
