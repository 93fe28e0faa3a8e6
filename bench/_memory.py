"""What idle processes cost: read from /proc, shared pages divided among their users (PSS) or left out (USS)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench import _contenders as c
from bench import _throughput as t

ROLES = ("launcher", "zygote", "idle worker")


class Process(NamedTuple):
    """A process below this one: how deep, and its memory in KiB."""

    pid: int
    depth: int
    proportional: int
    own: int


def descendants() -> Iterator[Process]:
    """Yield every process below this one, except Python's own helper."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    waiting = [(pid, 0) for pid in parents.get(os.getpid(), [])]
    while waiting:
        pid, depth = waiting.pop()
        waiting += [(child, depth + 1) for child in parents.get(pid, [])]
        try:
            if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text():
                yield _measure(pid, depth)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked


def _measure(pid: int, depth: int) -> Process:
    fields = dict(line.split(":") for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    kib = {name: int(text.split()[0]) for name, text in fields.items()}
    return Process(pid, depth, kib["Pss"], kib["Private_Clean"] + kib["Private_Dirty"])


class Use(NamedTuple):
    """The mean memory of the processes of one kind, in MiB."""

    name: str
    processes: int
    proportional: float
    own: float


def measure() -> list[Use | str]:
    """Open each contender alone, let it settle after a job, and look at its processes."""
    found: list[Use | str] = []
    for name, opened in _CASES.items():
        before = {process.pid for process in descendants()}
        try:
            with opened() as work:
                work()
                time.sleep(0.5)
                seen = [process for process in descendants() if process.pid not in before]
        except Exception as error:
            found.append(f"{name}: absent: {error}")
            continue
        for depth in sorted({process.depth for process in seen}):
            label = f"{name} {ROLES[min(depth, len(ROLES) - 1)]}" if name.startswith("mayfly") else name
            found.append(_mean(label, [process for process in seen if process.depth == depth]))
    return found


def _mean(name: str, seen: list[Process]) -> Use:
    count = len(seen)
    proportional = sum(process.proportional for process in seen) / count / 1024
    return Use(name, count, proportional, sum(process.own for process in seen) / count / 1024)


def _shortly(opened: Callable[[], AbstractContextManager[t.Slice]]) -> c.Contender:
    """Turn a contender of the throughput table into one that does a moment's work."""

    @contextmanager
    def contender() -> Iterator[c.Call]:
        with opened() as work:
            yield lambda: work(0.05)

    return contender


_CASES: dict[str, c.Contender] = {
    "mayfly (namespaces)": c.CONTENDERS[c.ONE_SHOT],
    "mayfly (landlock)": c.mayfly("landlock", "one-shot"),
    "fork from a zygote, no wall: zygote": c.plain_fork,
    "Monty worker": c.monty_kept,
    "smolagents in a process of its own": _shortly(lambda: t.processes(c.SMOLAGENTS)),
}
