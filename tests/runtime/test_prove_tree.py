"""Proofs of trees run again: each promise by what its value was accepted with, in the world of now."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Asked, Capability, Example, InputError, Invocation, PolicySettings, Settings
from mayfly.promise import Promise, Work
from mayfly.promise._events import Proven
from mayfly.runtime import Reproved, Runtime, prove_again

SQUARES = tuple(Example(input=n, output=n * n) for n in (0, 2, 3, 5, 7, -4))
SORTED = 'def test(result, input):\n    return result == sorted(input["it"])\n'


class World:
    """Something outside that capabilities look at."""

    def __init__(self) -> None:
        self.says: object = True
        self.waits = threading.Event()
        self.seen: list[Invocation] = []

    def check(self, invocation: Invocation, value: object) -> object:
        self.seen.append(invocation)
        if isinstance(self.says, Exception):
            raise self.says
        if self.says == "nothing":
            self.waits.wait(500)
        return self.says


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.waits.set()


def capabilities(world: World, *, check_seconds: float = 100) -> list[Capability]:
    return [
        Capability(
            name="look",
            input_schema={"type": "object", "required": ["it"]},
            call=lambda invocation: invocation.arguments["it"],
            check=world.check,
            proves="the world is as it was",
            check_seconds=check_seconds,
        ),
        Capability(name="sort", summary="sort", call=lambda invocation: sorted(invocation.arguments["it"])),
        Capability(
            name="ask",
            summary="ask",
            call=lambda invocation: "answer",
            asks=lambda call: (Asked("http_get", "https://example.com/"),),
        ),
        Capability(name="boom", summary="boom", call=lambda invocation: 1 / 0),
    ]


@pytest.fixture
def runtime(tmp_path: Path, world: World) -> Iterator[Runtime]:
    settings = Settings(state_dir=str(tmp_path / "state"))
    with Runtime(settings, capabilities=capabilities(world), workspace=tmp_path) as made:
        yield made


def leaf(capability: str, argument: object = 1, **more: Any) -> Promise[Any]:
    given: dict[str, Any] = {} if argument is None else {"argument": {"it": argument}}
    return Promise(f"{capability} it", ground="ground", capability=capability, **given, **more)


def tree(*children: Promise[Any], **more: Any) -> Promise[Any]:
    root: Promise[Any] = Promise("do both", ground="ground", **more)
    for child in children:
        root.add(child)
    return root


def prove(runtime: Runtime, id: str) -> dict[str, tuple[bool, str]]:
    found = prove_again(runtime, id)
    assert not isinstance(found, Reproved)
    assert found.holds == all(node.holds for node in found.nodes)
    return {node.node: (node.holds, node.reason) for node in found.nodes}


def test_every_proof_of_a_tree_is_run_again(runtime: Runtime, world: World) -> None:
    outcome = runtime.resolve(tree(leaf("look", 1, name="a"), leaf("look", 2, name="b")))
    assert len(world.seen) == 2
    assert prove(runtime, outcome.id) == {"0": (True, ""), "0.1": (True, ""), "0.2": (True, "")}
    assert [invocation.arguments["it"] for invocation in world.seen[2:]] == [2, 1]


def test_what_does_not_hold_any_more_takes_its_parents_with_it(runtime: Runtime, world: World) -> None:
    outcome = runtime.resolve(tree(tree(leaf("look", name="x"), name="a"), leaf("sort", [2, 1], name="b")))
    world.says = False
    assert prove(runtime, outcome.id) == {
        "0": (False, "it rests on 0.1, which does not hold"),
        "0.1": (False, "it rests on 0.1.1, which does not hold"),
        "0.1.1": (False, "the test of look gave False, not True: the world is as it was"),
        "0.2": (True, ""),
    }


def test_one_promise_is_proven_alone_with_those_below_it(runtime: Runtime, world: World) -> None:
    outcome = runtime.resolve(tree(tree(leaf("sort", [2, 1], name="x"), name="a"), leaf("look", name="b")))
    world.says = False
    assert prove(runtime, f"{outcome.id}/0.1") == {"0.1": (True, ""), "0.1.1": (True, "")}


def test_only_in_time_proves(runtime: Runtime, world: World) -> None:
    outcome = runtime.resolve(leaf("look"))
    world.says = "nothing"
    with Runtime(runtime.settings, capabilities=capabilities(world, check_seconds=0.2)) as hasty:
        holds, said = prove(hasty, outcome.id)["0"]
    assert not holds
    assert "the test of look took longer than 0.2 s" in said


@pytest.mark.parametrize(
    ("says", "reason"),
    [(1, "the test of look gave 1, not True"), (OSError("gone"), "the test of look failed: OSError: gone")],
)
def test_only_true_proves(runtime: Runtime, world: World, says: object, reason: str) -> None:
    outcome = runtime.resolve(leaf("look"))
    world.says = says
    holds, said = prove(runtime, outcome.id)["0"]
    assert not holds
    assert reason in said


def test_a_capability_gets_what_its_siblings_gave(runtime: Runtime, world: World) -> None:
    steps = tree(leaf("sort", [3, 1], name="a"), tree(leaf("look", None, name="x"), name="b", needs=("a",)))
    outcome = runtime.resolve(steps)
    assert outcome.value == {"x": [1, 3]}
    assert all(holds for holds, _ in prove(runtime, outcome.id).values())
    assert [invocation.arguments["it"] for invocation in world.seen] == [[1, 3], [1, 3]]


def test_a_test_that_was_given_is_asked_about_the_value_that_is_kept(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("sort", [3, 1, 2], test=SORTED))
    assert outcome.value == [1, 2, 3]
    assert prove(runtime, outcome.id) == {"0": (True, "")}
    ledger = runtime.parts.ledger
    resolved: Any = ledger.last(kind="promise.resolved", subject=outcome.id)
    payload = resolved.payload
    ledger.append(
        Proven(run=outcome.id, node="0", value=[3, 2, 1], evidence=payload["evidence"]), subject=payload["key"]
    )
    holds, reason = prove(runtime, outcome.id)["0"]
    assert not holds
    assert "its test does not accept it" in reason


def test_the_test_of_a_parent_is_asked_about_the_combined_value(runtime: Runtime) -> None:
    test = "def test(result):\n    return result == {'a': [1], 'b': [2]}\n"
    outcome = runtime.resolve(tree(leaf("sort", [1], name="a"), leaf("sort", [2], name="b"), test=test))
    assert outcome.resolved
    assert prove(runtime, outcome.id)["0"] == (True, "")


def test_the_tests_of_agents_run_again(runtime: Runtime) -> None:
    agent: dict[str, Any] = {"ground": None, "work": Work(kind="compile"), "examples": SQUARES}
    root = tree(
        Promise("square the number", name="a", argument=12, **agent),
        Promise("square the number", name="b", argument=13, needs=("a",), **agent),
        combine="record",
    )
    outcome = runtime.resolve(root)
    assert outcome.value == {"a": 144, "b": 169}
    assert prove(runtime, outcome.id) == {"0": (True, ""), "0.1": (True, ""), "0.2": (True, "")}


def test_what_was_not_kept_cannot_be_proven_again(runtime: Runtime) -> None:
    root: Promise[Any] = Promise(
        "square the number", ground=None, argument=12, work=Work(kind="compile"), examples=SQUARES
    )
    outcome = runtime.resolve(root, tier="ephemeral", accept_weak=True)
    assert outcome.value == 144
    holds, reason = prove(runtime, outcome.id)["0"]
    assert not holds
    assert "ephemeral" in reason


def test_a_run_in_ground_is_not_proven_though_its_parts_are(runtime: Runtime) -> None:
    outcome = runtime.resolve(tree(leaf("sort", [1], name="a"), leaf("boom", name="b")))
    found = prove(runtime, outcome.id)
    assert found["0.1"] == (True, "")
    assert set(found) == {"0", "0.1"}
    assert not found["0"][0]
    assert "ZeroDivisionError" in found["0"][1]


def test_a_capability_that_is_not_there_any_more_proves_nothing(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("look"))
    with Runtime(runtime.settings) as other:
        assert "there is no capability 'look'" in prove(other, outcome.id)["0"][1]


def test_the_rules_of_today_and_the_kill_switch_are_asked(tmp_path: Path, world: World) -> None:
    settings = Settings(state_dir=str(tmp_path / "state"), policy=PolicySettings(hosts="example.com"))
    with Runtime(settings, capabilities=capabilities(world), workspace=tmp_path) as permitted:
        id = permitted.resolve(leaf("ask")).id
        assert prove(permitted, id) == {"0": (True, "")}
        permitted.parts.switch.turn_on(by="ada", reason="stop")
        assert "ada" in prove(permitted, id)["0"][1]
        permitted.parts.switch.turn_off(by="ada", reason="")
    with Runtime(replace(settings, policy=PolicySettings()), capabilities=capabilities(world)) as other:
        assert "is not permitted now" in prove(other, id)["0"][1]


def test_a_promise_that_is_not_there_is_one_clear_line(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("look"))
    with pytest.raises(InputError, match=r"has no promise 0\.7"):
        prove_again(runtime, f"{outcome.id}/0.7")


def test_proving_works_inside_an_event_loop(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("look"))

    async def main() -> bool:
        return prove_again(runtime, outcome.id).holds

    assert asyncio.run(main())


@pytest.mark.later
def test_a_file_in_parts_is_proven_by_its_agent_and_its_parts(tmp_path: Path) -> None:
    log = tmp_path / "numbers.txt"
    log.write_text("".join(f"{number}\n" for number in range(3000)))
    settings = Settings(state_dir=str(tmp_path / "state"))
    settings = replace(settings, promise=replace(settings.promise, split_from=2000, part_size=4096))
    examples = [{"input": line, "output": line.strip()[::-1]} for line in ("12\n", "345\n", "9\n", "70\n", "8123\n")]
    with Runtime(settings, workspace=tmp_path) as runtime:
        outcome = runtime.run("reverse each line", lines=log, examples=examples)
        assert outcome.resolved, outcome.reason
        found = prove(runtime, outcome.id)
    assert len(found) > 3
    assert all(holds for holds, _ in found.values()), json.dumps(found)
