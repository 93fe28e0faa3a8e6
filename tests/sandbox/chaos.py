"""Kill any process of a sandbox at any instant while it works, and look at every answer.

Four sandboxes run jobs, one-shot and pinned, with a workspace and through a broker. Every 50 ms one process of ours
(zygotes, what starts them, workers, brokers) is killed, whichever chance names. A start takes longer than that, so many
jobs are refused. No answer may be wrong: a job is right,
or it says in one line that it died or had no sandbox. After the storm all answers are right, at the level there was
before, and nothing is left behind.

    python tests/sandbox/chaos.py [--jobs 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mayfly.sandbox import Result, Sandbox, _cgroup
from mayfly.sandbox.attacks._descendants import adopting_orphans, descendants

DOUBLE = "def f(x):\n    return x * 2\n"
READ = "def f(x):\n    return int(open('two').read()) * x\n"
DOOR = (
    "import urllib.error, urllib.request\ndef f(x):\n"
    "    try: urllib.request.urlopen('http://127.0.0.2:1/', timeout=20)\n"
    "    except urllib.error.HTTPError as error: return 2 * x if error.code == 403 else error.code\n"
)
PAUSE = 0.05
SANDBOXES = 4
AFTERWARDS = 20
PATIENCE = 30.0


@dataclass
class Report:
    """What a storm did."""

    level: str = ""
    kills: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def storm(level: str, *, jobs: int, seed: int = 1, pause: float = PAUSE) -> Report:
    """Run *jobs* while processes are killed; raise if anything is wrong during it or after."""
    report = Report()
    before, files = descendants(), _open_files()
    began = time.monotonic()
    with adopting_orphans(), tempfile.TemporaryDirectory(prefix="mayfly-chaos-") as folder:
        os.chmod(folder, 0o755)
        Path(folder, "two").write_text("2")
        Path(folder, "two").chmod(0o644)
        with contextlib.ExitStack() as stack:
            boxes = [stack.enter_context(Sandbox(level=level, workspace=folder)) for _ in range(SANDBOXES)]
            report.level = boxes[0].run(DOUBLE, "f", 1).level
            with _killing(before, report, random.Random(seed), pause), ThreadPoolExecutor(SANDBOXES) as threads:
                list(threads.map(lambda box: _jobs(box, report, jobs // SANDBOXES), boxes))
            _collect_orphans()
            afterwards = [_job(box, report, number) for box in boxes for number in range(AFTERWARDS)]
        assert not report.wrong, report.wrong[:5]
        assert {(result.status, result.level) for result in afterwards} == {("ok", report.level)}, afterwards
        assert _nobody(before), f"{len(descendants(before))} processes are left"
        _collect_orphans()
    assert _open_files() <= files + 2, "descriptors are left"
    assert not _groups_left(), "control groups are left"
    report.seconds = time.monotonic() - began
    return report


def _jobs(box: Sandbox, report: Report, count: int) -> None:
    for number in range(count):
        _job(box, report, number)


def _job(box: Sandbox, report: Report, number: int) -> Result:
    kind = number % 10
    if kind == 7 and report.level == "namespaces":
        result = box.run(DOOR, "f", number, grants=["net:example.org"])
    elif kind == 8:
        result = box.run(READ, "f", number, grants=["fs:workspace"])
    else:
        result = box.run(DOUBLE, "f", number, lane="pinned" if kind % 2 else "one-shot")
    report.answers[result.status] += 1
    broken_by_a_kill = kind == 7 and result.status == "error"  # the job saw its connection end: its own answer
    right = result.status == "ok" and result.value == 2 * number and result.level == report.level
    told = result.status in ("died", "refused", "timeout") and result.level in (report.level, "none")
    if not (right or broken_by_a_kill or (told and result.error and "\n" not in result.error)):
        report.wrong.append(f"{number}: {result}")
    return result


@contextmanager
def _killing(apart: set[int], report: Report, chance: random.Random, pause: float) -> Iterator[None]:
    done = threading.Event()

    def kill() -> None:
        while not done.wait(pause):
            found = sorted(descendants(apart))
            if found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(found), signal.SIGKILL)
                    report.kills += 1

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        done.set()
        killer.join()


def _nobody(apart: set[int]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while descendants(apart) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not descendants(apart)


def _collect_orphans() -> None:
    """Collect the dead whose parents were killed; those of `subprocess` are its own to collect."""
    ours = {child.pid for child in getattr(__import__("subprocess"), "_active", [])}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in ours:
            with contextlib.suppress(OSError):
                state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
                if state == "Z" and int(parent) == os.getpid():
                    os.waitpid(int(name), os.WNOHANG)


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def _groups_left() -> list[Path]:
    try:
        groups = _cgroup.find()
    except _cgroup.NoGroups:
        return []
    if groups._users:  # another sandbox of this process has some
        return []
    return [place for branch in groups._branches for place in branch.parent.glob(f"mayfly-*-{os.getpid()}-*")]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="kill processes of sandboxes at random instants, look at every answer")
    parser.add_argument("--jobs", type=int, default=10_000, help="jobs in all")
    parser.add_argument("--seed", type=int, default=1, help="makes the choices the same ones again")
    chosen = parser.parse_args()
    levels = [level for level in ("namespaces", "landlock") if _stands(level)]
    for level in levels:
        report = storm(level, jobs=chosen.jobs // len(levels), seed=chosen.seed)
        told = ", ".join(f"{count} {status}" for status, count in sorted(report.answers.items()))
        print(
            f"{report.kills} kills at level {report.level}: {told}; afterwards all right, at the same level, and "
            f"nothing left behind; {report.seconds:.0f} s",
            flush=True,
        )


def _stands(level: str) -> bool:
    with Sandbox(level=level) as box:
        return box.warm() != "none"


if __name__ == "__main__":
    main()
