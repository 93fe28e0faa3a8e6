"""Words by which tools are found: one form for all forms of a word."""

from mayfly.library import words_of


def test_forms_of_a_word_are_one_word() -> None:
    assert words_of("converts roman numerals") == words_of("converting a roman numeral")


def test_names_are_taken_apart() -> None:
    assert words_of("roman_to_int") == ["roman", "int"]
    assert words_of("parseHTMLTable") == ["parse", "html", "table"]


def test_what_every_request_says_tells_nothing() -> None:
    assert words_of("please create a new tool that") == []


def test_foreign_letters_and_endless_texts_are_words_too() -> None:
    assert words_of("Zählen 数字") == [*words_of("Zählen"), *words_of("数字")]
    assert len(words_of("abc " * 100_000)) == 1
