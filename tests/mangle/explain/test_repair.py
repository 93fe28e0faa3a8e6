from mayfly.mangle._ast import Symbol
from mayfly.mangle.explain import repairs

from .helpers import CYCLE, PERMITS, evaluated, goal, mended


def test_the_one_missing_fact_is_named() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    assert mended(model, 'permitted(/shell, "x")')[:2] == [{'+approved("a1")'}, {"+safe(/shell)"}]


def test_a_blocking_fact_is_taken_away() -> None:
    model = evaluated(PERMITS, 'pending("a1", /read, "x")', 'size("a1", 500)')
    assert mended(model, 'permitted(/read, "x")')[0] == {'-size("a1", 500)'}


def test_nothing_is_offered_where_nothing_helps() -> None:
    model = evaluated(PERMITS, 'pending("a1", /read, "/etc/x")')
    assert mended(model, 'permitted(/read, "/etc/x")') == []


def test_what_is_missing_deep_below_is_found() -> None:
    model = evaluated("Decl d(X). c(X) :- d(X). b(X) :- c(X). a(X) :- b(X).")
    assert mended(model, "a(7)") == [{"+d(7)"}]


def test_an_open_variable_takes_its_value_from_the_other_premises() -> None:
    model = evaluated("Decl q(X, Y). r(5). p(X) :- q(X, Y), r(Y).")
    assert mended(model, "p(1)")[0] == {"+q(1, 5)"}


def test_an_open_variable_passes_through_rules() -> None:
    model = evaluated("Decl base(X, Y). r(5). q(A, B) :- base(A, B). p(X) :- q(X, Y), r(Y).")
    assert mended(model, "p(1)")[0] == {"+base(1, 5)"}


def test_one_fact_may_serve_two_premises() -> None:
    model = evaluated("Decl base(X). a(X) :- base(X). b(X) :- base(X). p(X) :- a(X), b(X).")
    assert mended(model, "p(1)") == [{"+base(1)"}]


def test_a_comparison_chooses_the_value() -> None:
    model = evaluated("Decl age(P, N). adult(P) :- age(P, N), N >= 18.")
    assert mended(model, "adult(/ann)") == [{"+age(/ann, 18)"}]


def test_a_value_that_does_not_matter_is_marked_free() -> None:
    (repair,) = repairs(evaluated("Decl q(X, Y). p(X) :- q(X, _)."), goal("p(1)"))
    assert repair.changes[0].free == (1,)


def test_two_facts_are_needed_together() -> None:
    model = evaluated("Decl a(X). Decl b(X). p(X) :- a(X), b(X).")
    assert mended(model, "p(1)") == [{"+a(1)", "+b(1)"}]


def test_every_derivation_of_what_blocks_must_go() -> None:
    model = evaluated("a(1). b(1). n(1). bad(X) :- a(X). bad(X) :- b(X). p(X) :- n(X), !bad(X).")
    assert mended(model, "p(1)") == [{"-a(1)", "-b(1)"}]


def test_making_what_blocks_the_blocker_helps() -> None:
    model = evaluated("Decl excused(X). n(1). late(1). bad(X) :- late(X), !excused(X). p(X) :- n(X), !bad(X).")
    assert mended(model, "p(1)") == [{"+excused(1)"}, {"-late(1)"}]


def test_an_added_fact_that_blocks_elsewhere_is_not_offered() -> None:
    model = evaluated("Decl q(X). n(1). p(X) :- n(X), q(X), !r(X). r(X) :- q(X).")
    assert mended(model, "p(1)") == []


def test_a_count_is_reached_by_adding() -> None:
    rules = "votes(N) :- vote(P) |> do fn:group_by(), let N = fn:count(). passed() :- votes(N), N >= 3."
    (found,) = mended(evaluated("Decl vote(P)." + rules, "vote(/a)"), "passed()")
    assert len(found) == 2
    assert all(change.startswith("+vote(") for change in found)


def test_a_count_is_reached_by_taking_away() -> None:
    rules = "calls(N) :- call(P) |> do fn:group_by(), let N = fn:count(). calm() :- calls(N), N < 3."
    found = mended(evaluated("Decl call(P)." + rules, "call(/a)", "call(/b)", "call(/c)"), "calm()")
    assert {"-call(/a)"} in found


def test_a_program_fact_can_be_taken_away() -> None:
    model = evaluated("closed(/monday). day(/monday). open(D) :- day(D), !closed(D).")
    assert mended(model, "open(/monday)") == [{"-closed(/monday)"}]


def test_an_external_predicate_could_answer_otherwise() -> None:
    text = "Decl exists(P) descr [external(), mode('+')]. want(/a). p(X) :- want(X), exists(X)."
    model = evaluated(text, externals={Symbol("exists", 1): lambda asked: []})
    assert mended(model, "p(/a)") == [{"+exists(/a)"}]


def test_only_what_may_change_is_changed() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")')
    found = repairs(model, goal('permitted(/shell, "x")'), changeable=lambda symbol: symbol.name == "safe")
    assert [[change.fact.symbol.name for change in repair.changes] for repair in found] == [["safe"]]


def test_of_repairs_that_differ_only_in_values_two_are_enough() -> None:
    facts = " ".join(f"n({number})." for number in range(20))
    found = mended(evaluated(f"Decl ok(X). Decl all(X). {facts} p(X) :- n(X), ok(X). p(X) :- all(X)."), "p(X)")
    assert found[:3] == [{"+ok(0)"}, {"+ok(1)"}, {"+all(/any)"}]


def test_a_goal_that_needs_no_value_is_repaired_with_an_example() -> None:
    assert mended(evaluated("Decl q(X). p(X) :- q(X)."), "p(X)") == [{"+q(/any)"}]


def test_smaller_sets_come_first() -> None:
    sizes = [len(found) for found in mended(evaluated(CYCLE), "path(1, 9)")]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1


def test_no_evaluations_mean_no_repairs() -> None:
    assert mended(evaluated(CYCLE), "path(1, 9)", evaluations=0) == []


def test_every_repair_holds_when_it_is_made() -> None:
    text, told = PERMITS, ['pending("a1", /shell, "x")', 'size("a1", 200)']
    for found in mended(evaluated(text, *told), 'permitted(/shell, "x")'):
        kept = [fact for fact in told if f"-{fact}" not in found]
        added = [change[1:] for change in found if change.startswith("+")]
        assert evaluated(text, *kept, *added).match(goal('permitted(/shell, "x")'))
