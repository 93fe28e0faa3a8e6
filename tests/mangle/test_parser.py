"""The grammar: what is read, where it stands, and what each mistake is told."""

import pytest

from mayfly.mangle._ast import Apply, Atom, Clause, Constant, Equality, Negation, Place, Symbol, Timed, Variable
from mayfly.mangle._errors import MangleError, MangleErrors
from mayfly.mangle._parser import MOST_ERRORS, parse, parse_atom, parse_fact
from mayfly.mangle._text import show_clause, show_declaration, show_term
from mayfly.mangle._values import Duration, Float, Name, Pair, Time, make_list, make_map, make_struct


def clause(text: str) -> Clause:
    (found,) = parse(text).clauses
    return found


def argument(text: str) -> Constant:
    (found,) = clause(f"p({text}).").head.arguments
    assert isinstance(found, Constant)
    return found


def error(text: str) -> MangleError:
    with pytest.raises(MangleError) as caught:
        parse(text, file="f")
    assert caught.value.stage == "parse"
    assert caught.value.place is not None
    return caught.value


def test_an_empty_source_is_a_unit_without_anything() -> None:
    unit = parse(" # nothing\n", file="f")
    assert (unit.file, unit.package, unit.uses, unit.declarations, unit.clauses) == ("f", None, (), (), ())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("/a/b", Name("/a/b")),
        ("-9223372036854775808", -(2**63)),
        ("0000000000000000000000000000007", 7),
        ("-0", 0),
        ("1.50", Float(1.5)),
        ("-.5e+1", Float(-5.0)),
        ('"a\\n\\t\\"\\\'\\\\"', "a\n\t\"'\\"),
        ("'\\x41\\u{00e9}\\u{1f600}'", "Aé\U0001f600"),
        ("`raw \"and' \\t`", "raw \"and' \t"),
        ('"a\\\nb"', "a\nb"),
        ('"a\r\nb\rc"', "a\nb\nc"),
        ('"\\u{d800}"', "\ufffd"),
        ('b"\\xff\\x00é\\u{00e9}\r"', b"\xff\x00\xc3\xa9\xc3\xa9\r"),
        ("''", ""),
    ],
)
def test_literals_have_their_values(text: str, value: object) -> None:
    found = argument(text).value
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[]", "[]"),
        ("[1, [2], ]", "[1, [2]]"),
        ("[ -1]", "[ -1]"),
        ("[/a : 1, X : [],]", "[/a : 1, X : []]"),
        ("{}", "{}"),
        ("{/a : 1,}", "{/a : 1}"),
        ("fn:map()", "fn:map()"),
        ("fn:plus(X, 1,)", "fn:plus(X, 1)"),
        (".List<.Pair</a, X>>", ".List<.Pair</a, X>>"),
        (".Union<>", ".Union<>"),
        (".Struct</a : /string, opt /b : /number,>", ".Struct</a, /string, fn:opt(/b, /number)>"),
        (".Mine<X>", "fn:Mine(X)"),
    ],
)
def test_structured_terms_are_functions(text: str, shown: str) -> None:
    (found,) = clause(f"p({text}).").head.arguments
    assert isinstance(found, Apply)
    assert show_term(found) == shown


@pytest.mark.parametrize(
    "text",
    [
        "p().",
        "p(X, _) :- q(X), !r(X, _), X != Y, Y = fn:plus(X, 1), X < 1, X <= 1, X > 1, X >= 1.",
        "p(X) :- :lt(X, 2), :match_cons(L, H, _), a.b:c(X).",
        "p(K, N) :- q(K, _) |> do fn:group_by(K), let N = fn:count(), let M = [N].",
        "p(K) :- q(K) |> let N = fn:f(K) |> do fn:group_by() |> let M = {}.",
        "p(X)@[2024-01-15T00:00:00Z, now] :- q(X)@[_, T].",
        "p(X) :- <-[0ms, 7d] q(X), [-[1h, _] r(X)@[A, B], <+[1s, 2m] s(X), [+[now, T] t(X).",
        "p(X) :- X = /a .",
    ],
)
def test_a_clause_reads_back_from_its_text(text: str) -> None:
    shown = show_clause(clause(text))
    assert show_clause(clause(shown)) == shown
    assert shown.replace(":lt(X, 2)", "X < 2") == text.replace(":lt(X, 2)", "X < 2")


def test_a_fact_has_no_body_and_a_rule_has_one() -> None:
    assert clause("p(1).").premises is None
    assert clause("p(1) :- q(),.").premises is not None


def test_the_long_arrow_is_another_way_to_write_if() -> None:
    assert show_clause(clause("p(X) ⟸ q(X).")) == "p(X) :- q(X)."


def test_premises_are_of_four_kinds() -> None:
    premises = clause("p() :- q(), !r(), X = 1, s()@[T].").premises
    assert premises is not None
    assert [type(premise) for premise in premises] == [Atom, Negation, Equality, Timed]


