import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse_fact
from mayfly.mangle.explain import RuleAttempt, WhyNot, why_not

from .helpers import CHEAPEST, CYCLE, DEFERRED, PERMITS, because_not, evaluated, goal, said


def failures(found: WhyNot) -> list[RuleAttempt]:
    return list(found.rules)


def test_each_rule_names_its_first_failing_premise() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    first, second = failures(because_not(model, 'permitted(/shell, "x")'))
    assert (first.reason, first.number) == ("missing", 2)
    assert (second.reason, second.number) == ("missing", 3)


def test_a_missing_fact_that_no_rule_makes_was_not_given() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    lines = said(because_not(model, 'permitted(/shell, "x")'))
    assert '   └─ approved("a1") does not hold: no such fact was given' in lines


def test_the_surviving_bindings_are_shown() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    assert '   ├─ with A = /shell, T = "x", I = "a1"' in said(because_not(model, 'permitted(/shell, "x")'))


def test_a_missing_derived_fact_is_asked_after_in_turn() -> None:
    model = evaluated("Decl base(X). q(X) :- base(X). p(X) :- q(X).")
    (failed,) = failures(because_not(model, "p(1)"))
    assert failures(failed.missing[0])[0].missing[0].goal.predicate == "base"


def test_depth_ends_the_questions() -> None:
    model = evaluated("Decl base(X). q(X) :- base(X). p(X) :- q(X).")
    (failed,) = failures(because_not(model, "p(1)", depth=1))
    assert failed.missing[0].note == "cut"


def test_a_recursive_rule_is_asked_once() -> None:
    lines = said(because_not(evaluated(CYCLE), "path(7, 8)", depth=12))
    assert sum("does not hold (shown above)" in line for line in lines) <= 1
    assert len(lines) < 20


def test_a_blocking_fact_comes_with_its_derivation() -> None:
    model = evaluated(PERMITS, 'pending("a1", /read, "/etc/x")')
    failed = failures(because_not(model, 'permitted(/read, "/etc/x")'))[0]
    assert failed.reason == "blocked"
    lines = said(because_not(model, 'permitted(/read, "/etc/x")'))
    assert any('refused("a1", "outside")  by refused(I, "outside")' in line for line in lines)


def test_a_false_comparison_shows_its_values() -> None:
    model = evaluated("n(5). p(X) :- n(X), X < 3.")
    assert said(because_not(model, "p(X)"))[1].startswith("└─ premise 2 fails: 5 < 3 is false")


def test_a_false_equality_shows_its_values() -> None:
    model = evaluated("n(5). p(X) :- n(X), fn:plus(X, 1) = 7.")
    assert said(because_not(model, "p(X)"))[1].startswith(
        "└─ premise 2 fails: fn:plus(5, 1) = 7, that is 6 = 7 is false"
    )


def test_constants_of_the_head_that_differ_are_named() -> None:
    model = evaluated("n(5). p(/a, X) :- n(X).")
    (failed,) = failures(because_not(model, "p(/b, _)"))
    assert failed.reason == "head"
    assert said(because_not(model, "p(/b, _)"))[1].startswith("└─ argument 1 of the head is /a, not /b")


def test_one_variable_cannot_be_two_values() -> None:
    model = evaluated("n(5). p(X, X) :- n(X).")
    assert failures(because_not(model, "p(5, 6)"))[0].reason == "head"


def test_many_rules_with_other_heads_are_counted_in_text() -> None:
    rules = "".join(f"p(/r{number}) :- n({number})." for number in range(9))
    lines = said(because_not(evaluated("n(100)." + rules), "p(/none)"))
    assert lines[1:] == ["└─ 9 other rules cannot make it by the head"]


def test_of_many_rules_those_that_came_furthest_are_shown() -> None:
    rules = " ".join(f"p(X) :- n(X), m({number}, X)." for number in range(40))
    found = because_not(evaluated(f"Decl m(N, X). n(1). {rules} p(X) :- n(X), n(_), X > 5."), "p(1)")
    lines = said(found)
    assert any("1 > 5 is false" in line for line in lines)
    assert lines[-1] == "└─ 29 other rules came no further"
    assert len(found.rules) == 41


