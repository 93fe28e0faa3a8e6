"""A command that begins processes without end meets a limit and leaves none behind, whoever runs it at which level."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import as_somebody

TASKS = 60
# What a user may begin besides, and those of the user's tasks that ended since they were counted: other tests run
# meanwhile. Without a limit it is more than a thousand.
SPARE = 200
# Every process is in a session of its own; some fork and end at once, so that no number of theirs is any for long.
BOMB = """
import os, sys
print("begun", flush=True)
hops = os.fork() == 0
while True:
    try:
        pid = os.fork()
        if hops and pid:
            os._exit(0)
        if not pid:
            os.setsid()
    except OSError:
        pass
"""
HOST = """
import sys
from pathlib import Path
from mayfly.core import WorkbenchSettings
from mayfly.sandbox.workbench import Workbench, _request
place, level, newest, tasks, timeout, bomb, mark = sys.argv[1:]
_request.NEWEST_LANDLOCK = int(newest)
work = Path(place) / "work"
work.mkdir(parents=True)
with Workbench(work, state=Path(place) / "state", level=level, settings=WorkbenchSettings(tasks=int(tasks))) as bench:
    show = lambda text: print("begun", flush=True)
    ran = bench.run(["python3", "-c", bomb, mark], timeout=float(timeout), show=show)
    print(ran.status, ran.level, bench.run("echo still here").output, flush=True)
"""


def bombers(mark: str) -> int:
    """Return how many processes of the bomb with a mark run."""
    found = 0
    for place in Path("/proc").glob("[0-9]*"):
        try:
            found += mark.encode() in (place / "cmdline").read_bytes().split(b"\0")[3:4]
        except OSError:
            continue
    return found


@pytest.fixture(params=["namespaces-7", "landlock-7", "landlock-5"])
def level(request: pytest.FixtureRequest) -> list[str]:
    """A level, and the newest version of Landlock that is used: 6 governs signals, the ones before do not."""
    return str(request.param).split("-")


@pytest.fixture(params=["ourselves", "ordinary"])
def host(request: pytest.FixtureRequest, level: list[str], library: str) -> Iterator[tuple[list[str], str]]:
    """The command of a host that runs a bomb, up to its timeout; and the mark of the bomb."""
    with as_somebody(request.param, library) as (start, place):
        mark = os.path.basename(place)
        yield [*start, "-c", HOST, place, *level, str(TASKS)], mark


@pytest.mark.first(2)
def test_a_fork_bomb_is_limited_and_leaves_nothing(host: tuple[list[str], str], level: list[str]) -> None:
    command, mark = host
    most = 0
    with subprocess.Popen([*command, "2", BOMB, mark], stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, bombers(mark))
            time.sleep(0.05)
        assert process.stdout is not None
        assert process.stdout.read().split("\n")[1:3] == [f"timeout {level[0]} still here", ""]
    assert most <= TASKS + SPARE
    assert bombers(mark) == 0


@pytest.mark.first(2)
def test_a_fork_bomb_ends_with_a_host_that_is_killed(host: tuple[list[str], str]) -> None:
    command, mark = host
    with subprocess.Popen([*command, "600", BOMB, mark], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        assert bombers(mark)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while bombers(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert bombers(mark) == 0


COUNT = """
import os, sys
sys.path.insert(0, sys.argv[1] + "/mayfly/sandbox")
from jail import _bench_family
pid = os.fork()
if not pid:
    os._exit(0)  # one that is dead and not collected counts
seen = 0
for name in os.listdir("/proc"):
    if name.isdigit():
        try:
            fields = dict(line.split(":", 1) for line in open(f"/proc/{name}/status"))
        except OSError:
            continue
        seen += int(fields["Threads"]) if int(fields["Uid"].split()[0]) == os.getuid() else 0
print(_bench_family._count_tasks() - seen)
"""


def test_tasks_are_counted_as_the_kernel_counts_them(library: str) -> None:
    with as_somebody("ordinary", library) as (start, _):
        done = subprocess.run([*start, "-c", COUNT, library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert abs(int(done.stdout)) <= (0 if os.getuid() == 0 else 20)  # nobody else has that uid


def test_a_user_that_the_kernel_does_not_limit_is_refused(library: str) -> None:
    with as_somebody("ourselves", library) as (start, _):
        done = subprocess.run([*start, "-c", COUNT, library], capture_output=True, text=True)
    assert ("PermissionError" in done.stderr) is (os.getuid() == 0)  # it limits every user but root
