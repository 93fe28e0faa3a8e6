"""Packages: full names for what a package defines, and nothing used that was not announced."""

import pytest

from mayfly.mangle._errors import MangleError, MangleErrors
from mayfly.mangle._packages import package_name, resolve_packages
from mayfly.mangle._parser import parse
from mayfly.mangle._text import show_clause, show_declaration


def resolved(*sources: str) -> list[str]:
    declarations, clauses = resolve_packages([parse(source, file=f"{n}.mg") for n, source in enumerate(sources)])
    return [show_declaration(found) for found in declarations] + [show_clause(found) for found in clauses]


def test_without_a_package_names_stay() -> None:
    assert resolved("p(1). q(X) :- p(X), !r.s(X). r.s(2).") == ["p(1).", "q(X) :- p(X), !r.s(X).", "r.s(2)."]


def test_what_a_package_defines_gets_its_name() -> None:
    source = "Package a! Decl e(X). p(1). q(X) :- p(X), !e(X), X < 3, other(X)."
    assert resolved(source) == ["Decl a.e(X).", "a.p(1).", "a.q(X) :- a.p(X), !a.e(X), X < 3, other(X)."]


def test_a_predicate_of_another_arity_is_another_predicate() -> None:
    assert resolved("Package a! p(1). q() :- p(1, 2).") == ["a.p(1).", "a.q() :- p(1, 2)."]


def test_files_of_one_package_see_each_other() -> None:
    assert resolved("Package a! p(1).", "Package a! q(X) :- p(X).") == ["a.p(1).", "a.q(X) :- a.p(X)."]


def test_an_announced_package_may_be_used() -> None:
    assert resolved("Package a! Use b.c! q(X) :- b.c.p(X).") == ["a.q(X) :- b.c.p(X)."]


def test_a_package_may_name_itself() -> None:
    assert resolved("Package a! p(1). q(X) :- a.p(X).") == ["a.p(1).", "a.q(X) :- a.p(X)."]


def test_a_package_that_is_not_announced_is_an_error_with_the_fix() -> None:
    with pytest.raises(MangleError, match=r"b\.p belongs to a package .* add at the top: Use b!") as caught:
        resolved("Package a!\nq(X) :- b.p(X).")
    assert caught.value.stage == "analyze"
    assert caught.value.place == ("0.mg", 2, 9)


def test_every_missing_announcement_is_reported() -> None:
    with pytest.raises(MangleErrors) as caught:
        resolved("q(X) :- b.p(X), !c.p(X).")
    assert len(caught.value.errors) == 2


def test_a_package_cannot_use_itself() -> None:
    with pytest.raises(MangleError, match="package a uses itself"):
        resolved("Package a! Use a! p(1).")


def test_a_predicate_bound_gets_the_name_of_its_package() -> None:
    source = 'Package a! Decl t(X). Decl p(X, Y) bound ["t", /number].'
    assert resolved(source)[1] == 'Decl a.p(X, Y) bound ["a.t", /number].'


def test_a_predicate_bound_of_another_package_must_be_announced() -> None:
    assert resolved('Use b! Decl p(X) bound ["b.t"].') == ['Decl p(X) bound ["b.t"].']
    with pytest.raises(MangleError, match="Use b!"):
        resolved('Decl p(X) bound ["b.t"].')


def test_a_number_is_no_bound() -> None:
    with pytest.raises(MangleError, match="a bound is a type or the name of a predicate"):
        resolved("Decl p(X) bound [1].")


def test_descriptions_are_kept_for_the_checks() -> None:
    assert resolved('Package a! Decl p(X) descr [private(), doc("x")].') == ['Decl a.p(X) descr [private(), doc("x")].']


def test_a_description_may_give_the_package_another_name() -> None:
    assert package_name(parse('Package a [name("b")]!')) == "b"
    with pytest.raises(MangleError, match="must be a string"):
        resolved("Package a [name(1)]!")
