"""Predicates that are known, and those that are not."""

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._checked import DeclaredPredicate

from .checking import accept, only, refuse, spot


def elsewhere(*, extensional: bool = False, synthetic: bool = False) -> dict[Symbol, DeclaredPredicate]:
    symbol = Symbol("given", 1)
    declared = DeclaredPredicate(
        symbol=symbol,
        columns=("X",),
        modes=(),
        synthetic=synthetic,
        external=False,
        extensional=extensional,
        private=False,
        temporal=False,
        merge=None,
        doc="",
        place=None,
    )
    return {symbol: declared}


def test_a_predicate_with_clauses_needs_no_declaration() -> None:
    checked = accept("q(1). p(X) :- q(X).")
    assert checked.declared[Symbol("p", 1)].synthetic
    assert checked.declared[Symbol("p", 1)].columns == ("X",)


def test_an_unknown_predicate_is_named_with_the_nearest_and_how_to_declare_it() -> None:
    error = only("Decl file_exists(Path).\np(X) :- file_exist(X).")
    assert spot(error) == (2, 9)
    assert error.message == "nothing declares or defines file_exist/1"
    assert error.fix == "did you mean file_exists/1? If not, declare it: Decl file_exist(A)."
    assert error.stage == "analyze"


def test_an_unknown_predicate_unlike_any_other_is_only_declared() -> None:
    assert only("p(X) :- zzz(X, _).").fix == "declare it: Decl zzz(A, B)."


def test_a_negated_predicate_must_be_known_even_if_its_variables_have_no_value() -> None:
    messages = [error.message for error in refuse("q(1). p(X) :- q(X), !zzz(Y).")]
    assert "nothing declares or defines zzz/1" in messages


def test_a_predicate_asked_for_a_time_may_be_known_from_elsewhere() -> None:
    assert len(accept("q(X) :- zzz(X)@[S, E].").rules) == 1


def test_a_wrong_number_of_arguments_names_the_right_one() -> None:
    assert only("Decl q(A, B). p(X) :- q(X).").message == "q is used with 1 argument, but it has 2"


def test_clauses_of_two_arities_clash_unless_both_are_declared() -> None:
    error = only("p(1).\np(1, 2).")
    assert error.message == "p has 2 arguments here and 1 at rules.mg:1:1"
    assert spot(error) == (2, 1)
    accept("Decl p(X). Decl p(X, Y). p(1). p(1, 2).")


def test_a_second_declaration_names_the_first() -> None:
    error = only("Decl p(X).\nDecl p(Y).")
    assert "first at rules.mg:1:1" in error.message
    assert spot(error) == (2, 1)


@pytest.mark.parametrize("text", [":lt(1, 2).", "Decl :mine(X).", "q(1). :mine(X) :- q(X)."])
def test_names_of_builtins_cannot_be_defined(text: str) -> None:
    assert "built in" in only(text).message


@pytest.mark.parametrize("premise", [":nope(X)", "!:nope(X)", ":lt(X)"])
def test_an_unknown_builtin_is_refused(premise: str) -> None:
    assert refuse(f"q(1). p(X) :- q(X), {premise}.")


def test_what_is_known_from_elsewhere_can_be_used() -> None:
    assert Symbol("given", 1) in accept("p(X) :- given(X).", extra=elsewhere()).declared


def test_what_is_known_from_elsewhere_takes_no_rules() -> None:
    assert "defined elsewhere" in only("q(1). given(X) :- q(X).", extra=elsewhere(extensional=True)).message


def test_only_extensional_predicates_from_elsewhere_take_facts() -> None:
    assert "defined elsewhere" in only("given(1).", extra=elsewhere()).message
    assert len(accept("given(1).", extra=elsewhere(extensional=True)).given) == 1


def test_another_arity_of_what_is_known_from_elsewhere_clashes() -> None:
    assert "given/1" in only("given(1, 2).", extra=elsewhere(extensional=True)).message


def test_only_a_guess_from_elsewhere_may_be_declared() -> None:
    assert "declared elsewhere" in only("Decl given(X).", extra=elsewhere()).message
    assert not accept("Decl given(X).", extra=elsewhere(synthetic=True)).declared[Symbol("given", 1)].synthetic
    assert "declared elsewhere" in only("Decl given(X, Y).", extra=elsewhere(synthetic=True)).message


def test_private_predicates_stay_in_their_package() -> None:
    secret = "Package vault!\nDecl secret(X) descr [private()].\nsecret(1).\nDecl open(X).\nopen(X) :- secret(X)."
    accept(secret, "Use vault!\np(X) :- vault.open(X).")
    assert only(secret, "Use vault!\np(X) :- vault.secret(X).").message == "vault.secret/1 is private to its package"


def test_all_errors_are_reported_in_the_order_of_the_source() -> None:
    errors = refuse("p(X) :- zzz(X).\nq(Y).\nr(fn:nope(1)).")
    assert [spot(error)[0] for error in errors] == [1, 2, 3]
