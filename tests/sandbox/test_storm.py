"""Many callers at once, and machines that are smaller or larger than most: every answer is the right one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mayfly.core import SandboxSettings
from mayfly.sandbox import Sandbox

LEAN = "def f(x): return x * 2"
FULL = "import csv\ndef f(x): return x * 2"


def storm(box: Sandbox, callers: int, lane: str) -> list[object]:
    """Return what differs from the right answer."""

    def call(number: int) -> object:
        source = FULL if number % 5 == 0 else LEAN
        result = box.run(source, "f", number, lane=lane, tenant=str(number % 7), timeout=60.0)  # type: ignore[arg-type]
        return None if (result.status, result.value) == ("ok", 2 * number) else result

    with ThreadPoolExecutor(callers) as threads:
        return [answer for answer in threads.map(call, range(callers * 3)) if answer is not None]


@pytest.mark.parametrize("lane", ["one-shot", "pinned"])
def test_64_threads_share_a_sandbox(lane: str) -> None:
    with Sandbox() as box:
        assert storm(box, 64, lane) == []


@pytest.mark.parametrize("lane", ["one-shot", "pinned"])
def test_a_pool_of_one_serves_them_all(lane: str) -> None:
    with Sandbox(SandboxSettings(jobs=1, workers=1, pinned=1)) as box:
        assert storm(box, 16, lane) == []


def test_a_pool_for_64_cores_serves_on_a_few() -> None:
    with Sandbox(SandboxSettings(jobs=64, workers=64)) as box:
        assert storm(box, 64, "one-shot") == []


def test_one_core_is_enough() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        with Sandbox() as box:
            assert storm(box, 32, "one-shot") == []
    finally:
        os.sched_setaffinity(0, before)


SLEEPER = f"""
import time
from mayfly.sandbox import Sandbox
with Sandbox() as box:
    for number in range(40):
        print(box.run({LEAN!r}, "f", number, timeout=60.0).value, flush=True)
        time.sleep(0.02)
"""


def test_who_was_asleep_goes_on() -> None:
    """All of it is stopped at once and goes on later, as on a laptop whose lid was closed."""
    with subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        for _ in range(3):
            family = _family(process.pid)
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for pid in family:
                    _send(pid, number)
                time.sleep(0.3)
        rest = process.stdout.read()
    assert [int(line) for line in (first + rest).split()] == [2 * number for number in range(40)]


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(each for child in children for each in _family(int(child)))]


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
