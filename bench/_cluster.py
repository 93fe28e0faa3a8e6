"""One task over a large log, four ways: whole, in parts on this machine, on two Ray nodes, and with one of them killed.

    python bench/_cluster.py [--megabytes 200] [--database postgresql://...]

Without a database a private PostgreSQL is started, the one the tests use. The answers have to be equal.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mayfly.core import Artifact, PromiseSettings, Settings, StoreSettings
from mayfly.promise import Promise, Service, State, saved
from mayfly.promise.engines import TryOut
from mayfly.runtime import Runtime
from mayfly.runtime._agents import AgentKept
from mayfly.runtime._leaf import versions_of

ERRORS = "Parse NGINX access logs and extract 4xx error patterns"
STATUSES = "count requests by status"
MEGABYTE = 1024 * 1024
PATIENCE = 240.0
STATUS = (200,) * 12 + (301, 304, 304, 400, 401, 403, 404, 404, 499, 500, 502)
PATHS = ("/", "/index.html", "/login", "/api/items", "/api/items/7", "/static/app.js", "/favicon.ico", "/admin")
AGENTS = ("Mozilla/5.0 (X11; Linux x86_64)", "curl/8.4.0", "Go-http-client/1.1", "-")
BLOCK = 4000


def make_log(path: Path, megabytes: float, *, seed: int = 7) -> Path:
    """Write an access log of about that size; the same seed gives the same log."""
    chance = random.Random(seed)
    blocks = ["".join(_line(chance, minute) for _ in range(BLOCK)) for minute in range(8)]
    left = int(megabytes * MEGABYTE)
    with path.open("w", encoding="ascii", newline="\n") as file:
        while left > 0:
            left -= file.write(chance.choice(blocks))
    return path


def _line(chance: random.Random, minute: int) -> str:
    address = ".".join(str(chance.randint(1, 254)) for _ in range(4))
    at = f"12/Mar/2024:10:{minute:02}:{chance.randint(0, 59):02} +0000"
    request = f"{chance.choice(('GET', 'GET', 'POST', 'HEAD'))} {chance.choice(PATHS)} HTTP/1.1"
    end = f'{chance.choice(STATUS)} {chance.randint(0, 90_000)} "-" "{chance.choice(AGENTS)}"'
    return f'{address} - - [{at}] "{request}" {end}\n'


def until(true: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait until something is true; whether it became so."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def alive(pid: int) -> bool:
    """Whether there is such a process that is more than a name waiting to be read."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def below(pid: int) -> list[int]:
    """Return every process that descends from *pid*."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, wanted = [], [pid]
    while wanted:
        children = parents.get(wanted.pop(), [])
        found += children
        wanted += children
    return found


def kill(*pids: int) -> None:
    """Kill processes at once; those that are gone already are no matter."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@dataclass
class Watch:
    """An observer that knows which leaves began and how often, and lets a test act in the middle of a run."""

    when: Callable[[Watch], None] | None = None
    after: int = 2
    run: Promise[Any] | None = None
    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    other: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, what: str, about: Any) -> None:
        """Note what happened, and act once when *after* parts are proven."""
        if what == "planned":
            self.run = about
        if what != "node":
            self.other.append((what, about))
            return
        if about.state is State.RESOLVING:
            self.began.append(about.id)
        elif about.state is State.RESOLVED and (about.needs or about.service.kind == "agent"):
            self.ended.append(about.id)
            if self.when is not None and len(self.ended) == self.after:
                act, self.when = self.when, None
                act(self)


def in_background(work: Callable[[], Any], *, after: float = 0.0) -> threading.Thread:
    """Do *work* in a thread that is not waited for, *after* some seconds."""
    thread = threading.Timer(after, work)
    thread.daemon = True
    thread.start()
    return thread


class Sent:
    """Count how often each leaf was sent to a node; *put* replaces an attribute for as long as that is wanted."""

    def __init__(self, put: Callable[[Any, str, Any], None]) -> None:
        self.nodes: set[str] = set()
        self.under_way: Counter[str] = Counter()
        self._times: Counter[str] = Counter()
        engine: Any = import_module("mayfly.promise.engines._ray").RayEngine
        send = engine._send

        async def counted(this: Any, member: Any, job: Any, data: Any, weight: int) -> Any:
            self.nodes.add(member.node.id)
            self._times[job.node] += 1
            self.under_way[member.node.id] += 1
            try:
                return await send(this, member, job, data, weight)
            finally:
                self.under_way[member.node.id] -= 1

        put(engine, "_send", counted)

    def times(self, leaves: Sequence[str]) -> dict[str, int]:
        """Return how often each of *leaves* was sent."""
        return {leaf: self._times[leaf] for leaf in leaves}


def behind_the_wall(*raylets: int) -> list[int]:
    """Return the processes of sandboxes on nodes, whatever started them there."""
    found = [pid for raylet in raylets for pid in below(raylet)]
    return [pid for pid in found if b"mayfly" in command(pid) and b"zygote" in command(pid)]


