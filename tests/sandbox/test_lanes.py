"""Pinned workers and streams."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox

COUNTER = "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return calls\n"
IDENTITY = "import os\ndef f(x):\n    return os.getpid() + 0 * x\n"


def test_a_pinned_worker_keeps_its_module_between_calls(box: Sandbox) -> None:
    values = [box.run(COUNTER, "f", lane="pinned", tenant="keeps").value for _ in range(3)]
    assert values == [1, 2, 3]
    assert box.run(COUNTER, "f").value == 1


def test_tenants_sources_and_imports_have_workers_of_their_own(box: Sandbox) -> None:
    assert box.run(COUNTER, "f", lane="pinned", tenant="a").value == 1
    assert box.run(COUNTER, "f", lane="pinned", tenant="b").value == 1
    assert box.run(COUNTER + "#", "f", lane="pinned", tenant="a").value == 1
    assert box.run(COUNTER, "f", lane="pinned", tenant="a", imports=[]).value == 1
    assert box.run(COUNTER, "f", lane="pinned", tenant="a").value == 2


def test_a_pinned_worker_is_renewed_after_an_error(box: Sandbox) -> None:
    source = COUNTER.replace("return calls", "return calls if x else 1 / 0")
    assert [box.run(source, "f", 1, lane="pinned").value for _ in range(2)] == [1, 2]
    assert box.run(source, "f", 0, lane="pinned").status == "error"
    assert box.run(source, "f", 1, lane="pinned").value == 1


def test_a_pinned_worker_is_renewed_when_a_thread_is_left(box: Sandbox) -> None:
    source = COUNTER.replace("    return", "    import threading\n    threading.Timer(60, print).start()\n    return")
    assert [box.run(source, "f", lane="pinned").value for _ in range(2)] == [1, 1]


def test_a_pinned_worker_is_renewed_after_its_calls_or_age() -> None:
    with Sandbox(SandboxSettings(pinned_calls=2)) as box:
        assert [box.run(COUNTER, "f", lane="pinned").value for _ in range(5)] == [1, 2, 1, 2, 1]
    with Sandbox(SandboxSettings(pinned_age=0)) as box:
        assert [box.run(COUNTER, "f", lane="pinned").value for _ in range(2)] == [1, 1]


def test_the_least_recently_used_pinned_worker_is_dropped() -> None:
    with Sandbox(SandboxSettings(pinned=2)) as box:
        for tenant in ("a", "b", "a", "c"):
            box.run(COUNTER, "f", lane="pinned", tenant=tenant)
        assert box.run(COUNTER, "f", lane="pinned", tenant="a").value == 3
        assert box.run(COUNTER, "f", lane="pinned", tenant="b").value == 1


def test_callers_who_come_at_once_have_a_pinned_worker_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2})
    slow = "import time\ndef f(x):\n    time.sleep(x)\n    return x\n"
    with Sandbox() as box, ThreadPoolExecutor(4) as callers:
        lanes = [result.lane for result in callers.map(lambda _: box.run(slow, "f", 1, lane="pinned"), range(4))]
        assert sorted(lanes) == ["one-shot", "pinned", "pinned", "pinned"]
        assert len(box._pins._pins) == 3
        box.release("")
        assert not box._pins._pins


def test_no_pinned_workers_allowed_means_one_shot() -> None:
    with Sandbox(SandboxSettings(pinned=0)) as box:
        results = [box.run(COUNTER, "f", lane="pinned") for _ in range(2)]
    assert [(r.value, r.lane) for r in results] == [(1, "one-shot"), (1, "one-shot")]


def test_a_replayed_call_that_differs_gives_the_fresh_answer_and_a_fresh_worker() -> None:
    with Sandbox(SandboxSettings(replay=3)) as box:
        values = [box.run(COUNTER, "f", lane="pinned").value for _ in range(5)]
    assert values == [1, 2, 1, 1, 2]


def test_a_replayed_call_that_agrees_changes_nothing() -> None:
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    return x\n"
    with Sandbox(SandboxSettings(replay=2)) as box:
        assert [box.run(source, "f", n, lane="pinned").value for n in range(6)] == list(range(6))


def test_a_pinned_workers_output_is_that_of_one_call(box: Sandbox) -> None:
    source = "import sys\ndef f(x):\n    print(x)\n    if x == 2: sys.stdout.close()\n    return x\n"
    outputs = [box.run(source, "f", n, lane="pinned").output for n in (1, 22, 2, 3)]
    assert outputs[:2] == ["1\n", "22\n"]
    assert outputs[3] == "3\n"


def test_bytes_written_between_calls_are_no_answer(box: Sandbox) -> None:
    source = (
        "import os, struct, threading, time\ndef f(x):\n    def later():\n        time.sleep(0.05)\n"
        "        for n in range(3, 20):\n"
        "            try: os.write(n, struct.pack('=16scIII', bytes(16), b'O', 1, 0, 0) + b'9')\n"
        "            except OSError: pass\n    threading.Thread(target=later).start()\n    return x\n"
    )
    assert [box.run(source, "f", n, lane="pinned").value for n in (1, 2)] == [1, 2]


def test_a_generators_items_are_collected(box: Sandbox) -> None:
    assert box.run("def f(n):\n    yield from range(n)\n", "f", 2000).value == list(range(2000))
    source = "async def f(n):\n    for i in range(n):\n        yield i\n"
    assert box.run(source, "f", 3).value == [0, 1, 2]


def test_an_empty_generator_is_an_empty_list(box: Sandbox) -> None:
    assert box.run("def f(n):\n    yield from ()\n", "f").value == []


def test_a_stream_hands_items_out_while_they_come(best: Sandbox) -> None:
    source = "import time\ndef f(n):\n    for i in range(n):\n        yield {'i': i}\n        time.sleep(0.11)\n"
    with best.stream(source, "f", 1000, timeout=20) as stream:
        seen = []
        for item in stream:
            seen.append(item)
            if len(seen) == 3:
                break
    assert seen == [{"i": 0}, {"i": 1}, {"i": 2}]
    assert best.run(IDENTITY, "f", 1).ok


def test_a_stream_that_fails_keeps_what_came_and_says_why(best: Sandbox) -> None:
    source = "def f(n):\n    for i in range(n):\n        yield i\n    raise ValueError('over')\n"
    with best.stream(source, "f", 600) as stream:
        items = list(stream)
    assert items == list(range(512))
    assert stream.result is not None
    assert (stream.result.status, "over" in str(stream.result.error)) == ("error", True)


def test_a_large_file_streams_through_flat_memory(best: Sandbox, tmp_path: Path) -> None:
    log = tmp_path / "log"
    line = "x" * 90
    with log.open("w") as file:
        for n in range(200_000):
            file.write(f"{n} {line}\n")
    source = "def f(lines):\n    for line in lines:\n        yield line.partition(' ')[0]\n"
    with best.stream(source, "f", lines=log, memory=32 * 2**20) as stream:
        count = sum(1 for _ in stream)
    assert count == 200_000
    assert stream.result is not None
    assert stream.result.ok
