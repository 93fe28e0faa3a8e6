"""What is asked for after something else, and what stands beside a request."""

import pytest

from .helpers import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("After fixing the login bug, deploy the app", ["fix the login bug", "deploy the app"]),
        ("After running the tests, commit the change.", ["run the tests", "commit the change"]),
        ("Please, after refactoring a.py, document it", ["refactor a.py", "document it"]),
        ("Once you have fixed main.py, commit it", ["fix main.py", "commit it"]),
        ("after you fix main.py, commit it", ["fix main.py", "commit it"]),
        ("After having reviewed a.py, b.py and c.py, summarize them", ["review a.py, b.py and c.py", "summarize them"]),
    ],
)
def test_both_requests_of_after_are_read_in_their_order(text: str, expected: list[str]) -> None:
    found = read(text)
    said = [one.intent.text for one in found.intents] + [aside.text for aside in found.asides]
    assert said == expected


def test_the_second_one_comes_later() -> None:
    assert [one.later for one in read("After fixing the login bug, deploy the app").intents] == [False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("After upgrading Django, the tests fail. Fix them", ["fix"]),
        ("After the deploy, run the tests", ["test"]),
        ("After I fix the parser, document it", ["document"]),
        ("Before deleting the table, explain it", ["explain"]),
        ("Does it fail after deleting the table, and why?", []),
    ],
)
def test_what_is_only_told_is_not_asked_for(text: str, expected: list[str]) -> None:
    assert [one.intent.verb for one in read(text).intents if one.intent.category == "command"] == expected


def test_a_clause_whose_verb_is_not_known_is_kept_where_it_stood() -> None:
    found = read("fix main.py. Frobnicate the cache. Deploy the app.")
    assert [(aside.text, aside.place, aside.asks) for aside in found.asides] == [("Frobnicate the cache", 1, True)]


def test_a_condition_is_kept_where_it_stood() -> None:
    found = read("If notes.txt is empty, delete it")
    assert [(aside.text, aside.place, aside.asks) for aside in found.asides] == [("If notes.txt is empty", 0, False)]


def test_a_text_that_only_forbids_says_so() -> None:
    assert read("don't read notes.txt").refusals == ("don't read notes.txt",)
    assert read("don't read notes.txt, review it").refusals == ()
