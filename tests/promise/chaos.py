"""Kill a run at random instants and go on with it, until what it did to the world can be counted.

A tree of 60 promises sends effects to an HTTP server of its own. The process that resolves it is killed (-9) at an
instant nobody chose, the run is resumed by `mayfly resume`, killed again now and then, and resumed to its end. Then
the server is asked what arrived. With a server that honours keys every effect happened exactly once; with one that
does not none happened twice, and those nobody can tell about are listed as unknown. In both cases no leaf that was
proven before a kill ran again.

    python tests/promise/chaos.py [--kills 50] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from mayfly.core import PolicySettings, Settings
from mayfly.promise import Promise, unknown_effects
from mayfly.store import Ledger

BRANCHES, LEAVES = 6, 53
PATIENCE = 300.0


class Server(ThreadingHTTPServer):
    """Count effects by key and reads by path; answers take their time, so that a kill falls into them."""

    daemon_threads = True

    def __init__(self, *, honours: bool, delay: float = 0.02) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.honours = honours
        self.delay = delay
        self.effects: Counter[str] = Counter()
        self.reads: Counter[str] = Counter()
        self.arrived = 0
        self.lock = threading.Lock()

    @property
    def requests(self) -> int:
        """How much has arrived."""
        with self.lock:
            return self.arrived

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        key = self.headers.get("Idempotency-Key", "")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._count()
        time.sleep(self.server.delay / 2)
        with self.server.lock:
            if not (self.server.honours and self.server.effects[key]):
                self.server.effects[key] += 1
        time.sleep(self.server.delay / 2)
        self._answer({"key": key})

    def do_GET(self) -> None:
        self._count()
        with self.server.lock:
            self.server.reads[self.path] += 1
        time.sleep(self.server.delay)
        self._answer({"path": self.path})

    def _count(self) -> None:
        with self.server.lock:
            self.server.arrived += 1

    def _answer(self, data: object) -> None:
        body = json.dumps(data).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # whoever asked was killed

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(*, honours: bool) -> Iterator[Server]:
    """Serve from a thread of this process, which is never killed."""
    server = Server(honours=honours)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tree(url: str, *, honours: bool) -> Promise[Any]:
    """Return the root of 60 promises: branches side by side, and in each effects and reads, half of them in chains."""
    root: Promise[Any] = Promise("send everything", ground="not all was sent")
    branches = [root.add(Promise(f"branch {number}", ground=None, combine="record")) for number in range(BRANCHES)]
    for number in range(LEAVES):
        branch = branches[number % BRANCHES]
        before = (branch.children[-1].name,) if number % 4 == 3 and branch.children else ()
        name = f"leaf{number}"
        argument: dict[str, Any]
        if number % 2:
            capability, argument = "http_get", {"url": f"{url}/read/{number}"}
        else:
            capability = "http_send" if honours else "http_send_once"
            argument = {"url": f"{url}/effect", "method": "POST", "content": {"n": number}}
            if honours:
                argument["honours_keys"] = True
        branch.add(Promise(name, ground=None, name=name, needs=before, capability=capability, argument=argument))
    assert sum(1 for _ in root.walk()) == 1 + BRANCHES + LEAVES
    return root


def settings_of(state: Path) -> Settings:
    """Return the settings of driver and reader alike."""
    return Settings(state_dir=str(state), policy=PolicySettings(send_hosts="127.0.0.1"))


def drive(state: Path, url: str, *, honours: bool) -> None:
    """Resolve the tree in this process; called in a process of its own, which is then killed."""
    from mayfly.runtime import Runtime

    with Runtime(settings_of(state)) as runtime:
        runtime.resolve(tree(url, honours=honours))


@dataclass(kw_only=True)
class Report:
    """What a number of kills came to."""

    kills: int = 0
    runs: int = 0
    effects: int = 0
    unknown: int = 0
    again: int = 0


class Wrong(AssertionError):
    """Something happened that must not."""


def torture(directory: Path, *, kills: int, honours: bool, seed: int) -> Report:
    """Kill *kills* times, resume each run to its end, and check what arrived; raises `Wrong` if it is not right."""
    chance = random.Random(seed)
    report = Report()
    while report.kills < kills:
        state = directory / f"{'keys' if honours else 'none'}-{report.runs}"
        with serving(honours=honours) as server:
            _one(state, server, chance, report, left=kills - report.kills)
        report.runs += 1
        shutil.rmtree(state)
    return report


def _one(state: Path, server: Server, chance: random.Random, report: Report, *, left: int) -> None:
    state.mkdir(parents=True)
    run = _begin(state, server, chance, report)
    while True:
        left -= 1
        proven, reads = _proven(state, run), Counter(server.reads)
        ended = _resume(state, run, server, chance if left > 0 and chance.random() < 0.4 else None, report)
        for path in proven:
            if server.reads[path] > reads[path]:
                raise Wrong(f"{path} was proven and ran again")
            report.again += 1
        if ended:
            break
    _check(state, run, server, report)


def _begin(state: Path, server: Server, chance: random.Random, report: Report) -> str:
    """Start the driver, kill it at some instant after the tree is planned, and return the run."""
    honours = "keys" if server.honours else "none"
    driver = _start([str(Path(__file__)), "--drive", str(state), server.url, honours], state)
    with Ledger.open(settings_of(state)) as ledger:
        deadline = time.monotonic() + PATIENCE
        while (planned := ledger.last(kind="promise.planned")) is None:
            if time.monotonic() > deadline or (driver.poll() is not None and not ledger.count(kind="promise.planned")):
                raise Wrong("the driver did not begin")
            time.sleep(0.01)
    _wait(driver, server, chance)
    _kill(driver, report)
    return planned.subject


def _wait(process: subprocess.Popen[bytes], server: Server, chance: random.Random) -> None:
    """Wait for an instant: so many requests from now, or a moment from now, and then a little longer."""
    wanted = server.requests + chance.choice((0, chance.randrange(1, LEAVES), chance.randrange(1, LEAVES)))
    deadline = time.monotonic() + PATIENCE
    while server.requests < wanted and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.0005)
    time.sleep(chance.uniform(0.0, 2.0 * server.delay))


def _resume(state: Path, run: str, server: Server, chance: random.Random | None, report: Report) -> bool:
    """Resume, and kill that too where *chance* is given. Returns whether the run came to its end."""
    process = _start(["-m", "mayfly.cli", "resume", run, "--json"], state)
    if chance is not None:
        _wait(process, server, chance)
        if process.poll() is None:
            _kill(process, report)
            return False
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Wrong("the resumed run did not end") from None
    return True


def _start(arguments: list[str], state: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "MAYFLY_STATE_DIR": str(state),
        "MAYFLY_POLICY_SEND_HOSTS": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    log = (state / "output.txt").open("ab")
    with log:
        return subprocess.Popen(
            [sys.executable, *arguments], env=environment, stdout=log, stderr=log, cwd=state, start_new_session=True
        )


def _kill(process: subprocess.Popen[bytes], report: Report) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    report.kills += 1


def _proven(state: Path, run: str) -> set[str]:
    """Return the paths of the reads that the ledger has as proven."""
    with Ledger.open(settings_of(state)) as ledger:
        planned = ledger.last(kind="promise.planned", subject=run)
        assert planned is not None
        plan = json.loads(ledger.get_blob(str(planned.payload["tree"])))
        nodes = {str(event.payload["node"]) for event in ledger.read(kind="promise.resolved", subject=run)}
    leaves = [leaf for branch in plan["children"] for leaf in branch["children"] if leaf["id"] in nodes]
    return {
        f"/read/{leaf['argument']['url'].rpartition('/')[2]}" for leaf in leaves if leaf["capability"] == "http_get"
    }


def _check(state: Path, run: str, server: Server, report: Report) -> None:
    with Ledger.open(settings_of(state)) as ledger:
        unknown = {effect.id for effect in unknown_effects(ledger)}
        resolved = ledger.last(kind="run.resolved", subject=run) is not None
    wanted = (LEAVES + 1) // 2
    twice = [key for key, count in server.effects.items() if count > 1]
    if twice:
        raise Wrong(f"{len(twice)} effects happened more than once, such as {twice[0]}")
    if server.honours:
        if len(server.effects) != wanted or not resolved or unknown:
            raise Wrong(f"{len(server.effects)} of {wanted} effects, resolved: {resolved}, unknown: {len(unknown)}")
    else:
        certain = {key for key in server.effects if key not in unknown}
        if resolved != (not unknown) or len(certain | unknown) != wanted:
            raise Wrong(f"{len(certain)} effects and {len(unknown)} unknown of {wanted}, resolved: {resolved}")
    report.effects += len(server.effects)
    report.unknown += len(unknown)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="kill runs at random instants, resume them, count their effects")
    parser.add_argument("--kills", type=int, default=50, help="kills with each kind of server")
    parser.add_argument("--seed", type=int, default=1, help="makes the instants the same ones again")
    parser.add_argument("--drive", nargs=3, metavar=("STATE", "URL", "KEYS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.drive:
        drive(Path(chosen.drive[0]), chosen.drive[1], honours=chosen.drive[2] == "keys")
        return
    for honours in (True, False):
        directory = Path(tempfile.mkdtemp(prefix="mayfly-chaos-"))
        began = time.monotonic()
        report = torture(directory, kills=chosen.kills, honours=honours, seed=chosen.seed)
        shutil.rmtree(directory)
        which = "honours keys: each effect exactly once" if honours else "ignores keys: no effect twice"
        print(
            f"{report.kills} kills in {report.runs} runs of {1 + BRANCHES + LEAVES} promises, a server that {which}; "
            f"{report.effects} effects, {report.unknown} unknown, {report.again} proven leaves seen again after a kill "
            f"and none run again; {time.monotonic() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
