"""`Sandbox.map`: one source, many arguments."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox import Sandbox

DOUBLE = "def f(x): return x * 2"
COUNT = "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)"
PICKY = "def f(x):\n    if x == 2: raise ValueError('not two')\n    if x == 3:\n        while True: pass\n    return x"


def test_results_come_in_the_order_of_the_arguments(box: Sandbox) -> None:
    slow = "import time\ndef f(x):\n    time.sleep(0.05 if x == 0 else 0)\n    return x"
    assert [result.value for result in box.map(slow, "f", range(8), at_once=4)] == list(range(8))


@pytest.mark.parametrize("per", ["item", "batch"])
def test_every_argument_has_its_own_result(box: Sandbox, per: str) -> None:
    results = list(box.map(PICKY, "f", range(5), per=per, timeout=0.5))  # type: ignore[arg-type]
    assert [result.status for result in results] == ["ok", "ok", "error", "timeout", "ok"]
    assert [result.value for result in results] == [0, 1, None, None, 4]


def test_items_share_nothing(box: Sandbox) -> None:
    assert [result.value for result in box.map(COUNT, "f", range(4))] == [1, 1, 1, 1]


def test_a_batch_shares_a_worker_and_leaves_none(own: Sandbox) -> None:
    with own:
        assert [result.value for result in own.map(COUNT, "f", range(4), per="batch", at_once=1)] == [1, 2, 3, 4]
        assert not own._pins._pins
        assert [result.value for result in own.map(COUNT, "f", range(2), per="batch", at_once=1)] == [1, 2]


def test_arguments_are_taken_as_results_are(box: Sandbox) -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        for number in itertools.count():
            taken.append(number)
            yield number

    results = box.map(DOUBLE, "f", endless(), at_once=2)
    assert [result.value for result in itertools.islice(results, 10)] == list(range(0, 20, 2))
    assert len(taken) < 20
    results.close()  # type: ignore[attr-defined]


def test_whoever_stops_listening_ends_what_runs(own: Sandbox) -> None:
    with own:
        results = own.map("def f(x):\n    while x: pass\n    return x", "f", [0, 1, 1], at_once=3, timeout=60.0)
        assert next(results).value == 0
        results.close()  # type: ignore[attr-defined]
        assert own.run(DOUBLE, "f", 1).value == 2
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("mayfly-map")]


def test_an_argument_that_is_no_json_is_its_own_error(box: Sandbox) -> None:
    statuses = [result.status for result in box.map(DOUBLE, "f", [1, object(), 2])]
    assert statuses == ["ok", "error", "ok"]


def test_arguments_that_fail_say_so(box: Sandbox) -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise LookupError("gone")

    results = box.map(DOUBLE, "f", failing())
    with pytest.raises(LookupError, match="gone"):
        list(results)


@pytest.mark.parametrize("options", [{"per": "row"}, {"at_once": 0 - 1}])
def test_what_cannot_be_meant_is_refused(box: Sandbox, options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        list(box.map(DOUBLE, "f", [1], **options))  # type: ignore[arg-type]


def test_a_sandbox_with_one_slot_and_no_pins_does_all(level: str) -> None:
    settings = SandboxSettings(jobs=1, workers=1, pinned=0)
    with Sandbox(settings, level=level) as box:
        for per in ("item", "batch"):
            results = box.map(DOUBLE, "f", range(6), per=per, at_once=4)
            assert [result.value for result in results] == [0, 2, 4, 6, 8, 10]
