import pytest

from mayfly.mangle._ast import Premise
from mayfly.mangle._parser import parse
from mayfly.mangle._values import List, Name, Value
from mayfly.mangle.explain import solve

from .helpers import CYCLE, evaluated

FACTS = CYCLE + 'name(1, "one"). name(2, "two"). self(/a, /a). self(/a, /b). listed([1, 2]).'


def body(text: str) -> tuple[Premise, ...]:
    found = parse(f"x() :- {text}.").clauses[0].premises
    assert found is not None
    return found


def answers(text: str, **bindings: Value) -> list[dict[str, Value]]:
    return [dict(found) for found in solve(evaluated(FACTS), body(text), bindings)]


def test_premises_join_from_left_to_right() -> None:
    assert answers('edge(X, Y), name(Y, "two")') == [{"X": 1, "Y": 2}]


def test_what_is_bound_stays_bound() -> None:
    assert answers("edge(X, Y)", X=2) == [{"X": 2, "Y": 3}]


def test_a_repeated_variable_means_the_same_value() -> None:
    assert answers("self(X, X)") == [{"X": Name("/a")}]


def test_wildcards_do_not_repeat_an_answer() -> None:
    assert answers("self(X, _)") == [{"X": Name("/a")}]


def test_a_negation_with_a_wildcard_means_that_no_fact_matches() -> None:
    assert answers("edge(X, _), !name(X, _)") == [{"X": 3}]


def test_no_premises_have_one_answer() -> None:
    assert list(solve(evaluated(FACTS), (), {"X": 1})) == [{"X": 1}]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("edge(X, 2), Y = fn:plus(X, 1)", [{"X": 1, "Y": 2}]),
        ("edge(X, 2), fn:plus(X, 1) = Y", [{"X": 1, "Y": 2}]),
        ("edge(X, Y), X = 1", [{"X": 1, "Y": 2}]),
        ("edge(X, Y), X != 1, X != 2", [{"X": 3, "Y": 1}]),
        ("edge(X, Y), X > Y", [{"X": 3, "Y": 1}]),
        ("edge(X, 2), X = fn:div(X, 0)", []),
        ("listed(L), :match_cons(L, H, _)", [{"L": List((1, 2)), "H": 1}]),
        ("listed(L), :list:member(X, L), X > 1", [{"L": List((1, 2)), "X": 2}]),
    ],
)
def test_comparisons_and_functions_are_evaluated(text: str, found: list[dict[str, Value]]) -> None:
    assert answers(text) == found
