"""What a declaration may say."""

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._checked import DeclaredPredicate, Merge

from .checking import accept, only, refuse


def declared(text: str, name: str = "p", arity: int = 1) -> DeclaredPredicate:
    return accept(text).declared[Symbol(name, arity)]


def test_a_declaration_says_what_it_says() -> None:
    found = declared(
        """Decl p(X, Y) descr [doc("one", "two"), arg(X, "first"), arg(Y, "second"), mode("+", "-"), external(),
        extensional(), private()] bound [/number, /string].""",
        arity=2,
    )
    assert found.columns == ("X", "Y")
    assert found.modes == (("+", "-"),)
    assert found.doc == "one\ntwo"
    assert (found.external, found.extensional, found.private, found.temporal, found.synthetic) == (
        *(True, True, True),
        *(False, False),
    )
    assert len(found.bounds) == 1


def test_several_modes_are_kept() -> None:
    assert declared('Decl p(X) descr [mode("+"), mode("-")].').modes == (("+",), ("-",))


def test_a_predicate_can_be_declared_temporal() -> None:
    assert declared("Decl p(X) temporal.").temporal


def test_unknown_remarks_are_allowed_but_not_misspelt_words() -> None:
    accept('Decl p(X) descr [author("nobody")].')
    assert only("Decl p(X) descr [privte()].").fix == "did you mean private(…)?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Decl p() descr [doc()].", "doc has no text"),
        ('Decl p() descr [doc("x"), doc("y")].', "a declaration has one doc only"),
        ("Decl p() descr [doc(/x)].", "a description is a text, not /x"),
        ('Decl p(X, Y) descr [arg(X, "x")].', "arg describes some columns of p/2 but not Y"),
        ('Decl p(X) descr [arg(Y, "y")].', "Y is no column of p/1"),
        ('Decl p(X) descr [arg(X, "x"), arg(X, "y")].', "X is described twice of p/1"),
        ("Decl p(X) descr [arg(X)].", "arg names a column and describes it"),
        ('Decl p(X) descr [arg(/x, "x")].', "arg describes a column by its variable, not /x"),
        ("Decl p(X, X).", "two columns of p/2 have the same name"),
        ("Decl p(X) descr [external()].", "the external predicate p/1 must have exactly one mode, it has none"),
        ('Decl p(X) descr [mode("x")].', 'a mode has "+", "-" or "?" for each column'),
        ('Decl p(X) descr [mode("+", "-")].', "the mode has 2 columns, p/1 has 1"),
        ('Decl p(X) descr [reflects("a")].', "reflects takes one name"),
        ("Decl p(X, Y) descr [reflects(/a)].", "p/2 reflects /a but does not have exactly one column"),
    ],
)
def test_a_wrong_description_is_refused(text: str, message: str) -> None:
    assert refuse(text)[0].message == message


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("", "bound has 0 types, p/1 has 1 columns"),
        ("/number, /string", "bound has 2 types, p/1 has 1 columns"),
        ('"other"', 'the bound "other" is not a type'),
        (".Foo</number>", ".Foo is not a type"),
        (".Pair</number>", ".Pair takes 2 types, not 1"),
        (".Tuple</number, /number>", "a tuple type has three parts or more"),
        (".Union<>", "a union of no types has no values"),
        (".List<3>", "the bound 3 is not a type"),
        (".Struct</a>", "a field of a struct type has no type"),
        (".Struct<3 : /number>", "a field of a struct type is a name, not 3"),
        (".Struct<opt /a : 3>", "the bound 3 is not a type"),
        (".TaggedUnion</kind, /a>", "a tagged union has a tag field and pairs of tag and struct type"),
        (".TaggedUnion</kind, /a, /number>", "a variant is a struct type, not /number"),
        (".TaggedUnion</kind, /a, .Struct<>, /a, .Struct<>>", "the tag /a is there twice"),
        (
            ".TaggedUnion</kind, /a, .Struct</kind : /name>>",
            "a variant must not have the tag field /kind itself",
        ),
        (".TaggedUnion<3, /a, .Struct<>>", "a tag is a name, not 3"),
        (".Fun<>", "a function type has at least a result"),
        (".Fun<X, Y>", "the type variable X of the result is in no argument"),
    ],
)
def test_a_wrong_type_is_refused(bound: str, message: str) -> None:
    errors = refuse(f"Decl p(X) bound [{bound}].")
    assert message in [error.message for error in errors]


@pytest.mark.parametrize(
    "bound",
    [
        *("/any", "/v", "T", ".List<T>", ".Pair</number, /string>", ".Tuple</number, /string, /name>"),
        *(".Map</name, /number>", ".Struct</a : /number, opt /b : /string>", ".Union</number, /string>"),
        *(".Singleton</a>", ".Option</number>", ".Fun<T, T>", ".Rel</number>"),
        ".TaggedUnion</kind, /a, .Struct</x : /number>, /b, .Struct<opt /y : /name>>",
    ],
)
def test_every_kind_of_type_is_accepted(bound: str) -> None:
    assert accept(f"Decl p(X) bound [{bound}].").declared[Symbol("p", 1)].bounds


MERGED = """
Decl best(K, V) descr [fundep([K], [V]), merge([V], "better")].
Decl better(A, B, C) descr [mode("+", "+", "-"), deferred()].
better(A, B, C) :- A <= B, C = A.
"""


def test_a_merge_names_its_columns_and_predicate() -> None:
    found = accept(MERGED).declared
    assert found[Symbol("best", 2)].merge == Merge(source=(0,), target=1, predicate=Symbol("better", 3))
    assert found[Symbol("better", 3)].deferred


def test_a_merge_inside_a_package_finds_its_neighbour() -> None:
    found = accept(f"Package order!\n{MERGED}").declared
    assert found[Symbol("order.best", 2)].merge == Merge(source=(0,), target=1, predicate=Symbol("order.better", 3))


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ('merge([V], "m")', "merge needs to know which columns decide"),
        ("fundep(K, V)", "fundep names the deciding and the dependent columns"),
        ("fundep([K], [Z])", "Z is no column of p/2"),
        ('fundep([K], [V]), merge(V, "m")', "merge names the columns and the predicate"),
        ('fundep([], [K, V]), merge([V], "m")', "merge works on the one column that fundep says depends on the others"),
        ('fundep([K], [V]), merge([V], "m")', "merge of p/2: nothing declares or defines m/3"),
    ],
)
def test_a_wrong_merge_is_refused(description: str, message: str) -> None:
    assert refuse(f"Decl p(K, V) descr [{description}].")[0].message == message


def test_an_inclusion_names_known_predicates() -> None:
    accept("Decl p(X) inclusion [q(X)]. q(1).")
    assert only("Decl p(X) inclusion [q(X)].").message == "inclusion of p/1: nothing declares or defines q/1"