def test_a_comma_may_stand_behind_the_last_premise() -> None:
    assert show_clause(clause("p() :- q(), |> do fn:f().")) == "p() :- q() |> do fn:f()."


def test_temporal_syntax_on_a_comparison_means_nothing() -> None:
    assert show_clause(clause("p(X) :- <-[1d, 2d] X @[now] = 1.")) == "p(X) :- X = 1."


def test_a_point_in_time_is_an_interval_with_equal_ends() -> None:
    time = clause("p()@[2024-02-29T23:59:59.1234567891Z].").time
    assert time is not None
    assert time.start == time.end
    assert isinstance(time.start.end, Constant)
    assert time.start.end.value == Time(1_709_251_199_123_456_789)


def test_times_before_the_year_one_and_far_away_wrap_as_64_bits_do() -> None:
    time = clause("p()@[0000-01-01, 9999-12-31].").time
    assert time is not None
    assert isinstance(time.start.end, Constant)
    assert time.start.end.value == Time((-719_528 * 86_400 * 10**9 + 2**63) % 2**64 - 2**63)


def test_an_open_end_is_none_in_an_annotation_and_a_wildcard_in_a_window() -> None:
    premises = clause("p() :- <-[_, 7d] q()@[_].").premises
    assert premises is not None
    (timed,) = premises
    assert isinstance(timed, Timed)
    assert timed.window is not None
    assert timed.annotation is not None
    assert isinstance(timed.window.start.end, Variable)
    assert isinstance(timed.window.end.end, Constant)
    assert timed.window.end.end.value == Duration(7 * 86_400 * 10**9)
    assert timed.annotation.start.end is None


def test_a_declaration_has_all_its_parts() -> None:
    text = (
        'Decl p(X, Y) temporal descr [doc("a"), mode("+", "-")] bound [/string, .List</any>] bound ["q", /number] '
        "inclusion [q(X)]."
    )
    (found,) = parse(text).declarations
    assert show_declaration(found) == text
    assert found.temporal


def test_headers_name_the_package_and_what_it_uses() -> None:
    unit = parse('Package a.b [doc("x")]!\nUse c!\nUse d [e(1)]!\np(1).')
    assert unit.package is not None
    assert (unit.package.name, len(unit.package.descriptions)) == ("a.b", 1)
    assert [use.name for use in unit.uses] == ["c", "d"]


