"""Busy leaves on one, two and four workers: threads of the local engine beside nodes of a Ray cluster."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path

from bench._table import Table, number
from mayfly.core import PromiseSettings, Settings, StoreSettings
from mayfly.promise.engines import TryOut
from mayfly.runtime import Runtime
from mayfly.testing import keep_spinner, postgres_schema, postgres_server, spinning

WORKERS = (1, 2, 4)
LEAVES = 24
STEPS = 4_000_000


def workers(*, quick: bool) -> Table:
    """Return the seconds of the same tree by engine and number of workers."""
    leaves = LEAVES // 3 if quick else LEAVES
    local = {count: _local(count, leaves) for count in WORKERS}
    ray = _on_ray(leaves) if importlib.util.find_spec("ray") else {}
    rows = [
        [
            str(count),
            number(local[count]),
            number(local[1] / local[count]),
            number(ray[count]) if ray else "-",
            number(ray[1] / ray[count]) if ray else "-",
            number(ray[count] / local[count]) if ray else "-",
        ]
        for count in WORKERS
    ]
    return Table(
        title="Busy leaves, one worker and many",
        caption=(
            f"Seconds for a tree of {leaves} leaves, each an admitted agent behind the wall that adds up "
            f"{STEPS // 1_000_000} million squares, after a first small tree that warms everything up. Local: so many "
            "leaves at once, SQLite. Ray: so many nodes of one core each on this machine, PostgreSQL. This machine has "
            "as many cores as the line above says; more workers than cores cannot be faster."
        ),
        head=["workers", "local", "speed-up", "ray", "speed-up", "ray / local"],
        rows=rows,
    )


def _local(count: int, leaves: int) -> float:
    with tempfile.TemporaryDirectory() as state:
        return _tree(Settings(state_dir=state, promise=PromiseSettings(parallel=count)), leaves)


def _on_ray(leaves: int) -> dict[int, float]:
    found = {}
    with postgres_server() as server:
        for count in WORKERS:
            with tempfile.TemporaryDirectory() as state, postgres_schema(server) as url:
                settings = Settings(
                    state_dir=str(Path(state)),
                    store=StoreSettings(database_url=url),
                    promise=PromiseSettings(engine="ray", parallel=64),
                )
                tryout = TryOut(settings)
                tryout.up(nodes=count, cpus=1, with_parent=True)
                try:
                    found[count] = _tree(settings, leaves)
                finally:
                    tryout.down()
    return found


def _tree(settings: Settings, leaves: int) -> float:
    with Runtime(settings) as runtime:
        agent = keep_spinner(runtime)
        runtime.resolve(spinning(agent, [1000 + place for place in range(8)]))
        began = time.perf_counter()
        outcome = runtime.resolve(spinning(agent, [STEPS + place for place in range(leaves)]))
        took = time.perf_counter() - began
        if not outcome.resolved:
            raise SystemExit(f"the busy tree was not resolved: {outcome.reason}")
        return took
