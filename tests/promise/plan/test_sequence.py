"""Which of several requests waits for which."""

import pytest

from mayfly.promise.plan._sequence import sequence
from mayfly.promise.plan._understand import understand

from .helpers import shipped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Refactor the parser, then test it", [(), (0,)]),
        ("Refactor the parser, then test it and document the API", [(), (0,), (0,)]),
        ("Review the parser and document the API", [(), ()]),
        ("Review the parser. Document the API.", [(), ()]),
        ("Review the parser and document the API, then deploy the service", [(), (), (0, 1)]),
        ("Refactor auth.py; test it; document it", [(), (0,), (1,)]),
        ("Implement and test the importer", [(), (0,)]),
        ("Analyze the logs and review the results", [(), (0,)]),
        ("1. Review the parser\n2. Deploy the service", [(), (0,)]),
        ("- Review the parser\n- Deploy the service", [(), ()]),
        ("First analyze the logs. Afterwards, fix the parser. Finally deploy the service.", [(), (0,), (1,)]),
    ],
)
def test_then_and_it_say_what_comes_after_what(text: str, expected: list[tuple[int, ...]]) -> None:
    assert sequence(text, understand(text, shipped().lexicon).intents) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read a.txt and hash it", ["Read a.txt", "hash it"]),
        ("Analyze sales.csv, then plot the results", ["Analyze sales.csv", "plot the results"]),
        ("Create a script to load data and hash it", ["Create a script to load data and hash it"]),
        ("Knit a scarf", ["Knit a scarf"]),
        ("read a.txt, then calculate 2 + 2", ["read a.txt", "calculate 2 + 2"]),
        ("Hash a.txt, then compress it", ["Hash a.txt", "compress it"]),
    ],
)
def test_no_verb_is_lost_because_perception_does_not_know_it(text: str, expected: list[str]) -> None:
    assert [one.intent.text for one in understand(text, shipped().lexicon).intents] == expected


def test_what_it_means_is_what_was_spoken_of_before() -> None:
    intents = [one.intent for one in understand("Read a.txt and hash it", shipped().lexicon).intents]
    assert [(intent.verb, intent.target) for intent in intents] == [("read", "a.txt"), ("hash", "a.txt")]


def test_every_intent_has_a_name_of_its_own() -> None:
    found = understand("Read a.txt and hash it, then compress it", shipped().lexicon).intents
    assert [one.id for one in found] == ["i1", "i2", "i3"]
