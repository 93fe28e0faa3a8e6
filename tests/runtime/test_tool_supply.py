"""What a plan names and nobody has: the library is asked, then a tool is made for it, or the person is told how."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import Example
from mayfly.library import Tools
from mayfly.promise import ITEM, Promise, Work
from mayfly.runtime import Runtime
from mayfly.runtime._prove import prove_again

from .conftest import Script
from .test_tools import shared, tools, workshop
from .tools_bench import EXAMPLES, roman, wrong_roman

__all__ = ["shared", "tools", "workshop"]
ASKED = "tell what the numeral MCMXC stands for"
PLAN = {
    "steps": [
        {
            "name": "value",
            "intent": "convert a roman numeral to a whole number",
            "kind": "capability",
            "capability": "numeral_value",
            "arguments": {"numeral": "MCMXC"},
        }
    ]
}
CONTRACT = ("contract", json.dumps({"input": "str", "output": "int"}))
CASES = ("tests", json.dumps({"cases": [{"input": ["IX"], "output": 9}, {"input": ["MDC"], "output": 1600}]}))


def test_missing_tool_for_a_step_is_made_kept_and_used_again(shared: Runtime, tools: Tools, script: Script) -> None:
    source = roman("numeral_value")
    model = script(("plan", json.dumps(PLAN)), CONTRACT, ("architect", f"```python\n{source}\n```"), CASES)
    outcome = shared.run(ASKED, model=model)
    assert (outcome.status, outcome.value) == ("resolved", 1990), outcome.reason
    card, kept = tools.show("numeral_value")
    assert (card.by, card.version, kept) == ("plan", 1, source)
    # The next plan that names it, by a model that could not write it, has it called.
    again = shared.run(ASKED, model=script(("plan", json.dumps(PLAN))))
    assert (again.status, again.value) == ("resolved", 1990), again.reason
    assert tools.standing("numeral_value").version == 1


def test_a_tool_that_does_the_same_is_used_and_no_second_one_made(
    shared: Runtime, tools: Tools, script: Script
) -> None:
    assert tools.write("convert a roman numeral", name="roman", source=roman(), examples=EXAMPLES).accepted
    source = roman("numeral_value")
    model = script(("plan", json.dumps(PLAN)), CONTRACT, ("architect", f"```python\n{source}\n```"), CASES)
    outcome = shared.run(ASKED, model=model)
    assert (outcome.status, outcome.value) == ("resolved", 1990), outcome.reason
    assert [one.name for one in tools.list()] == ["roman"]


def test_where_none_can_be_made_the_person_is_told_what_to_type(shared: Runtime, tools: Tools, script: Script) -> None:
    source = wrong_roman("numeral_value")
    model = script(("plan", json.dumps(PLAN)), CONTRACT, ("architect", f"```python\n{source}\n```"), CASES)
    outcome = shared.run(ASKED, model=model, ground=-1)
    assert (outcome.status, outcome.value) == ("collapsed", -1)
    typed = 'mayfly tools write "convert a roman numeral to a whole number" --name numeral_value --examples FILE.json'
    assert typed in outcome.reason
    assert f"mayfly resume {outcome.id}" in outcome.reason
    assert tools.list() == ()


def test_leaves_that_wait_for_the_same_tool_have_it_made_once(shared: Runtime, tools: Tools, script: Script) -> None:
    source = roman("numeral_value")
    model = script(CONTRACT, ("architect", f"```python\n{source}\n```"), CASES)
    one: Promise[Any] = Promise("convert a roman numeral to a whole number", ground=None, argument={"numeral": ITEM})
    one.work = Work(kind="make", name="numeral_value")
    tree: Promise[Any] = Promise("convert several", ground=None, combine="list", each=["IX", "XL", "MC"], template=one)
    outcome = shared.resolve(tree, model=model)
    assert (outcome.status, outcome.value) == ("resolved", [9, 40, 1100]), outcome.reason
    assert tools.standing("numeral_value").newest == 1
    assert [event.kind for event in shared.ledger.read(kind="tool.refused")] == []


def test_rules_that_do_not_permit_it_are_heard(
    shared: Runtime, tools: Tools, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mayfly.policy import Permit
    from mayfly.runtime._drive import Drive

    asked: list[tuple[str, str]] = []
    permit = Drive._permit

    def deny(drive: Drive, action: str, target: str, payload: str) -> Permit:
        asked.append((action, target))
        said = permit(drive, action, target, payload)
        return replace(said, decision="deny") if action == "tool_write" else said

    monkeypatch.setattr(Drive, "_permit", deny)
    outcome = shared.run(ASKED, model=script(("plan", json.dumps(PLAN)), ("architect", "none")))
    assert (outcome.status, tools.list()) == ("collapsed", ())
    assert "tool_write numeral_value is not permitted" in outcome.reason
    assert asked == [("tool_write", "numeral_value")]


def test_without_a_model_a_step_that_nobody_serves_says_what_to_type(shared: Runtime) -> None:
    tree = shared.plan("list the files in . and then knit a sweater")
    outcome = shared.resolve(tree)
    assert outcome.status == "collapsed"
    assert "mayfly tools write" in outcome.reason


def test_a_tool_with_the_same_intent_is_used_before_anything_is_written(
    shared: Runtime, tools: Tools, script: Script
) -> None:
    intent = "Convert a roman numeral to a whole number."
    assert tools.write(intent, name="roman", source=roman(), examples=EXAMPLES).accepted
    # Nobody agrees on a contract or writes tests here, so that nothing could be written.
    model = script(("plan", json.dumps(PLAN)), ("architect", "nothing"))
    outcome = shared.run(ASKED, model=model)
    assert (outcome.status, outcome.value) == ("resolved", 1990), outcome.reason
    assert [one.name for one in tools.list()] == ["roman"]


def leaf(*examples: tuple[str, int], intent: str = "convert a roman numeral") -> Promise[Any]:
    """Return a promise that would be written from examples."""
    told = tuple(Example(input=given, output=gives) for given, gives in examples)
    work = Work(kind="compile", name="example")
    return Promise(intent, ground=None, work=work, argument="MCMXC", examples=told)


def test_a_leaf_with_examples_uses_the_tool_that_gives_what_they_say(shared: Runtime, tools: Tools) -> None:
    tests = "def test_it() -> None:\n    assert roman('IX') == 9\n    assert roman('MC') == 1100\n"
    made = tools.write(
        "convert a roman numeral",
        name="roman",
        source=roman(),
        examples=EXAMPLES,
        tests=tests,
        tests_by="ada",
        by="bob",
    )
    assert made.proof is not None
    assert made.proof.holds
    tree = leaf(("XIV", 14), ("CD", 400))
    outcome = shared.resolve(tree)
    assert (outcome.status, outcome.value) == ("resolved", 1990), outcome.reason
    assert tree.proof is not None
    assert tree.proof.description == "roman, version 1, is proven, and gives what 2 examples say"
    assert tools.standing("roman").calls == 1
    assert prove_again(shared, outcome.id).holds


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(leaf(("XIV", 14), ("CD", 401)), id="an example says otherwise"),
        pytest.param(leaf(("XIV", 14)), id="one example fits many programs"),
        pytest.param(leaf(("XIV", 14), ("CD", 400), intent="convert a roman numeral to a date"), id="another intent"),
    ],
)
def test_a_leaf_with_examples_never_uses_a_tool_that_may_not_be_meant(
    shared: Runtime, tools: Tools, tree: Promise[Any]
) -> None:
    tests = "def test_it() -> None:\n    assert roman('IX') == 9\n    assert roman('MC') == 1100\n"
    intent = "convert a roman numeral"
    tools.write(intent, name="roman", source=roman(), examples=EXAMPLES, tests=tests, tests_by="ada", by="bob")
    shared.resolve(tree)
    assert tools.standing("roman").calls == 0
