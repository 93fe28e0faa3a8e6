"""Tasks whose outputs are classes: what examples alone settle, what they do not, and when a model is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mayfly.runtime import Runtime
from popcount import fenced

from .conftest import Script

SKEWED: dict[str, Any] = {
    "examples": [
        {"input": "red rose", "output": True},
        {"input": "oak", "output": False},
        {"input": "pine", "output": False},
        {"input": "elm", "output": False},
    ],
    "input": "tulip",
    "ground": "?",
}
INTENT = "Is the plant a flower?"
FLOWER = '''class Flower:
    """Say whether a plant is a flower."""

    def invoke(self, input: str) -> bool:
        """Say it."""
        return any(input.endswith(name) for name in ("rose", "tulip", "lily"))
'''
MEANT = {"rose": True, "lily": True, "white tulip": True, "beech": False, "maple": False, "ash": False}
CASES = json.dumps({"cases": [{"input": plant, "output": output} for plant, output in MEANT.items()]})


def test_one_example_of_a_class_resolves_nothing_and_says_what_is_missing(runtime: Runtime) -> None:
    outcome = runtime.run(INTENT, **SKEWED)
    assert (outcome.status, outcome.value) == ("collapsed", "?")
    assert "the class true has one example; two are needed: add one with --examples" in outcome.reason
    assert outcome.candidate in (True, False)
    assert outcome.proof is not None
    assert outcome.proof.strength == "weak"
    assert not runtime.run(INTENT, **SKEWED).resolved


@pytest.mark.parametrize("examples", [3, 2])
def test_a_class_that_happens_to_fit_resolves_nothing(runtime: Runtime, examples: int) -> None:
    shown = [*[("olive", True), ("palm", True), ("fig", True)][:examples], ("larch", False), ("birch", False)]
    given = [{"input": tree, "output": output} for tree, output in shown]
    outcome = runtime.run("Does the tree grow in the south?", examples=given, input="beech tree", ground="?")
    assert (outcome.status, outcome.value) == ("collapsed", "?"), outcome.proof


def test_a_model_is_asked_where_examples_alone_speak_for_a_class(runtime: Runtime, script: Script) -> None:
    model = script(("tests", CASES), ("architect", fenced(FLOWER)))
    outcome = runtime.run(INTENT, model=model, **SKEWED)
    assert (outcome.status, outcome.value) == ("resolved", True), outcome.reason
    assert outcome.proof is not None
    assert "tests" in [witness.kind for witness in outcome.proof.evidence]


def test_a_model_is_asked_even_where_the_search_is_sure_of_a_class(runtime: Runtime, script: Script) -> None:
    examples = [{"input": {"n": number, "paid": number > 2}, "output": number > 2} for number in range(1, 5)]
    asked: dict[str, Any] = {"examples": examples, "input": {"n": 9, "paid": True}, "ground": "?"}
    alone = runtime.run("Has it been paid?", **asked)
    assert (alone.status, alone.value) == ("resolved", True), alone.reason
    model = script(("tests", "none"), ("architect", "none"))
    assert runtime.run("Has it been paid?", model=model, **asked).cost.model_calls > 0


def test_without_tests_from_the_intent_what_a_model_writes_for_a_class_is_weak(
    runtime: Runtime, script: Script
) -> None:
    model = script(("tests", "none"), ("architect", fenced(FLOWER)))
    examples = [*SKEWED["examples"], {"input": "tea rose", "output": True}]
    outcome = runtime.run(INTENT, model=model, **{**SKEWED, "examples": examples})
    assert (outcome.status, outcome.candidate) == ("collapsed", True)
    assert outcome.proof is not None
    assert outcome.proof.strength == "weak"


def test_an_answer_about_one_input_does_not_prove_a_class(runtime: Runtime) -> None:
    runtime.run(INTENT, **SKEWED)
    said = runtime.run(INTENT, answers=[{"input": "tulip", "output": True}], **SKEWED)
    assert not said.resolved or said.value is True
    assert not runtime.run(INTENT, **{**SKEWED, "input": "daisy"}).resolved
