"""Tokens: the longest one wins, and each knows its place."""

import pytest

from mayfly.mangle._lexer import (
    BAD,
    BYTES,
    CONSTANT,
    DOT_TYPE,
    DURATION,
    END,
    FLOAT,
    LOWER_KEYWORDS,
    NAME,
    NUMBER,
    STRING,
    TIMESTAMP,
    UPPER_KEYWORDS,
    VARIABLE,
    WORD,
    Lexer,
)


def tokens(text: str) -> list[tuple[str, str]]:
    lexer = Lexer(text, "t")
    found = []
    while lexer.kind is not END:
        found.append((lexer.kind, lexer.text))
        lexer.advance()
    return found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("X", VARIABLE),
        ("Xy9", VARIABLE),
        ("_", VARIABLE),
        ("name", NAME),
        (":name", NAME),
        ("fn:list:get", NAME),
        ("a.b_c.D", NAME),
        ("/a", CONSTANT),
        ("/a/b.c-d~e%_", CONSTANT),
        ("12", NUMBER),
        ("-12", NUMBER),
        ("1.5", FLOAT),
        ("-.5", FLOAT),
        ("1.5e-7", FLOAT),
        ("7d", DURATION),
        ("500ms", DURATION),
        ("2024-01-15", TIMESTAMP),
        ("2024-01-15T10:30:00.25Z", TIMESTAMP),
        (".List", DOT_TYPE),
        ("Under_score", WORD),
        ('"a"', STRING),
        ("'a'", STRING),
        ("`a`", STRING),
        ('b"a"', BYTES),
        ('"\\n\\t\\"\\\'\\\\\\x7f\\u{1f600}\\\n"', STRING),
    ],
)
def test_a_token_has_its_kind(text: str, kind: str) -> None:
    assert tokens(text) == [(kind, text)]


@pytest.mark.parametrize(
    "word", [*UPPER_KEYWORDS, *LOWER_KEYWORDS, *"()[]{}=,!<>@.:⟸", "!=", "<=", ">=", ":-", "|>", "<-", "<+", "[-", "[+"]
)
def test_keywords_and_signs_are_kinds_of_their_own(word: str) -> None:
    assert tokens(word) == [(word, word)]


@pytest.mark.parametrize("word", ["Decls", "Package1", "nowhere", "let_it", "do:it", "bound.x"])
def test_a_longer_word_is_no_keyword(word: str) -> None:
    assert tokens(word)[0][0] in (NAME, VARIABLE)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[-1", ["[-", "1"]),
        ("X<-1", ["X", "<-", "1"]),
        ("X=/a.", ["X", "=", "/a."]),
        ("X:1", ["X:1"]),
        ("p(1).Decl", ["p", "(", "1", ")", ".Decl"]),
        ("1.", ["1", "."]),
        ("1.x", ["1", ".", "x"]),
        ("5msx", ["5ms", "x"]),
        ("2024-01-155", ["2024-01-15", "5"]),
        ("20240-01-15", ["20240", "-01", "-15"]),
        ("2024-01-15T10", ["2024-01-15", "T10"]),
        ("a..b", ["a", ".", ".", "b"]),
        ("_a", ["_", "a"]),
        ("1e5", ["1", "e5"]),
        ("!!=", ["!", "!="]),
        (":-:a", [":-", ":a"]),
    ],
)
def test_the_longest_token_wins(text: str, parts: list[str]) -> None:
    assert [part for _, part in tokens(text)] == parts


def test_comments_and_all_white_space_are_skipped() -> None:
    assert tokens("# one\n\t p\r\n\f# two # three") == [(NAME, "p")]


def test_a_number_sign_inside_a_string_is_no_comment() -> None:
    assert tokens('"# a"') == [(STRING, '"# a"')]


@pytest.mark.parametrize(
    "text", ['"a', "'a\"", "`a", '"\\q"', '"\\xAB"', '"\\u{12}"', "`\\``", "%", "/", "|", "-", "é"]
)
def test_what_begins_no_token_is_bad(text: str) -> None:
    assert tokens(text)[0] == (BAD, text[0])


def test_a_run_of_characters_that_begin_nothing_is_one_bad_token() -> None:
    assert tokens("p %?;$ (") == [(NAME, "p"), (BAD, "%?;$"), ("(", "(")]


def test_an_unfinished_byte_string_is_a_word_and_a_bad_quote() -> None:
    assert tokens('b"a')[:2] == [(NAME, "b"), (BAD, '"')]


def test_places_count_lines_and_columns_from_one_over_strings_with_line_ends() -> None:
    lexer = Lexer('p\n  "é\n\n" X\r\nq', "t")
    places = []
    while lexer.kind is not END:
        places.append((lexer.text[0], *lexer.place()[1:]))
        lexer.advance()
    assert places == [("p", 1, 1), ('"', 2, 3), ("X", 4, 3), ("q", 5, 1)]
    assert lexer.place()[1:] == (5, 2)


def test_the_end_stays_the_end() -> None:
    lexer = Lexer("", "t")
    lexer.advance()
    assert lexer.kind is END


def test_a_bad_string_is_skipped_up_to_its_closing_quote() -> None:
    lexer = Lexer('"a\\q(" p', "t")
    lexer.skip_bad()
    assert (lexer.kind, lexer.text) == (NAME, "p")


def test_a_long_line_of_digits_or_escapes_is_cut_in_linear_time() -> None:
    assert len(tokens("1" * 500_000)) == 1
    assert tokens('"' + "\\n" * 250_000)[0][0] is BAD
