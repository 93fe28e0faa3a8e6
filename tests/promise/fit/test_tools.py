"""Intents held against capabilities: of strangers by their descriptions, of our own by what they do and take."""

import tomllib
from pathlib import Path

import pytest

from mayfly.core import Capability
from mayfly.promise import IntentKind, classify
from mayfly.promise._classify import endless
from mayfly.promise.fit import fits, hands_on, is_torn, read_request
from mayfly.world import builtins
from promise.plan.helpers import lexicon

KINDS = {"D": IntentKind.DETERMINISTIC, "P": IntentKind.PROBABILISTIC, "C": IntentKind.CHAOTIC}
TABLES = {
    name: tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for name in ("tools.toml", "tools_other.toml", "builtins.toml")
}
NAMES = ("tools.toml", "tools_other.toml")
BUILTINS = [tuple(case) for case in TABLES["builtins.toml"]["intents"]]
DIRECTORIES = ("src", "docs", "tests", "lib", "config")


def intents(name: str) -> list[tuple[str, str]]:
    return [(intent, expected) for intent, expected in TABLES[name]["intents"]]


def tools(name: str) -> list[tuple[str, str]]:
    return [(tool, description) for tool, description in TABLES[name]["tools"]]


@pytest.mark.parametrize("name", NAMES)
def test_an_intent_is_one_step_only_for_the_tool_that_fits_it(name: str) -> None:
    wrong = []
    for intent, expected in intents(name):
        found = classify(intent, capabilities=tools(name))
        kind, _, tool = expected.partition(" ")
        if found.kind is not KINDS[kind] or (tool and not found.reasoning.endswith(f": {tool}")):
            wrong.append((intent, expected, found))
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_without_its_tool_the_same_intent_is_no_longer_one_step(name: str) -> None:
    wrong = []
    for intent, expected in intents(name):
        if expected.startswith("D "):
            others = [tool for tool in tools(name) if tool[0] != expected.split()[1]]
            found = classify(intent, capabilities=others)
            wrong += [] if found.kind is IntentKind.PROBABILISTIC else [(intent, found)]
    assert wrong == []


def served(intent: str, capabilities: tuple[Capability, ...] = builtins()) -> str:
    """Return the one capability that does all that an intent says, or nothing."""
    reading = read_request(intent, lexicon(), lambda word: word.strip("/") in DIRECTORIES)
    asked = [said for said in reading.said if not (said.place and hands_on(said))]
    if is_torn(reading.request) or endless(reading.request.tokens):
        return ""
    if len(asked) != 1 or asked[0].condition or asked[0].clause.kind == "question":
        return ""
    found, _ = fits(asked[0].as_one(), capabilities, ())
    return found[0].capability.name if len(found) == 1 and not found[0].write else ""


def test_a_built_in_capability_does_what_is_said_and_nothing_less() -> None:
    found = [(intent, served(intent), expected.partition(" ")[2]) for intent, expected in BUILTINS]
    assert [case for case in found if case[1] != case[2]] == []


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert sum(len(intents(name)) for name in NAMES) > 100
    assert len(BUILTINS) > 300
    assert len(set(BUILTINS)) == len(BUILTINS)