def command(pid: int) -> bytes:
    """Return how a process was called; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill_node(raylet: int) -> None:
    """Kill a node and the processes that it started, but nothing behind those."""
    kill(raylet, *_children(raylet))


def stop_workers(raylet: int) -> None:
    """Let the processes that a node started stand still; the node itself and what is behind them go on."""
    for pid in _children(raylet):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def _children(parent: int) -> list[int]:
    return [pid for pid in below(parent) if _parent(pid) == parent]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


SPIN = '''"""Numbers that take their time."""


class Spinner:
    """Add up squares."""

    def invoke(self, input: int) -> int:
        """Return the sum of the squares below the input, modulo a prime."""
        total = 0
        for number in range(input):
            total = (total + number * number) % 1000003
        return total
'''


def keep_spinner(runtime: Runtime) -> str:
    """Note an agent that is busy as long as its input says, and return its hash."""
    parts = runtime.parts
    artifact = Artifact(kind="agent", source=SPIN, entry="Spinner", author="bench")
    kept = AgentKept(
        entry="Spinner",
        spread=False,
        each=False,
        strength="strong",
        tests=1,
        held_out=1,
        mutants=1,
        mutants_killed=1,
        suite_hash="",
        proof=None,
        versions=versions_of(parts),
    )
    parts.ledger.put_blob(SPIN.encode())
    parts.ledger.append(kept, subject=artifact.hash)
    return artifact.hash


def spinning(agent: str, inputs: list[int]) -> Promise[Any]:
    """Return a tree with one leaf for every input of the spinner; its value is a record of theirs."""
    root: Promise[Any] = Promise("spin", ground=None, service=Service(kind="children"), combine="record")
    for number in inputs:
        service = Service(kind="agent", name=agent)
        root.add(Promise(f"spin {number} times", ground=None, service=service, argument=number, name=f"n{number}"))
    return root


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one run went."""

    name: str
    seconds: float
    written: float
    parts: int
    again: int
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
    kept: list[tuple[Any, str, Any]] = []

    def put(owner: Any, name: str, value: Any) -> None:
        kept.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    watch = Watch(when=(lambda _: kill_node(victim)) if victim else None)
    load = os.getloadavg()[0]
    sent = Sent(put)
    try:
        with Runtime(settings, observer=watch) as runtime:
            began = time.monotonic()
            outcome = runtime.run(intent, lines=log)
            seconds = time.monotonic() - began
            timings = saved(runtime.parts.ledger, outcome.id).timings if watch.run else {}
            answer = digest(outcome.value) if outcome.resolved else outcome.status
    finally:
        for owner, attribute, value in kept:
            setattr(owner, attribute, value)
    leaves = [promise.id for promise in watch.run.walk() if promise.needs] if watch.run else []
    times = sent.times(leaves)
    again = sum(times.values()) - len(times) if any(times.values()) else 0
    written = timings.get("0.1", 0.0)
    return Way(
        name=name,
        seconds=seconds,
        written=written,
        parts=len(leaves),
        again=again,
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
        with own_schema(server) as url:
            settings = Settings(state_dir=str(home / name), store=StoreSettings(database_url=url), promise=ray)
            tryout = TryOut(settings)
            cluster, _ = tryout.up(nodes=2, with_parent=True)
            try:
                yield measure(name, settings, intent, log, victim=cluster.raylets[1] if dies else None)
            finally:
                tryout.down()


@contextmanager
def own_schema(server: str) -> Iterator[str]:
    """Yield a URL of *server* whose tables are nobody else's."""
    psycopg = import_module("psycopg")
    name = f"mayfly_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        try:
            yield f"{server}{'&' if '?' in server else '?'}options={quote(f'-csearch_path={name}')}"
        finally:
            connection.execute(f"DROP SCHEMA {name} CASCADE")


@contextmanager
def a_server() -> Iterator[str]:
    """Start the private PostgreSQL that the tests use."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    yield from import_module("postgres").postgres_server.__wrapped__()


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
        server = given.database or stack.enter_context(a_server())
        log = make_log(home / "access.log", given.megabytes)
        for number, intent in enumerate(given.intent or [ERRORS, STATUSES]):
            print(f"{intent}, {log.stat().st_size / MEGABYTE:.0f} MB", flush=True)
            answers = set()
            for way in four_ways(intent, log, home / str(number), server):
                answers.add(way.answer)
                times = f"{way.seconds:7.2f} s (agent and join proven in {way.written:.2f} s)"
                parts = f"{way.parts:2} parts, {way.again} again"
                print(f"  {way.name:25} {times}, {parts}, load {way.load:.2f}: {way.answer}; {way.reason}", flush=True)
            agree = agree and len(answers) == 1
    print("the answers agree" if agree else "the answers DIFFER")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
