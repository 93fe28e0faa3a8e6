"""One task over a large log, four ways: whole, in parts on this machine, on two Ray nodes, and with one of them killed.

    python bench/_cluster.py [--megabytes 200] [--database postgresql://...]

Without a database a private PostgreSQL is started, the one the tests use. The answers have to be equal.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from mayfly.core import PromiseSettings, Settings, StoreSettings
from mayfly.promise import saved
from mayfly.runtime import Runtime
from mayfly.testing import (
    RunWatch,
    kill_node,
    postgres_schema,
    postgres_server,
    ray_cluster,
    write_access_log,
)

ERRORS = "Parse NGINX access logs and extract 4xx error patterns"
STATUSES = "count requests by status"
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one run went."""

    name: str
    seconds: float
    written: float
    parts: int
    answer: str
    reason: str
    load: float


def digest(value: object) -> str:
    """Return what tells one answer from another, without taking a long one into memory."""
    seen = hashlib.sha256()
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    for item in items:
        seen.update(json.dumps(item, sort_keys=True).encode())
    return f"{len(items)} items, {seen.hexdigest()[:12]}"


def measure(name: str, settings: Settings, intent: str, log: Path, *, victim: int | None = None) -> Way:
    """Do the task once; *victim* is the node to kill when two parts are proven."""
    watch = RunWatch(when=(lambda _: kill_node(victim)) if victim else None)
    load = os.getloadavg()[0]
    with Runtime(settings, observer=watch) as runtime:
        began = time.monotonic()
        outcome = runtime.run(intent, lines=log)
        seconds = time.monotonic() - began
        timings = saved(runtime.parts.ledger, outcome.id).timings if watch.run else {}
        answer = digest(outcome.value) if outcome.resolved else outcome.status
    leaves = [promise.id for promise in watch.run.walk() if promise.needs] if watch.run else []
    written = timings.get("0.1", 0.0)
    return Way(
        name=name,
        seconds=seconds,
        written=written,
        parts=len(leaves),
        answer=answer,
        reason=outcome.reason,
        load=load,
    )


def four_ways(intent: str, log: Path, home: Path, server: str) -> Iterator[Way]:
    """Do the task whole, in parts, on two nodes, and on two of which one dies; each with a store of its own."""
    local = PromiseSettings(split_from=1)
    whole = Settings(state_dir=str(home / "whole"), promise=PromiseSettings(split_from=1 << 50))
    yield measure("local, whole", whole, intent, log)
    yield measure("local, parts", Settings(state_dir=str(home / "parts"), promise=local), intent, log)
    ray = replace(local, engine="ray")
    for name, dies in (("ray, 2 nodes", False), ("ray, 2 nodes, one killed", True)):
        with postgres_schema(server) as url:
            settings = Settings(state_dir=str(home / name), store=StoreSettings(database_url=url), promise=ray)
            with ray_cluster(settings) as cluster:
                yield measure(name, settings, intent, log, victim=cluster.raylets[1] if dies else None)


def main() -> int:
    """Measure, print one line for each way, and say whether the answers agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--database", default=os.environ.get("MAYFLY_DATABASE_URL", ""))
    parser.add_argument("--intent", action="append", help="what to do with the log")
    given = parser.parse_args()
    agree = True
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mayfly-bench-")))
        server = given.database or stack.enter_context(postgres_server())
        log = write_access_log(home / "access.log", given.megabytes)
        for number, intent in enumerate(given.intent or [ERRORS, STATUSES]):
            print(f"{intent}, {log.stat().st_size / MEGABYTE:.0f} MB", flush=True)
            answers = set()
            for way in four_ways(intent, log, home / str(number), server):
                answers.add(way.answer)
                times = f"{way.seconds:7.2f} s (agent and join proven in {way.written:.2f} s)"
                parts = f"{way.parts:2} parts"
                print(f"  {way.name:25} {times}, {parts}, load {way.load:.2f}: {way.answer}; {way.reason}", flush=True)
            agree = agree and len(answers) == 1
    print("the answers agree" if agree else "the answers DIFFER")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
