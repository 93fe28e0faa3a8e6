"""Where facts come from."""

from mayfly.mangle._ast import Symbol
from mayfly.mangle._values import Name

from .helpers import facts, program


def test_a_fact_of_the_program_has_its_place() -> None:
    origin = program("p(1).\np(2).").evaluate().origin(Symbol("p", 1), (2,))
    assert origin is not None
    assert origin.rule is None
    assert str(origin.place) == "test.mg:2:1"


def test_a_fact_of_the_call_has_no_place() -> None:
    origin = program("Decl p(X).").evaluate(facts("p(2)")).origin(Symbol("p", 1), (2,))
    assert origin is not None
    assert (origin.rule, origin.place) == (None, None)


def test_what_does_not_hold_has_no_origin() -> None:
    assert program("Decl p(X).").evaluate().origin(Symbol("p", 1), (2,)) is None


def test_a_derived_fact_has_its_rule_with_all_variables() -> None:
    text = "Decl e(X, Y, Z).\nq(X, S) :- e(X, Y, Once), Y > 1, S = fn:plus(X, Y)."
    origin = program(text).evaluate(facts("e(1, 2, /z)")).origin(Symbol("q", 2), (1, 3))
    assert origin is not None
    assert origin.rule is not None
    assert origin.place is not None
    assert origin.place.line == 2
    assert dict(origin.bindings) == {"X": 1, "Y": 2, "S": 3, "Once": Name("/z")}


def test_a_rule_of_the_base_and_one_of_the_call_both_have_origins() -> None:
    loaded = program("p(1). q(X) :- p(X). r(X) :- q(X).")
    model = loaded.evaluate(facts("p(2)"))
    for value in (1, 2):
        origin = model.origin(Symbol("r", 1), (value,))
        assert origin is not None
        assert dict(origin.bindings) == {"X": value}


def test_a_let_transform_is_part_of_the_bindings() -> None:
    origin = program("p(2). q(Y) :- p(X) |> let Y = fn:mult(X, X).").evaluate().origin(Symbol("q", 1), (4,))
    assert origin is not None
    assert dict(origin.bindings) == {"X": 2, "Y": 4}


def test_what_a_deferred_predicate_gave_is_part_of_the_bindings() -> None:
    text = """Decl twice(X, Y) descr [mode('+', '-'), deferred()].
    twice(X, Y) :- Y = fn:mult(X, 2). p(3). q(X) :- p(X), twice(X, Y)."""
    origin = program(text).evaluate().origin(Symbol("q", 1), (3,))
    assert origin is not None
    assert dict(origin.bindings) == {"X": 3, "Y": 6}


def test_without_recording_facts_hold_all_the_same() -> None:
    model = program("Decl p(X). q(X) :- p(X).").evaluate(facts("p(2)"), record=False)
    assert model.holds(Symbol("q", 1), (2,))
