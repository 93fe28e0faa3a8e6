import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse_fact
from mayfly.mangle.explain import DerivationStep, leaves, to_text, why

from .helpers import CHEAPEST, CYCLE, DEFERRED, PERMITS, because, evaluated, named, rests, said


def test_a_derivation_names_rule_facts_absences_and_their_places() -> None:
    model = evaluated(PERMITS, 'pending("a1", /read, "x")')
    assert said(because(model, 'permitted(/read, "x")')) == [
        'permitted(/read, "x")  by permitted(A, T) :- pending(I, A, T), safe(A), !refused(I, _).  rules.mg:8',
        '├─ pending("a1", /read, "x")  told',
        "├─ safe(/read)  given  rules.mg:5",
        '└─ no fact matches refused("a1", _)',
    ]


def test_premises_come_in_the_order_of_the_rule_with_their_values() -> None:
    model = evaluated("n(3). p(X, Y) :- n(X), X < 5, Y = fn:plus(X, 4), Y != X.")
    assert [line[3:] for line in said(because(model, "p(3, 7)"))[1:]] == [
        "n(3)  given  rules.mg:1",
        "3 < 5",
        "Y = fn:plus(3, 4) = 7",
        "7 != 3",
    ]


def test_a_function_in_the_head_shows_its_value() -> None:
    model = evaluated("n(3). p(fn:plus(X, 1)) :- n(X).")
    assert said(because(model, "p(4)"))[-1] == "└─ fn:plus(3, 1) = 4"


def test_a_list_written_out_in_the_head_is_not_repeated() -> None:
    model = evaluated("n(3). p([X]) :- n(X).")
    assert said(because(model, "p([3])"))[1:] == ["└─ n(3)  given  rules.mg:1"]


def test_functions_inside_a_comparison_show_their_values() -> None:
    model = evaluated("n(3). p(X) :- n(X), fn:plus(X, 1) < 9.")
    assert said(because(model, "p(3)"))[-1] == "└─ fn:plus(3, 1) < 9, that is 4 < 9"


def test_a_let_shows_its_value() -> None:
    model = evaluated("n(3). p(Y) :- n(X) |> let Y = fn:mult(X, 2).")
    assert said(because(model, "p(6)"))[1:] == ["├─ n(3)  given  rules.mg:1", "└─ Y = fn:mult(3, 2) = 6"]


def test_a_cycle_ends_in_facts() -> None:
    text = to_text(because(evaluated(CYCLE), "path(1, 1)"))
    assert text.count("given") == 3
    assert "shown" not in text


def test_a_wildcard_never_makes_a_fact_its_own_reason() -> None:
    model = evaluated("start(0). n(1). n(2). p(X) :- start(X). p(X) :- n(X), p(_).")
    step = because(model, "p(2)").root
    assert [str(premise.fact and premise.fact.row) for premise in step.premises] == ["(2,)", "(0,)"]


def test_a_fact_shown_before_is_referred_to() -> None:
    model = evaluated("n(1). q(X) :- n(X). p(X) :- q(X), r(X). r(X) :- q(X).")
    lines = said(because(model, "p(1)"))
    assert lines[-1] == "   └─ q(1) (shown above)  rules.mg:1"


def test_depth_cuts_the_tree_but_not_what_it_rests_on() -> None:
    model = evaluated(CYCLE)
    found = because(model, "path(1, 1)", depth=1)
    assert said(found)[1].startswith("├─ path(1, 3) (cut off here)")
    assert named(leaves(found))[0] == {"edge(1, 2)", "edge(2, 3)", "edge(3, 1)"}


def test_a_derivation_of_thousands_of_rules_is_walked_whole() -> None:
    chain = " ".join(f"edge({n}, {n + 1})." for n in range(3_000))
    model = evaluated(chain + "reach(0). reach(Y) :- reach(X), edge(X, Y).")
    found = because(model, "reach(3000)", depth=1_000_000)
    assert len(leaves(found).facts) == 3_001
    assert "cut off here" in to_text(found)


def test_an_aggregate_shows_its_rows() -> None:
    model = evaluated("n(/a, 1). n(/a, 2). n(/b, 5). total(K, S) :- n(K, V) |> do fn:group_by(K), let S = fn:sum(V).")
    assert [line[3:] for line in said(because(model, "total(/a, 3)"))[1:]] == [
        "n(/a, 1)  given  rules.mg:1",
        "n(/a, 2)  given  rules.mg:1",
        "S = fn:sum(V) = 3",
    ]


