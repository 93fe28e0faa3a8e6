"""How long trees of promises take: many small ones, slow leaves side by side, a resumed run, one and many workers."""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench._peak import peak_kib
from bench._table import Table, number
from mayfly.core import UNSET, Capability, Settings
from mayfly.library import Registry
from mayfly.promise import Promise, classify, saved
from mayfly.runtime import Runtime
from mayfly.world import builtins

NODES = (1_000, 10_000, 20_000)
WIDTH = 27
# Seconds to plan and resolve so many promises.
BARRED, BAR, AIM = 10_000, 8.0, 4.0
FLAT_BAR = 15


class Ran(NamedTuple):
    """What one tree took, in seconds, and what it left in the ledger and in memory."""

    nodes: int
    planned: float
    resolved: float
    events: int
    memory: int


def measure(*, quick: bool) -> list[Table]:
    """Return the tables of this part."""
    from bench._promise_workers import workers

    sizes = NODES[:2] if quick else NODES
    return [_many(sizes), _wide(), _side_by_side(), _resumed(1_000 if quick else 10_000), workers(quick=quick)]


def grown(nodes: int, registry: Registry) -> Promise[Any]:
    """Plan a tree of so many promises, each classified as a planner does it; the leaves are a capability in-process."""
    known = registry.pairs()
    root: Promise[Any] = Promise("Return all of them", ground=None)
    level, left = [root], nodes - 1
    while left:
        following = []
        for parent in level:
            for _ in range(min(WIDTH, left)):
                intent = f"Return {left}"
                child: Promise[Any] = Promise(intent, ground=None, argument={"value": left})
                following.append(parent.add(child))
                left -= 1
        level = following
    for promise in root.walk():
        promise.reality = classify(promise.intent, depth=promise.depth, capabilities=known)
        if promise.children:
            promise.argument = UNSET
        else:
            promise.capability = "return_constant"
    return root


