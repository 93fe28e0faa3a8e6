"""Facts that hold for a time."""

from datetime import UTC, datetime

import pytest

from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Time
from mayfly.mangle.engine import Model

from .helpers import program, rows

FACTS = """Decl on(X) temporal.
on(/a)@[2024-01-01, 2024-02-01]. on(/b)@[2024-03-01]. on(/c)@[_, 2024-01-15]. on(/d)@[2024-01-10, _].
"""


def day(text: str) -> Time:
    """Return the first instant of a day."""
    return Time(int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9)


def found(rule: str, now: str = "2024-01-20") -> set[str]:
    """Return what a rule gives for q."""
    return rows(program(FACTS + rule).evaluate(now=day(now)), "q")


def lasting(model: Model, name: str) -> set[tuple[str, Time, Time]]:
    """Return the facts of a predicate with their instants."""
    return {(", ".join(map(str, row)), start, end) for symbol, row, start, end in model.timed() if symbol.name == name}


@pytest.mark.parametrize(
    ("premise", "expected"),
    [
        ("on(X)@[2024-01-12]", {"/a", "/c", "/d"}),
        ("on(X)@[2024-01-12, 2024-01-20]", {"/a", "/d"}),
        ("on(X)@[now]", {"/a", "/d"}),
        ("on(X)@[S, E]", {"/a", "/b", "/c", "/d"}),
        ("<-[0d, 7d] on(X)", {"/a", "/c", "/d"}),
        ("[-[0d, 7d] on(X)", {"/a", "/d"}),
        ("[-[0d, 15d] on(X)", {"/a"}),
        ("<+[0d, 60d] on(X)", {"/a", "/b", "/d"}),
        ("[+[0d, 30d] on(X)", {"/d"}),
    ],
)
def test_a_premise_asks_when(premise: str, expected: set[str]) -> None:
    assert found(f"q(X) :- {premise}.") == expected


def test_the_ends_of_an_interval_can_be_compared() -> None:
    assert found("q(X) :- on(X)@[S, E], on(/b)@[T], :time:lt(E, T).") == {"/a", "/c"}


def test_a_variable_that_is_bound_has_to_lie_within() -> None:
    assert found("q(X) :- on(/a)@[S, E], on(X)@[S].") == {"/a", "/c"}


def test_an_answer_that_depends_on_now_is_not_kept() -> None:
    loaded = program(FACTS + "q(X) :- on(X)@[now].")
    assert rows(loaded.evaluate(now=day("2024-03-01")), "q") == {"/b", "/d"}
    assert rows(loaded.evaluate(now=day("2024-01-05")), "q") == {"/a", "/c"}


def test_heads_give_times_and_recursion_keeps_them() -> None:
    text = """Decl link(X, Y) temporal. Decl way(X, Y) temporal.
    link(/a, /b)@[2024-01-01]. link(/b, /c)@[2024-01-01]. link(/c, /d)@[2024-01-01]. link(/d, /e)@[2024-01-02].
    way(X, Y)@[T] :- link(X, Y)@[T].
    way(X, Z)@[T] :- way(X, Y)@[T], link(Y, Z)@[T]."""
    first, second = day("2024-01-01"), day("2024-01-02")
    pairs = ("/a, /b", "/b, /c", "/c, /d", "/a, /c", "/b, /d", "/a, /d")
    expected = {*((pair, first, first) for pair in pairs), ("/d, /e", second, second)}
    assert lasting(program(text).evaluate(), "way") == expected


def test_an_interval_that_ends_before_it_starts_is_an_error() -> None:
    with pytest.raises(MangleError, match="ends before it starts") as caught:
        program(FACTS + "Decl q(X) temporal. q(X)@[E, S] :- on(X)@[S, E].").evaluate()
    assert caught.value.stage == "eval"
