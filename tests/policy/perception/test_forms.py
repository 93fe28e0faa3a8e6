import pytest

from mayfly.policy.perception._forms import inflections, plural


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
    forms = inflections(word)
    assert (forms[word], forms[third], forms[gerund], forms[past]) == ("base", "third", "gerund", "past")


@pytest.mark.parametrize(
    ("one", "many"), [("test", "tests"), ("analysis", "analyses"), ("copy", "copies"), ("key", "keys")]
)
def test_nouns_have_their_plural(one: str, many: str) -> None:
    assert plural(one) == many
