"""What `slug` has to do; the tests call it by its name."""


def test_words_are_joined() -> None:
    assert slug("Hello, World!") == "hello-world"


def test_numbers_stay() -> None:
    assert slug("Release 1.2") == "release-1-2"


def test_edges_have_no_dashes() -> None:
    assert slug("  (draft) ") == "draft"


def test_nothing_is_nothing() -> None:
    assert slug("") == ""
