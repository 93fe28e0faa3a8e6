"""Declared types: which values fit, which rules cannot."""

import pytest

from mayfly.mangle._parser import parse
from mayfly.mangle.check import conforms

from .checking import accept, only, spot

FITTING = [
    ("/any", "1"),
    ("T", "1"),
    ("/number", "1"),
    ("/float64", "1.5"),
    ("/string", '"a"'),
    ("/bytes", 'b"a"'),
    ("/name", "/a"),
    ("/v", "/v/a"),
    ("/bool", "/true"),
    ("/time", 'fn:time:parse_rfc3339("2024-01-01T00:00:00Z")'),
    ("/duration", 'fn:duration:parse("1h")'),
    (".List</number>", "[]"),
    (".List</number>", "[1, 2]"),
    (".Pair</number, /string>", 'fn:pair(1, "a")'),
    (".Tuple</number, /string, /name>", 'fn:tuple(1, "a", /b)'),
    (".Map</name, /number>", "[/a: 1]"),
    (".Map</name, /number>", "fn:map()"),
    (".Struct</a : /number, opt /b : /string>", "{/a: 1}"),
    (".Struct</a : /number, opt /b : /string>", '{/a: 1, /b: "x", /c: 2}'),
    (".Union</number, /string>", '"a"'),
    (".Singleton</a>", "/a"),
    (".Option</number>", "1"),
    (".Fun</number, /number>", "1"),
    (".TaggedUnion</kind, /a, .Struct</x : /number>, /b, .Struct<>>", "{/kind: /a, /x: 1}"),
    (".TaggedUnion</kind, /a, .Struct</x : /number>, /b, .Struct<>>", "{/kind: /b}"),
]
OUTSIDE = [
    ("/number", "1.5"),
    ("/number", '"1"'),
    ("/float64", "1"),
    ("/string", "/a"),
    ("/string", 'b"a"'),
    ("/name", '"/a"'),
    ("/v", "/w/a"),
    ("/v", "/v"),
    ("/v", "/va/b"),
    ("/bot", "1"),
    ("/bool", "/maybe"),
    ("/time", "1"),
    (".List</number>", '[1, "a"]'),
    (".List</number>", "1"),
    (".Pair</number, /string>", "fn:pair(1, 1)"),
    (".Tuple</number, /string, /name>", 'fn:tuple(1, "a", "b")'),
    (".Map</name, /number>", '["a": 1]'),
    (".Struct</a : /number, opt /b : /string>", "{/a: 1, /b: 1}"),
    (".Struct</a : /number>", "{/b: 1}"),
    (".Union</number, /string>", "/a"),
    (".Singleton</a>", "/b"),
    (".Option</number>", '"a"'),
    (".TaggedUnion</kind, /a, .Struct</x : /number>, /b, .Struct<>>", "{/kind: /c}"),
    (".TaggedUnion</kind, /a, .Struct</x : /number>, /b, .Struct<>>", '{/kind: /a, /x: "1"}'),
]


@pytest.mark.parametrize(("bound", "value"), FITTING)
def test_a_value_of_the_type_fits(bound: str, value: str) -> None:
    (fact,) = accept(f"Decl p(X) bound [{bound}]. p({value}).").given
    (declaration,) = parse(f"Decl p(X) bound [{bound}].").declarations
    assert conforms(fact.row[0], declaration.bounds[0][0])


@pytest.mark.parametrize(("bound", "value"), OUTSIDE)
def test_a_fact_outside_its_type_is_refused(bound: str, value: str) -> None:
    error = only(f"Decl p(X) bound [{bound}].\np({value}).")
    assert (error.stage, spot(error)) == ("analyze", (2, 1))
    assert "does not fit the declared types" in error.message


@pytest.mark.parametrize(("bound", "value"), [*FITTING, *OUTSIDE])
def test_a_constant_in_a_body_is_judged_like_a_fact(bound: str, value: str) -> None:
    text = f"Decl p(X) bound [{bound}]. Decl q(). q() :- X = {value}, p(X)."
    if (bound, value) in FITTING:
        accept(text)
    else:
        assert only(text).stage == "analyze"


def test_a_refused_fact_says_which_column() -> None:
    error = only('Decl age(Who, Years) bound [/name, /number]. age(/ann, "ten").')
    assert error.message == 'age(/ann, "ten") does not fit the declared types: Years is /number, not "ten"'


def test_alternatives_are_whole_rows() -> None:
    text = "Decl p(X, Y) bound [/number, /string] bound [/string, /number]."
    accept(f'{text} p(1, "a"). p("a", 1).')
    assert "[/number, /string] or [/string, /number]" in only(f"{text} p(1, 1).").message


TYPED = "Decl s(X) bound [/string]. Decl n(X) bound [/number]. Decl a(X). Decl v(X) bound [/v]."


@pytest.mark.parametrize(
    "rule",
    [
        "n(X) :- s(X).",
        "n(X) :- s(Y), X = Y.",
        "n(X) :- a(Y), X = fn:string:concat(Y, Y).",
        "n(fn:string:concat(X, X)) :- a(X).",
        "n(/a) :- a(_).",
        "n(X) :- a(Y) |> let X = fn:number:to_string(Y).",
        "n(N) :- a(X) |> do fn:group_by(), let N = fn:collect(X).",
        "p(X) :- s(X), n(X).",
        "p(X) :- X = 1, s(X).",
        "p(X) :- n(X), X = {/x: 1}.",
        "v(X) :- X = /w/a .",
        "s(X) :- v(X).",
    ],
)
def test_a_rule_that_can_only_break_its_types_is_refused(rule: str) -> None:
    assert only(f"{TYPED} {rule}").stage == "analyze"


@pytest.mark.parametrize(
    "rule",
    [
        "n(X) :- a(X).",
        "n(X) :- a(X), X < 3.",
        "p(X) :- s(X), X < 3.",
        "p(X) :- s(X), !n(X).",
        "n(X) :- a(L), X = fn:list:get(L, 0).",
        "n(X) :- a(L), :list:member(X, L).",
        "v(X) :- X = /v/a .",
        "n(N) :- a(X) |> do fn:group_by(), let N = fn:count().",
        "n(X) :- a(P), X = fn:interval:start(P).",
        "p() :- s(1).",
    ],
)
def test_what_is_not_certainly_wrong_is_accepted(rule: str) -> None:
    accept(f"{TYPED} {rule}")


def test_a_refused_rule_says_why() -> None:
    error = only("Decl s(X) bound [/string]. Decl n(Y) bound [/number].\nn(X) :- s(X).")
    assert error.message == "column Y of n/1 is /number; X is /string by s/1: no fact of this rule can fit"
    assert spot(error) == (2, 3)


def test_an_alternative_that_still_fits_saves_a_rule() -> None:
    accept("Decl b(X) bound [/string] bound [/number]. Decl n(X) bound [/number]. n(X) :- b(X).")


def test_structs_conflict_in_a_field_they_both_need() -> None:
    text = "Decl l(X) bound [.Struct</a : /number>]. Decl r(X) bound [.Struct</a : {}>]. p(X) :- l(X), r(X)."
    accept(text.replace("{}", "/number"))
    assert only(text.replace("{}", "/string")).stage == "analyze"
