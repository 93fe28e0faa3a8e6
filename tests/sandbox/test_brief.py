"""A sandbox for a few jobs: the same wall, sooner there, with nothing prepared for more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mayfly.sandbox import Sandbox
from mayfly.sandbox._pool import _FEW

from .test_faults import descendants

PID = "import os\ndef f(x): return os.getpid()\n"
ASYNC = "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    return x + 1\n"
STREAM = "async def f(x):\n    for n in range(x):\n        yield n\n"
LATE = """
def f(names):
    import importlib
    return [name for name in names if importlib.import_module(name) is None]
"""
COMMON = ["decimal", "datetime", "zoneinfo", "hashlib", "csv", "statistics", "random", "unicodedata", "uuid", "asyncio"]


@pytest.fixture
def brief(level: str) -> Iterator[Sandbox]:
    with Sandbox(level=level, brief=True) as box:
        yield box


def test_it_stands_at_the_same_level(brief: Sandbox, level: str) -> None:
    result = brief.run("def f(x): return x + 1", "f", 1)
    assert (result.value, result.level) == (2, level)


def test_it_keeps_no_workers_waiting(brief: Sandbox) -> None:
    assert brief.warm() != "none"
    [zygote] = brief._pool._zygotes.values()
    below = set(descendants(zygote._process.pid))
    assert brief.run(PID, "f").ok
    assert len(below) == 1


def test_what_is_not_prepared_is_imported_when_it_is_wanted(brief: Sandbox) -> None:
    assert brief.run(LATE, "f", COMMON).value == []
    assert brief.run(LATE, "f", ["math", "json", "datetime"], imports=["importlib"]).value == []


def test_coroutines_and_streams_work(brief: Sandbox) -> None:
    assert brief.run(ASYNC, "f", 1).value == 2
    with brief.stream(STREAM, "f", 3) as stream:
        assert list(stream) == [0, 1, 2]


def test_two_jobs_do_not_share_random_numbers(brief: Sandbox) -> None:
    source = "import random\ndef f(x): return random.random()\n"
    assert brief.run(source, "f").value != brief.run(source, "f").value


def test_a_dataclass_is_an_object(brief: Sandbox) -> None:
    source = "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\ndef f(x): return [P(x)]\n"
    assert brief.run(source, "f", 3, imports=["dataclasses"]).value == [{"a": 3}]


def test_for_many_jobs_one_that_prepares_takes_its_place(brief: Sandbox) -> None:
    for number in range(_FEW):
        assert brief.run("def f(x): return x", "f", number).value == number
    brief._pool._housekeeper.close()
    [first] = brief._pool._zygotes.values()
    assert first.brief
    assert brief.run("def f(x): return x", "f", 7).value == 7
    [second] = brief._pool._zygotes.values()
    assert not second.brief
    assert first._process.returncode is not None
