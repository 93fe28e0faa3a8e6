import pytest

from mayfly.language import bases, is_form_of, plural, verb_forms


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