def test_every_part_knows_its_place() -> None:
    found = clause("\n p(X,\n   fn:f(1)) :-\n !q(X).")
    assert found.place == Place("<text>", 2, 2)
    assert [term.place[1:] for term in found.head.arguments] == [(2, 4), (3, 4)]
    assert found.premises is not None
    assert found.premises[0].place[1:] == (4, 2)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("p(X) :- not q(X).", (1, 9), "write !q(…)"),
        ("% c\np(1).", (1, 1), "comments begin with #"),
        ("p(1). // c", (1, 7), "comments begin with #"),
        ("?- p(X).", (1, 1), "a query is not part of a program"),
        (":- p(X).", (1, 1), "a query is not part of a program"),
        ("p(Y) :- q(X), Y = X + 1.", (1, 21), "fn:plus(X, 1)"),
        ("p(Y) :- q(X), Y = X -1.", (1, 21), "fn:minus(X, 1)"),
        ("p(Y) :- q(X), X * 2 = Y.", (1, 17), "fn:mult(X, 2)"),
        ("p([-1]).", (1, 3), "put a space after '['"),
        ("p(X) :- q(X), X<-1.", (1, 16), "to compare, put a space"),
        ("p(X) <- q(X).", (1, 6), "write ':-'"),
        ('p(1).\np("a).\n', (2, 3), "a string begins here and never ends"),
        ('p("a).\nq("b").', (2, 4), "a string begins at 1:3"),
        ('p("a\n\\qb").', (2, 1), "unknown escape"),
        ('p("\\xff").', (1, 3), "\\u{00ff}"),
        ('p("\\u{110000}").', (1, 3), "no character"),
        ("p(1)", (1, 5), "every clause ends with '.'"),
        ("p(1)\nq(2).", (2, 1), "no final '.'"),
        ("p(X) :- X = /a.", (1, 16), "/a. swallowed the final '.'"),
        ("p(1).Decl q(X).", (1, 5), "put a space or a new line after the '.'"),
        ("Persona(X) :- q(X).", (1, 1), "persona(…)"),
        ("My_p(X).", (1, 1), "my_p(…)"),
        ("p(x).", (1, 3), "a capital letter (X)"),
        ("p(My_x).", (1, 3), "such as Myx"),
        ("p([X:1]).", (1, 4), "spaces around ':'"),
        ("p :- q().", (1, 1), "written p()"),
        ("p(q(X)).", (1, 3), "fn:q(…)"),
        ("p(X) :- q(X) = 1.", (1, 9), "fn:q(…)"),
        ("p(X) :- fn:f(X).", (1, 9), "X = fn:f(…)"),
        ("p(X) :- X.", (1, 9), "a variable (X)"),
        ("p(X) :- !X.", (1, 10), "a variable (X)"),
        ("now(1).", (1, 1), "'now' is a keyword"),
        ("p(2024-01-01).", (1, 3), "fn:time:parse_rfc3339"),
        ("p()@[2024-02-30].", (1, 6), "no time"),
        ("p()@[2024-01-01T24:00:00].", (1, 6), "no time"),
        ("p()@[99999999999h].", (1, 6), "292 years"),
        ("p()@[1].", (1, 6), "a time, a duration, a variable or now"),
        ("p(9223372036854775808).", (1, 3), "a number must lie between"),
        (f"p({'9' * 10_000}).", (1, 3), "a number must lie between"),
        ("p(1.0e999).", (1, 3), "too large"),
        ("Decl p(1).", (1, 8), "must be variables"),
        ("p(1). Package a!", (1, 7), "at the top of the file"),
        ("Package aB!", (1, 1), "Package ab!"),
        ("p(X) :- q(X) |> do X.", (1, 20), "'do' needs a function"),
        ("p(X) :- q(X) |> let Y = q(X).", (1, 25), "fn:q(…)"),
        ("p(X) :- q(X); r(X).", (1, 13), "write a second rule"),
        ("p(X) :- q(X) and r(X).", (1, 14), "',' for and"),
        ("p(X) :- q(X), X == 1.", (1, 18), "one sign"),
        ("p(X) :- q(X), X =< 1.", (1, 18), "X <= Y"),
        ("p(X) :- q(X) |> do fn:f(),.", (1, 27), "expected 'let'"),
        ("p(\x00).", (1, 3), "'\\x00' begins nothing"),
        ("p(\ud800).", (1, 3), "not valid Unicode"),
        ("\ufeffp(1).", (1, 1), "byte order mark"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_way_to_mend_it(
    text: str, place: tuple[int, int], message: str
) -> None:
    found = error(text)
    assert found.place is not None
    assert found.place[1:] == place
    assert message in str(found)
    assert "\n" not in str(found)


def test_several_mistakes_are_reported_together() -> None:
    found = error('p(x).\nq(1)\nr(2).\ns(1.5.6).\nt(X) :- u(X), X = "\\q. r(".\nv(1,.')
    assert isinstance(found, MangleErrors)
    assert [each.place[1] for each in found.errors if each.place] == [1, 3, 4, 5, 6]
    assert "and 4 more errors" in str(found)


def test_an_unfinished_string_costs_one_error_only() -> None:
    assert not isinstance(error('p("a.\nq(x).\nr(y).\n'), MangleErrors)


def test_the_number_of_errors_is_limited() -> None:
    found = error("p(x).\n" * 100)
    assert isinstance(found, MangleErrors)
    assert len(found.errors) == MOST_ERRORS


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("fn:f(", ")"), ("{/a : ", "}"), (".T<", ">"), ("[1 : ", "]")]
)
def test_nesting_has_a_limit_and_an_error_behind_it(opening: str, closing: str) -> None:
    parse(f"p({opening * 199}1{closing * 199}).")
    assert "nested deeper than 200" in str(error(f"p({opening * 100_000}"))


def test_a_goal_is_one_atom_with_or_without_a_dot() -> None:
    assert parse_atom("p(/a, X, _)") == parse_atom("p(/a, X, _).")
    with pytest.raises(MangleError, match=r"expected '\.' or the end, found 'q'"):
        parse_atom("p(X). q(X).")


def test_a_fact_is_a_symbol_and_its_row() -> None:
    text = 'p(/a, [1, "b"], [1 : 2], {/x : 1.5}, fn:pair(1, 2), fn:duration:parse("1h"))'
    assert parse_fact(text) == (
        Symbol("p", 6),
        (
            Name("/a"),
            make_list([1, "b"]),
            make_map([(1, 2)]),
            make_struct([(Name("/x"), Float(1.5))]),
            Pair((1, 2)),
            Duration(3600 * 10**9),
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(X)", "no variables, found X"),
        ("p([_])", "no variables"),
        ("p(fn:nosuch(1))", "no function fn:nosuch"),
        ("p(fn:map(1))", "fn:map"),
    ],
)
def test_what_is_no_fact_is_refused(text: str, message: str) -> None:
    with pytest.raises(MangleError, match=message):
        parse_fact(text)


def test_a_long_line_is_read() -> None:
    unit = parse("p(" + ", ".join(["/a"] * 100_000) + ").")
    assert unit.clauses[0].head.symbol == Symbol("p", 100_000)
