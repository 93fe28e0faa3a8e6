"""Evaluating with facts, goals, external predicates and limits."""

from collections.abc import Iterable
from threading import Thread

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._errors import MangleError
from mayfly.mangle._parser import parse_atom
from mayfly.mangle._values import Name, Row, Value
from mayfly.mangle.engine import Limits

from .helpers import facts, program, rows

COUNTS = "Decl start(X). n(X) :- start(X). n(Y) :- n(X), Y = fn:plus(X, 1)."


def test_an_evaluation_does_not_see_the_facts_of_another() -> None:
    loaded = program("Decl p(X). p(0). q(X) :- p(X).")
    assert rows(loaded.evaluate(facts("p(1)")), "q") == {"0", "1"}
    assert rows(loaded.evaluate(facts("p(2)")), "q") == {"0", "2"}
    assert rows(loaded.evaluate(), "q") == {"0"}


def test_what_no_longer_holds_is_taken_back() -> None:
    loaded = program("""Decl stop(X). light(/l1). light(/l2).
    go(L) :- light(L), !stop(L). moves(L) :- go(L). quiet() :- !moves(/l1).""")
    model = loaded.evaluate(facts("stop(/l1)"))
    assert rows(model, "go") == {"/l2"}
    assert rows(model, "moves") == {"/l2"}
    assert rows(model, "quiet") == {""}
    assert rows(loaded.evaluate(), "moves") == {"/l1", "/l2"}


def test_facts_may_be_given_for_predicates_with_rules() -> None:
    loaded = program("Decl e(X, Y). r(X) :- e(Y, X), r(Y). e(1, 2). e(2, 3).")
    assert rows(loaded.evaluate(facts("r(1)")), "r") == {"1", "2", "3"}


def test_facts_of_unknown_predicates_are_kept() -> None:
    assert rows(program("p(1).").evaluate(facts("other(2)")), "other") == {"2"}


def test_a_fact_with_the_wrong_number_of_columns_is_an_error() -> None:
    with pytest.raises(MangleError):
        program("Decl p(X).").evaluate([(Symbol("p", 1), (1, 2))])


def test_goals_restrict_what_is_computed() -> None:
    loaded = program("p(0). q(X) :- p(X). bad(Y) :- p(X), Y = fn:div(1, X).")
    assert rows(loaded.evaluate(goals=[Symbol("q", 1)]), "q") == {"0"}
    with pytest.raises(MangleError):
        loaded.evaluate()


def test_rows_match_and_holds() -> None:
    model = program("p(1, /a). p(2, /a). p(3, /b).").evaluate()
    assert model.match(parse_atom("p(X, /a)")) == [(1, Name("/a")), (2, Name("/a"))]
    assert model.match(parse_atom("p(_, _)")) == list(model.rows(Symbol("p", 2)))
    assert model.match(parse_atom("p(3, X)")) == [(3, Name("/b"))]
    assert model.holds(Symbol("p", 2), (3, Name("/b")))
    assert not model.holds(Symbol("p", 2), (3, Name("/a")))
    assert not model.holds(Symbol("none", 1), (3,))


def test_matching_a_repeated_variable() -> None:
    assert program("p(1, 2). p(2, 2).").evaluate().match(parse_atom("p(X, X)")) == [(2, 2)]


def test_facts_have_a_limit() -> None:
    with pytest.raises(MangleError, match="more than 50 facts") as caught:
        program(COUNTS).evaluate(facts("start(0)"), limits=Limits(facts=50))
    assert caught.value.stage == "eval"
    assert caught.value.place is not None


def test_an_endless_program_ends_at_the_time_limit() -> None:
    with pytest.raises(MangleError, match=r"longer than 0\.05 s"):
        program(COUNTS).evaluate(facts("start(0)"), limits=Limits(seconds=0.05))


def test_a_giant_join_that_gives_nothing_ends_at_the_time_limit() -> None:
    loaded = program("Decl p(X). q(X) :- p(X), p(Y), p(Z), p(W), X != Y, Y != Z, Z != W, W < 0.")
    with pytest.raises(MangleError, match="longer than"):
        loaded.evaluate([(Symbol("p", 1), (n,)) for n in range(3000)], limits=Limits(seconds=0.05))