def one(nodes: int) -> Ran:
    """Plan and resolve one tree in a fresh store; called in a process of its own, so that its memory can be read."""
    with tempfile.TemporaryDirectory() as state, Runtime(Settings(state_dir=state)) as runtime:
        runtime.resolve(grown(10, Registry(builtins(runtime.settings))))
        before = runtime.parts.ledger.count()
        gc.collect()
        began = time.perf_counter()
        root = grown(nodes, Registry(builtins(runtime.settings)))
        planned = time.perf_counter()
        outcome = runtime.resolve(root)
        ended = time.perf_counter()
        if not outcome.resolved:
            raise SystemExit(f"the tree of {nodes} promises was not resolved: {outcome.reason}")
        events = runtime.parts.ledger.count() - before
        return Ran(nodes, planned - began, ended - planned, events, peak_kib() // 1024)


def _apart(nodes: int) -> Ran:
    """Measure in a fresh process."""
    said = _printed(f"from bench.promise import one; print(*one({nodes}))")
    size, planned, resolved, events, memory = said.split()
    return Ran(int(size), float(planned), float(resolved), int(events), int(memory))


def _printed(program: str) -> str:
    """Return what a program prints in a process of its own."""
    home = Path(__file__).resolve().parent.parent
    made = subprocess.run([sys.executable, "-c", program], cwd=home, capture_output=True, text=True, check=True)
    return made.stdout


def _many(sizes: tuple[int, ...]) -> Table:
    rows = []
    for size in sizes:
        runs = [_apart(size) for _ in range(3)]
        best = min(runs, key=lambda run: run.planned + run.resolved)
        worst = max(run.planned + run.resolved for run in runs)
        rows.append(
            [
                f"{size:,}",
                number(best.planned),
                number(best.resolved),
                f"{number(best.planned + best.resolved)} / {number(worst)}",
                f"{best.events:,}",
                f"{best.memory}",
                _judged(best) if size == BARRED else "",
            ]
        )
    return Table(
        title="Many small promises",
        caption=(
            "Seconds to plan (every promise classified), to resolve and both (best / worst of three processes): leaves "
            "are a built-in capability in-process, every transition and every proven value is an event in SQLite, in "
            f"grouped commits. Peak memory of the process in MiB. The bar and the aim are for {BARRED:,}."
        ),
        head=["promises", "planned", "resolved", "both", "events", "MiB", f"bar {BAR:g} s, aim {AIM:g} s"],
        rows=rows,
    )


def _judged(ran: Ran) -> str:
    taken = ran.planned + ran.resolved
    return "aim met" if taken <= AIM else "bar met" if taken <= BAR else "not met"


def wide(children: int) -> float:
    """Return the seconds to build, resolve and read back one promise with so many children; in a process of its own."""
    with tempfile.TemporaryDirectory() as state, Runtime(Settings(state_dir=state)) as runtime:
        runtime.resolve(_flat(10))
        began = time.perf_counter()
        outcome = runtime.resolve(_flat(children))
        proven = len(saved(runtime.parts.ledger, outcome.id).fresh().children)
        if not outcome.resolved or proven != children:
            raise SystemExit(f"the tree of {children} children was not resolved: {outcome.reason}")
        return time.perf_counter() - began


def _flat(children: int) -> Promise[Any]:
    root: Promise[Any] = Promise("Return all of them", ground=None)
    for at in range(children):
        root.add(Promise(f"Return {at}", ground=None, capability="return_constant", argument={"value": at}))
    return root


def _wide() -> Table:
    # In turn, so that a busy minute of the machine falls on both; the best of each is what the work itself takes.
    times: dict[int, list[float]] = {1_000: [], 10_000: []}
    for _ in range(3):
        for children, found in times.items():
            found.append(float(_printed(f"from bench.promise import wide; print(wide({children}))")))
    few, many = (min(found) for found in times.values())
    return Table(
        title="One promise with many children",
        caption=(
            "Seconds to build a flat tree, resolve it and read it back from the ledger, best of three processes in "
            f"turn. The bar is {FLAT_BAR} times the time of 1,000 for 10,000."
        ),
        head=["1,000 children", "10,000 children", "times"],
        rows=[[number(few), number(many), number(many / few)]],
    )


def _nap(_: object) -> str:
    time.sleep(1.0)
    return "awake"


def _sleeping(count: int) -> float:
    naps = [Capability(name="nap", summary="Sleep for a second.", call=_nap)]
    with tempfile.TemporaryDirectory() as state, Runtime(Settings(state_dir=state), capabilities=naps) as runtime:
        root: Promise[Any] = Promise("nap", ground=None)
        for _ in range(count):
            root.add(Promise("nap", ground=None, capability="nap"))
        return _timed(lambda: runtime.resolve(root))


def _side_by_side() -> Table:
    rows = [[str(count), number(min(_sleeping(count) for _ in range(3)))] for count in (1, 3, 30)]
    return Table(
        title="Slow leaves side by side",
        caption="Seconds for a tree whose independent leaves each take one second, best of three.",
        head=["leaves of 1 s", "seconds"],
        rows=rows,
    )


def _resumed(nodes: int) -> Table:
    """Resume a run of which everything but the root's last child is proven."""
    broken = [True]

    def last(invocation: Any) -> str:
        if broken:
            raise OSError("not yet")
        return "done"

    fails = [Capability(name="last", summary="The last one.", call=last)]
    with tempfile.TemporaryDirectory() as state, Runtime(Settings(state_dir=state), capabilities=fails) as runtime:
        root = grown(nodes, Registry(builtins(runtime.settings)))
        root.add(Promise("finish", ground=None, capability="last"))
        outcomes = []
        first = _timed(lambda: outcomes.append(runtime.resolve(root)))
        broken.clear()
        again = _timed(lambda: outcomes.append(runtime.resume(outcomes[0].id)))
        if outcomes[0].resolved or not outcomes[1].resolved:
            raise SystemExit("the run to be resumed did not end as it should")
    return Table(
        title="A resumed run",
        caption=(
            "Seconds for a run whose last leaf fails, and for resuming it: the plan and every proven value are read "
            "back, and the one leaf runs."
        ),
        head=["promises", "first attempt", "resumed", "ratio"],
        rows=[[f"{nodes:,}", number(first), number(again), number(again / first)]],
    )


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