def test_what_a_rule_makes_instead_is_shown() -> None:
    model = evaluated("n(1). n(2). p(fn:plus(X, 10)) :- n(X).")
    assert "its premises hold, but it makes p(11) and p(12)" in said(because_not(model, "p(5)"))[1]


def test_what_an_aggregate_makes_instead_is_shown() -> None:
    model = evaluated("n(/a, 1). n(/a, 2). n(/b, 9). s(K, S) :- n(K, V) |> do fn:group_by(K), let S = fn:sum(V).")
    assert "it makes s(/a, 3)" in said(because_not(model, "s(/a, 4)"))[1]


def test_a_repeated_variable_of_the_goal_is_respected() -> None:
    model = evaluated("e(1, 2). p(X, Y) :- e(X, Y).")
    assert failures(because_not(model, "p(X, X)"))[0].reason == "result"


def test_a_goal_that_holds_says_so() -> None:
    found = because_not(evaluated(CYCLE), "path(1, X)")
    assert found.holds
    assert said(found)[0] == "path(1, X) holds"


def test_facts_close_to_a_missing_one_are_shown() -> None:
    model = evaluated('role("ann", /admin). role("bob", /user).')
    assert said(because_not(model, 'role("bob", /admin)'))[1:] == [
        '├─ there is role("ann", /admin)',
        '└─ there is role("bob", /user)',
    ]


def test_an_external_predicate_answered_nothing() -> None:
    text = "Decl exists(P) descr [external(), mode('+')]. want(/a). p(X) :- want(X), exists(X)."
    model = evaluated(text, externals={Symbol("exists", 1): lambda asked: []})
    (failed,) = failures(because_not(model, "p(/a)"))
    assert failed.reason == "external"


def test_a_row_that_lost_a_merge_was_replaced() -> None:
    assert failures(because_not(evaluated(CHEAPEST), "price(/tea, 5)"))[0].reason == "replaced"


def test_a_predicate_computed_only_when_asked_is_asked() -> None:
    found = because_not(evaluated(DEFERRED), "p(3, 9)")
    assert failures(found)[0].missing[0].goal.predicate == "next"
    assert not because_not(evaluated(DEFERRED), "next(3, 9)").holds
    assert because_not(evaluated(DEFERRED), "next(3, 4)").holds


def test_an_evaluation_for_other_goals_is_named() -> None:
    model = evaluated("Decl told(X). a(X) :- told(X). b(X) :- told(X).").program
    found = why_not(model.evaluate([parse_fact("told(1)")], goals={Symbol("a", 1)}), goal("b(1)"), repair=False)
    assert failures(found)[0].reason == "skipped"


def test_an_external_predicate_is_asked_what_the_evaluation_did_not_ask() -> None:
    text = "Decl exists(P) descr [external(), mode('+')]. want(/a). want(/b). p(X) :- want(X), exists(X), small(X)."
    asked = {Symbol("exists", 1): lambda known: [known]}
    (failed,) = failures(because_not(evaluated(text + " small(/c).", externals=asked), "p(/a)"))
    assert (failed.reason, failed.number) == ("missing", 3)


@pytest.mark.parametrize(("asked", "hint"), [("pth(1, 2)", "path/2"), ("path(1)", "path/2"), ("edgy(1)", "edge/2")])
def test_an_unknown_predicate_names_the_nearest(asked: str, hint: str) -> None:
    with pytest.raises(MangleError, match=rf"is not a predicate of this program.*{hint}"):
        because_not(evaluated(CYCLE), asked)


def test_a_goal_with_a_function_that_fails_is_an_error() -> None:
    with pytest.raises(MangleError):
        because_not(evaluated(CYCLE), "edge(fn:div(1, 0), 2)")


def test_a_cross_product_is_not_walked() -> None:
    facts = "".join(f"a({number}). b({number}). c({number})." for number in range(300))
    model = evaluated("Decl d(X). " + facts + " q(X) :- a(X), b(Y), c(Z), d(X).")
    (failed,) = failures(because_not(model, "q(X)"))
    assert failed.reason == "missing"


def test_repairs_come_with_it_unless_not_wanted() -> None:
    model = evaluated("Decl q(X). p(X) :- q(X).")
    assert why_not(model, goal("p(1)")).repairs
    assert not why_not(model, goal("p(1)"), repair=False).repairs