def test_an_aggregate_of_many_rows_names_how_many_are_left_out() -> None:
    facts = " ".join(f"n({number})." for number in range(14))
    found = because(evaluated(facts + "count(C) :- n(X) |> do fn:group_by(), let C = fn:count()."), "count(14)")
    assert said(found)[-2:] == ["├─ … and 4 more rows", "└─ C = fn:count() = 14"]
    assert len(leaves(found).facts) == 14


def test_a_joined_row_of_an_aggregate_shows_what_joined_it() -> None:
    model = evaluated("a(1). b(1, 2). c(C) :- a(X), b(X, Y) |> do fn:group_by(), let C = fn:count().")
    assert [line.strip("│├└─ ") for line in said(because(model, "c(1)"))[1:4]] == [
        "row X = 1, Y = 2",
        "a(1)  given  rules.mg:1",
        "b(1, 2)  given  rules.mg:1",
    ]


def test_an_external_predicate_is_named() -> None:
    text = "Decl exists(P) descr [external(), mode('+')]. want(/a). p(X) :- want(X), exists(X)."
    model = evaluated(text, externals={Symbol("exists", 1): lambda asked: [asked] if asked[0] else []})  # type: ignore[list-item]
    assert said(because(model, "p(/a)"))[-1].startswith("└─ exists(/a)  answered by exists/1")


def test_a_predicate_computed_only_when_asked_has_a_derivation() -> None:
    model = evaluated(DEFERRED)
    assert said(because(model, "p(3, 4)"))[1:] == [
        "├─ n(3)  given  rules.mg:3",
        "└─ next(3, 4)  by next(X, Y) :- Y = fn:plus(X, 1).  rules.mg:2",
        "   └─ Y = fn:plus(3, 1) = 4",
    ]


def test_a_merged_row_has_the_derivation_of_the_row_that_won() -> None:
    assert rests(evaluated(CHEAPEST), "price(/tea, 2)")[0] == {"offer(/tea, 2)"}


def test_a_fact_of_an_unknown_predicate_was_told() -> None:
    model = evaluated(CYCLE, "stray(1)")
    assert said(because(model, "stray(1)")) == ["stray(1)  told"]


def test_a_fact_that_does_not_hold_has_no_derivation() -> None:
    with pytest.raises(MangleError, match=r"path\(7, 7\) does not hold"):
        because(evaluated(CYCLE), "path(7, 7)")


def test_a_given_fact_is_its_own_reason() -> None:
    model = evaluated(CYCLE)
    assert rests(model, "edge(1, 2)") == ({"edge(1, 2)"}, set())


def test_leaves_name_every_fact_and_absence() -> None:
    model = evaluated(PERMITS, 'pending("a1", /shell, "x")', 'approved("a1")')
    facts, absences = rests(model, 'permitted(/shell, "x")')
    assert facts == {'pending("a1", /shell, "x")', 'approved("a1")', "dangerous(/shell)"}
    assert absences == {'refused("a1", _)'}


def test_taking_away_any_leaf_of_the_only_derivation_ends_the_fact() -> None:
    given = ('pending("a1", /shell, "x")', 'approved("a1")')
    for left_out in given:
        model = evaluated(PERMITS, *(text for text in given if text != left_out))
        assert not model.holds(*parse_fact('permitted(/shell, "x")'))


def test_changing_any_leaf_of_the_only_derivation_ends_the_fact() -> None:
    rules = """Decl member(X, C). Decl open(C). Decl banned(X). Decl ill(X, Y).
        may(X) :- member(X, C), open(C), !banned(X).
        goes(X) :- may(X), !ill(X, _)."""
    given = {"member(/ann, /club)", "open(/club)"}
    facts, absences = rests(evaluated(rules, *given), "goes(/ann)")
    assert facts == given
    assert absences == {"banned(/ann)", "ill(/ann, _)"}
    changed = [given - {fact} for fact in facts] + [given | {absent.replace("_", "/flu")} for absent in absences]
    assert not any(evaluated(rules, *told).holds(*parse_fact("goes(/ann)")) for told in changed)


def test_a_large_derivation_is_cut_at_a_bounded_size() -> None:
    facts = "".join(f"n({number})." for number in range(60))
    rules = "a(X, Y) :- n(X), n(Y). b(C) :- a(X, Y) |> do fn:group_by(Y), let C = fn:count(). all(C) :- b(C)."
    assert _count(because(evaluated(facts + rules), "all(60)").root) < 5_000


def _count(step: DerivationStep) -> int:
    return 1 + sum(_count(premise) for premise in step.premises)


def test_without_records_the_fix_is_named() -> None:
    model = evaluated(PERMITS).program.evaluate([parse_fact('pending("a1", /read, "x")')], record=False)
    with pytest.raises(MangleError, match="record=True"):
        why(model, *parse_fact('permitted(/read, "x")'))
