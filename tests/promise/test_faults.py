"""Random faults at random nodes: the root always has a value or its ground, and the ledger tells the same story."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from mayfly.core import InputError, LimitError, StoreError
from mayfly.promise import Done, Promise, Reality, State, saved
from mayfly.promise._promise import IntentKind
from promise.bed import Bed, leaf, tree


def _raise(error: BaseException) -> Any:
    def work(job: Any) -> Any:
        raise error

    return work


async def _late(job: Any) -> int:
    await asyncio.sleep(0.001)
    return 3


FAULTS: dict[str, Any] = {
    "good": lambda job: 1,
    "late": _late,
    "none": lambda job: None,
    "input": _raise(InputError("bad")),
    "limit": _raise(LimitError("model calls", used=3, limit=2)),
    "store": _raise(StoreError("away")),
    "error": _raise(ZeroDivisionError("x")),
    "group": _raise(ExceptionGroup("many", [ValueError("a"), KeyError("b")])),
    "recursion": _raise(RecursionError("deep")),
    "memory": _raise(MemoryError()),
    "stop": _raise(StopAsyncIteration()),
    "collapsed": lambda job: Done(status="collapsed", reason="no", code="WEAK"),
    "failed": lambda job: Done(status="failed", reason="boom", code="UNEXPECTED"),
    "not json": lambda job: Done(status="resolved", value={1, 2}),
    "nan": lambda job: float("nan"),
    "huge": lambda job: "x" * 100_000,
    "odd": lambda job: Done(status="resolved", value=object()),
}


def _random_tree(chance: random.Random, depth: int = 0) -> Promise[Any]:
    if depth >= 3 or chance.random() < 0.3:
        promise = leaf(chance.choice(sorted(FAULTS)), ground=f"ground {depth}")
    else:
        children = [_random_tree(chance, depth + 1) for _ in range(chance.randint(1, 4))]
        kind = chance.choice(["", "last", "record", "list", "concat", "compiled"])
        promise = tree(chance.choice(["good", "error"]), *children, combine=kind)
        names = [child.name for child in promise.children]
        for child in promise.children:
            needs = tuple(name for name in names if name != child.name and chance.random() < 0.15)
            child.needs = needs  # now and then in a circle
    if chance.random() < 0.05:
        promise.reality = Reality(kind=IntentKind.CHAOTIC, confidence=0.9, reasoning="no bounds")
    if chance.random() < 0.05:
        promise.capability, promise.work = "ghost", None
    return promise


@pytest.mark.first(20)
@pytest.mark.parametrize("seed", range(60))
def test_whatever_goes_wrong_the_root_has_a_value_or_its_ground(bed: Bed, seed: int) -> None:
    chance = random.Random(seed)
    bed.engine.table = dict(FAULTS)
    if chance.random() < 0.2:
        bed.limits = {"nodes": chance.randint(0, 6)}
    root = bed.resolve(_random_tree(chance))
    assert root.state.ended
    assert root.value == (root.resolved if root.state is State.RESOLVED else root.ground)
    assert root.state is State.RESOLVED or root.reason
    for promise in root.walk():
        if promise.state is State.RESOLVED:
            assert promise.proof is not None
            assert all(child.state is State.RESOLVED for child in promise.children)
        else:
            assert promise.value == promise.ground
            assert promise.code or not promise.state.ended
    told = saved(bed.ledger, "r-00000001").tree
    assert [(one.id, one.state, one.code) for one in told.walk()] == [
        (one.id, one.state, one.code) for one in root.walk()
    ]


@pytest.mark.first(8)
@pytest.mark.parametrize("seed", range(20))
def test_a_second_attempt_does_not_repeat_what_is_proven(bed: Bed, seed: int) -> None:
    bed.engine.table = dict(FAULTS)
    first = bed.resolve(_random_tree(random.Random(seed)))
    proven = {event.payload["node"] for event in bed.ledger.read(kind="promise.resolved") if event.payload["key"]}
    before = len(bed.engine.jobs)
    bed.resume()
    again = {job.node for job in bed.engine.jobs[before:]}
    assert not again & proven
    assert first.state.ended
