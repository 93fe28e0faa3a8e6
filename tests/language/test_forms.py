import pytest

from mayfly.language import bases, does, is_form_of, plural, verb_forms


@pytest.mark.parametrize(
    ("word", "third", "gerund", "past"),
    [
        ("fix", "fixes", "fixing", "fixed"),
        ("create", "creates", "creating", "created"),
        ("modify", "modifies", "modifying", "modified"),
        ("deploy", "deploys", "deploying", "deployed"),
        ("plan", "plans", "planning", "planned"),
        ("commit", "commits", "committing", "committed"),
        ("edit", "edits", "editing", "edited"),
        ("write", "writes", "writing", "wrote"),
        ("rewrite", "rewrites", "rewriting", "rewritten"),
        ("find", "finds", "finding", "found"),
        ("search", "searches", "searching", "searched"),
        ("tie", "ties", "tying", "tied"),
        ("agree", "agrees", "agreeing", "agreed"),
        ("analyze", "analyses", "analysing", "analysed"),
    ],
)
def test_verbs_are_inflected(word: str, third: str, gerund: str, past: str) -> None:
    forms = verb_forms(word)
    assert (forms[word], forms[third], forms[gerund], forms[past]) == ("base", "third", "gerund", "past")


@pytest.mark.parametrize(
    ("one", "many"), [("test", "tests"), ("analysis", "analyses"), ("copy", "copies"), ("key", "keys")]
)
def test_nouns_have_their_plural(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(
    ("one", "other"),
    [("movies", "movie"), ("queries", "query"), ("caches", "cache"), ("matches", "match"), ("wrote", "write")],
)
def test_words_meet_by_the_bases_they_share(one: str, other: str) -> None:
    assert other in bases(one)
    assert is_form_of(one, other)


@pytest.mark.parametrize(("one", "other"), [("status", "statu"), ("address", "addres"), ("news", "new")])
def test_words_that_end_like_a_form_are_none(one: str, other: str) -> None:
    assert not is_form_of(one, other)


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("get_weather", "Get the weather forecast for a city", [("get", "weather forecast"), ("get", "weather")]),
        ("listInvoices", "Lists the invoices of a customer", [("list", "invoice")]),
        ("move_file", "Move or rename a file", [("move", "file"), ("rename", "file")]),
        ("hash_file", "Compute the SHA-256 checksum of a file", [("compute", "checksum"), ("hash", "file")]),
        ("read_file", "Read a text file and return its contents", [("read", "text file"), ("read", "file")]),
        ("clock", "Return the current date and time.", [("return", "current date"), ("return", "time")]),
        ("x", "This tool lets you list and delete events", [("list", "event"), ("delete", "event")]),
        ("rate", "Look up the exchange rate", [("look up", "exchange rate")]),
        ("create_issue", "", [("create", "issue")]),
        ("x", "", []),
        ("", "", []),
    ],
)
def test_a_description_says_what_is_done_to_what(name: str, description: str, expected: list[tuple[str, str]]) -> None:
    assert list(does(name, description)) == expected


def test_a_form_that_may_be_of_two_verbs_is_of_both() -> None:
    assert {("read", "file"), ("write", "file")} <= set(does("files", "Tool for reading and writing files"))


@pytest.mark.parametrize("text", ["", ".", "\x00", "a" * 5000, "the the the", "Reads", "to", "and or and", "??"])
def test_any_description_is_read(text: str) -> None:
    assert isinstance(does(text, text), tuple)