def test_zero_seconds_are_no_time_at_all() -> None:
    with pytest.raises(MangleError, match="longer than 0 s"):
        program("Decl p(X). q(X) :- p(X).").evaluate(facts("p(1)"), limits=Limits(seconds=0))


def test_a_giant_product_ends_at_the_fact_limit() -> None:
    loaded = program("Decl p(X). q(X, Y, Z) :- p(X), p(Y), p(Z).")
    with pytest.raises(MangleError, match="more than 1000 facts"):
        loaded.evaluate([(Symbol("p", 1), (n,)) for n in range(3000)], limits=Limits(facts=1000))


def test_external_predicates_are_asked_with_what_is_bound_and_only_when_needed() -> None:
    asked: list[tuple[Value | None, ...]] = []

    def size(known: tuple[Value | None, ...]) -> Iterable[Row]:
        asked.append(known)
        return [(known[0] or "", len(str(known[0])))]

    loaded = program("""Decl size(Path, N) descr [external(), mode('+', '-')].
    Decl wanted(P). big(P) :- wanted(P), size(P, N), N > 2.""")
    sources = {Symbol("size", 2): size}
    assert rows(loaded.evaluate(facts('wanted("abc")', 'wanted("x")'), externals=sources), "big") == {'"abc"'}
    assert asked == [("abc", None), ("x", None)]
    assert rows(loaded.evaluate(externals=sources), "big") == set()
    assert len(asked) == 2


def test_external_answers_are_kept_for_one_evaluation() -> None:
    asked: list[tuple[Value | None, ...]] = []

    def there(known: tuple[Value | None, ...]) -> Iterable[Row]:
        asked.append(known)
        return [("a",)] if known == ("a",) else []

    loaded = program("""Decl there(Path) descr [external(), mode('+')]. Decl p(X).
    yes(X) :- p(X), there(X). no(X) :- p(X), !there(X).""")
    for _ in range(2):
        model = loaded.evaluate(facts('p("a")', 'p("b")'), externals={Symbol("there", 1): there})
        assert rows(model, "yes") == {'"a"'}
        assert rows(model, "no") == {'"b"'}
    assert sorted(asked) == [("a",), ("a",), ("b",), ("b",)]


def test_a_failing_external_predicate_is_an_evaluation_error() -> None:
    def fails(known: tuple[Value | None, ...]) -> Iterable[Row]:
        raise OSError("gone")

    loaded = program("Decl there(Path) descr [external(), mode('+')]. Decl p(X). yes(X) :- p(X), there(X).")
    with pytest.raises(MangleError, match="gone") as caught:
        loaded.evaluate(facts("p(1)"), externals={Symbol("there", 1): fails})
    assert caught.value.stage == "eval"


def test_only_declared_predicates_can_be_external() -> None:
    with pytest.raises(MangleError, match="external"):
        program("Decl p(X).").evaluate(externals={Symbol("p", 1): lambda _: []})


def test_threads_share_a_program() -> None:
    loaded = program("Decl e(X, Y). e(1, 2). tc(X, Y) :- e(X, Y). tc(X, Z) :- tc(X, Y), e(Y, Z).")
    found: dict[int, int] = {}

    def work(number: int) -> None:
        model = loaded.evaluate([(Symbol("e", 2), (n, n + 1)) for n in range(2, 2 + number)])
        found[number] = len(model.rows(Symbol("tc", 2)))

    threads = [Thread(target=work, args=(n,)) for n in range(1, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: (n + 1) * (n + 2) // 2 for n in range(1, 20)}


def test_rows_come_in_the_same_order_every_time() -> None:
    loaded = program("Decl p(X, Y). q(Y) :- p(/a, Y). q(Y) :- p(/b, Y). q(Y) :- p(/c, Y).")
    given = facts("p(/c, 1)", "p(/a, 2)", "p(/b, 3)", "p(/c, 4)")
    assert list(loaded.evaluate(given).rows(Symbol("q", 1))) == [(2,), (3,), (1,), (4,)]
