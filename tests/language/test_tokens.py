import pytest

from mayfly.language import tokens


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix", "word"),
        ("Fix", "word"),
        ("don't", "word"),
        ("sign-up", "word"),
        ("naïve", "word"),
        ("auth.go", "path"),
        ("test_add.py", "path"),
        ("src/", "path"),
        ("./run", "path"),
        ("/etc/hosts", "path"),
        ("a/b/c", "path"),
        ("README", "path"),
        (".env", "path"),
        ("*.py", "path"),
        ("https://example.com/fix", "url"),
        ("bob@example.com", "url"),
        ('"fix it"', "quoted"),
        ("`rm -rf`", "quoted"),
        ("“fix it”", "quoted"),
        ("'fix it'", "quoted"),
        ("fix-123", "code"),
        ("add_user()", "code"),
        ("parseDate", "code"),
        ("User.save", "code"),
        ("--json", "code"),
        ("x=1", "code"),
        ("42", "number"),
        ("3.14", "number"),
        ("10%", "number"),
        ("2024-05-01", "moment"),
        ("14:30", "clock"),
        ("10.0.0.1", "address"),
        ("#123", "number"),
        ("> quoted line", "data"),
        ("```\nfix\n```", "data"),
        ("2024-01-01 ERROR delete", "data"),
        ("Traceback (most recent call last):", "data"),
    ],
)
def test_a_thing_is_one_token_of_its_kind(text: str, kind: str) -> None:
    (found,) = tokens(text)
    assert found.kind == kind


@pytest.mark.parametrize("text", ["auth.go,", "(auth.go)", "auth.go.", "auth.go:", "auth.go?!"])
def test_signs_do_not_stick_to_a_path(text: str) -> None:
    assert [token.text for token in tokens(text) if token.kind == "path"] == ["auth.go"]


def test_places_point_into_the_text() -> None:
    text = 'Fix "the bug" in (auth.go), then run `make test`.'
    for token in tokens(text):
        assert token.text in text[token.start : token.end]


def test_a_list_marker_is_no_word() -> None:
    assert [token.kind for token in tokens("1. fix\n- test\n* add")] == ["item", "word", "line"] * 2 + ["item", "word"]


def test_a_quote_that_never_ends_swallows_nothing() -> None:
    assert [token.plain for token in tokens('5" pipe') if token.kind == "word"] == ["pipe"]
