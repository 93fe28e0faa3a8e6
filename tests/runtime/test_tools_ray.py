"""The library on two Ray nodes: what one process does to a tool holds in workers that run elsewhere, at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import PromiseSettings, Settings
from mayfly.promise import Done, Engine, Job, Promise, Work, open_engine
from mayfly.runtime import Runtime
from mayfly.runtime._leaf import make_worker
from mayfly.runtime._prove import TreeProof, prove_again
from mayfly.testing import SentLeaves, postgres_schema, ray_cluster

from .tools_bench import adder, adds, quick_settings

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, postgres_server: str, type_cache: Path) -> Iterator[Settings]:
    state = tmp_path_factory.mktemp("state")
    (state / "mypy-cache").symlink_to(type_cache)
    with postgres_schema(postgres_server) as url:
        settings = quick_settings(state, url=url, foreign="refuse")
        yield replace(settings, promise=PromiseSettings(engine="ray", retry_delay=0.05))


@pytest.fixture(scope="module")
def runtime(base: Settings) -> Iterator[Runtime]:
    """Own the library and a cluster of two nodes; the driver is another process than every worker."""
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    with ray_cluster(base, cpus=1), Runtime(base) as made:
        yield made


def on_both(engine: Engine, name: str, node: str) -> list[Done]:
    """Call a tool by two jobs at once until each node has done one: short ones may both go to one; return the ends."""

    async def both() -> list[Done]:
        work = Work(kind="tool", name=name)
        jobs = [
            Job(run=node, node=str(number), work=work, intent="", argument={"value": 40}, seconds=30.0)
            for number in range(2)
        ]
        return await asyncio.gather(*(engine.do(job) for job in jobs))

    ends: list[Done] = []
    while len(where(ends)) < 2:
        ends += asyncio.run(both())
    return ends


def where(ends: list[Done]) -> set[str]:
    return {one.where for one in ends}


def test_s_30_two_ray_nodes_follow_creation_update_and_deletion_without_a_restart(
    base: Settings, runtime: Runtime
) -> None:
    tools = runtime.tools
    engine = open_engine(base, make_worker)
    try:
        unknown = on_both(engine, "follow@1", "r-0")
        assert {one.status for one in unknown} == {"failed"}
        assert "there is no tool 'follow'" in unknown[0].reason
        workers = where(unknown)

        assert tools.write("add", name="follow", source=adder("follow", 1), examples=adds(1)).accepted
        made = on_both(engine, "follow@1", "r-1")
        assert {one.value for one in made} == {41}, made

        new = tools.update("follow", source=adder("follow", 2), examples=adds(2), replace_tests=True)
        assert new.accepted
        both = on_both(engine, "follow@2", "r-2")
        assert {one.value for one in both} == {42}, both

        tools.delete("follow")
        gone = on_both(engine, "follow@2", "r-3")
        assert {one.status for one in gone} == {"failed"}
        assert "was deleted" in gone[0].reason
        assert [where(one) for one in (made, both, gone)] == [workers] * 3
    finally:
        asyncio.run(engine.aclose())


def tree(name: str, values: list[int]) -> Promise[Any]:
    root: Promise[Any] = Promise("add to several", ground=None, combine="record")
    for value in values:
        root.add(Promise(f"add to {value}", ground=None, capability=name, argument={"value": value}, name=f"n{value}"))
    return root


def test_s_30_leaves_of_a_tree_call_a_tool_on_both_nodes(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runtime.tools.write("add", name="plus_five", source=adder("plus_five", 5), examples=adds(5)).accepted
    sent, root = SentLeaves(monkeypatch.setattr), tree("plus_five", list(range(8)))
    outcome = runtime.resolve(root)
    assert outcome.value == {f"n{value}": value + 5 for value in range(8)}, outcome.reason
    assert len(sent.raylets) == 2
    assert not any("worked out here" in one.proof.description for one in root.children if one.proof)
    again = prove_again(runtime, outcome.id)
    assert (isinstance(again, TreeProof), again.holds) == (True, True)


def test_a_node_with_another_key_leaves_the_call_to_the_driver(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node of another machine has a state directory of its own, so that the seal says nothing there."""
    from mayfly.promise.engines import RayEngine

    assert runtime.tools.write("add", name="plus_six", source=adder("plus_six", 6), examples=adds(6)).accepted
    made = RayEngine.__init__

    def elsewhere(this: RayEngine, settings: Settings, *parts: Any) -> None:
        made(this, replace(settings, state_dir=str(tmp_path / "other")), *parts)

    monkeypatch.setattr(RayEngine, "__init__", elsewhere)
    root = tree("plus_six", [1])
    outcome = runtime.resolve(root)
    assert outcome.value == {"n1": 7}, outcome.reason
    assert root.children[0].proof is not None
    assert "worked out here" in root.children[0].proof.description
