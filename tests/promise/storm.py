"""Take the database's sessions away from running drivers while another one is eager to go on, and count the effects.

Two processes stand for two hosts, each with a supervisor that goes on with the run as soon as nobody seems to have it.
The first one sends effects that may happen only once to a slow receiver; at an instant nobody chose every session of
the database is ended, which frees the claim while the driver is still sending. Then the receiver and the ledger are
asked: no effect arrived twice, nobody wrote anything after the run was taken from it, and no end was written over.

    python tests/promise/storm.py [--rounds 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psycopg

from mayfly.core import MayflyError, PolicySettings, PromiseSettings, Settings, StoreSettings
from mayfly.promise import Promise, unknown_effects
from mayfly.runtime import Runtime
from mayfly.store import Event, Ledger
from mayfly.testing import own_postgres
from promise.chaos import Server, Wrong, serving

CHAINS, LINKS = 3, 2
PATIENCE = 120.0
ENDED = ("resolved", "collapsed", "failed")
_SESSIONS = "FROM pg_stat_activity WHERE application_name LIKE 'mayfly%'"


@dataclass(kw_only=True)
class Report:
    """What a number of rounds came to."""

    rounds: int = 0
    sessions: int = 0
    takeovers: int = 0
    effects: int = 0
    unknown: int = 0


def settings_of(state: str, url: str) -> Settings:
    """Return the settings of both hosts."""
    return Settings(
        state_dir=state,
        store=StoreSettings(database_url=url),
        policy=PolicySettings(send_hosts="127.0.0.1"),
        promise=PromiseSettings(retries=6, retry_delay=0.02, kill_cache=0),
    )


def tree(url: str) -> Promise[Any]:
    """Return a tree whose leaves are effects that may happen only once, in chains side by side."""
    root: Promise[Any] = Promise("send everything", ground="not all was sent")
    for chain in range(CHAINS):
        branch = root.add(Promise(f"chain {chain}", ground=None, combine="record", optional=True))
        for link in range(LINKS):
            name = f"link{link}"
            argument = {"url": f"{url}/effect", "method": "POST", "content": {"chain": chain, "link": link}}
            after = (f"link{link - 1}",) if link else ()
            branch.add(
                Promise(name, ground=None, name=name, after=after, capability="http_send_once", argument=argument)
            )
    return root


def host(state: str, url: str) -> None:
    """Stand for one host: do what each line says, and say how it ended."""
    with Runtime(settings_of(state, url)) as runtime:
        runtime.parts.ledger.count()
        print("ready", flush=True)
        for line in sys.stdin:
            what, about = json.loads(line)
            run = runtime.resolve(tree(about)).id if what == "resolve" else about
            supervise(runtime, run)
            print(json.dumps(run), flush=True)


def supervise(runtime: Runtime, run: str) -> None:
    """Go on with *run* whenever nobody has it, until it has ended."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(MayflyError):
            row = runtime.ledger.run(run)
            if row is not None and row.status in ENDED:
                return
            if row is not None and row.status == "interrupted":
                runtime.resume(run)
        time.sleep(0.002)
    raise SystemExit(f"{run} did not end")


@contextmanager
def hosts(state: Path, url: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Start both hosts."""
    command = [sys.executable, str(Path(__file__).resolve()), "--host", str(state), url]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = [
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        for process in made:
            if _pipe(process.stdout).readline() != "ready\n":
                raise Wrong("a host did not start")
        yield made
    finally:
        for process in made:
            process.kill()
            process.communicate()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def tell(process: subprocess.Popen[str], *words: str) -> None:
    """Say something to a host."""
    _pipe(process.stdin).write(json.dumps(words) + "\n")
    _pipe(process.stdin).flush()


def storm(*, rounds: int, seed: int) -> Report:
    """Go through so many rounds; raises `Wrong` where something happened that must not."""
    chance, report = random.Random(seed), Report()
    with (
        tempfile.TemporaryDirectory(prefix="mayfly-storm-") as state,
        own_postgres() as postgres,
        serving(honours=False) as server,
        Ledger.open(settings_of(state, postgres.url)) as ledger,
        hosts(Path(state), postgres.url) as pair,
    ):
        for _ in range(rounds):
            server.delay = chance.uniform(0.05, 0.3)
            _one(pair, server, ledger, postgres.url, chance, report)
    return report


def _one(
    pair: list[subprocess.Popen[str]],
    server: Server,
    ledger: Ledger,
    url: str,
    chance: random.Random,
    report: Report,
) -> None:
    before = ledger.before_last(0)
    arrived = server.requests
    tell(pair[0], "resolve", server.url)
    run = _begun(ledger, before)
    tell(pair[1], "resume", run)
    for _ in range(chance.choice((1, 1, 2, 3))):
        _wait(server, arrived + chance.randrange(1, CHAINS * LINKS), chance)
        report.sessions += end_sessions(url)
    for process in pair:
        if json.loads(_pipe(process.stdout).readline() or '""') != run:
            raise Wrong(f"a host gave up on {run}")
    _check(ledger, server, run, report)
    report.rounds += 1


def _begun(ledger: Ledger, before: int) -> str:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for event in ledger.read(kind="promise.planned", after=before):
            return event.subject
        time.sleep(0.002)
    raise Wrong("the driver did not begin")


def _wait(server: Server, wanted: int, chance: random.Random) -> None:
    """Wait until so much has arrived, or nothing more does, and then a little longer."""
    deadline = time.monotonic() + 2.0
    while server.requests < wanted and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(chance.uniform(0.0, server.delay))


def end_sessions(url: str) -> int:
    """End every session of Mayfly with the server, as a restart of it would."""
    with psycopg.connect(url, autocommit=True) as plain:
        return len(plain.execute(f"SELECT pg_terminate_backend(pid) {_SESSIONS}".encode()).fetchall())


def _check(ledger: Ledger, server: Server, run: str, report: Report) -> None:
    keys = {key: count for key, count in server.effects.items() if key.startswith(run)}
    twice = [key for key, count in keys.items() if count > 1]
    if twice:
        raise Wrong(f"{len(twice)} effects were sent twice, such as {twice[0]}")
    leaves = [f"{run}/0.{chain}.{link}" for chain in range(1, CHAINS + 1) for link in range(1, LINKS + 1)]
    subjects = [run, *leaves]
    events = sorted((event for subject in subjects for event in ledger.read(subject=subject)), key=lambda e: e.id)
    report.takeovers += _check_order(events, run) - 1
    unknown = {effect.id for effect in unknown_effects(ledger) if effect.run == run}
    done = {event.subject for event in events if event.kind == "effect.done"}
    lost = [key for key in keys if key not in done | unknown]
    if lost:
        told = [f"{event.kind} {event.subject} {event.writer[-8:]}" for event in events]
        raise Wrong(f"{lost[0]} arrived, and the ledger knows neither that it is done nor that it is unknown: {told}")
    report.effects += len(keys)
    report.unknown += len(unknown)


def _check_order(events: list[Event], run: str) -> int:
    """Follow who has the run: nobody else writes, and between two beginnings there is one end; return the claims."""
    owner, ended, claims = "", False, 0
    for event in events:
        if event.kind == "run.claimed":
            owner, claims = event.writer, claims + 1
            if event.payload["generation"] != claims:
                raise Wrong(f"generation {event.payload['generation']} of {run} is claim {claims}")
        elif claims and event.writer != owner:
            raise Wrong(f"{event.kind} of {run} was written by {event.writer}, and {owner} has it")
        if event.kind == "run.resumed":
            ended = False
        elif event.kind in ("run.resolved", "run.collapsed") and event.subject == run:
            if ended:
                raise Wrong(f"the end of {run} was written twice")
            ended = True
    if not ended:
        raise Wrong(f"{run} has no end")
    return claims


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="end database sessions under running drivers, count their effects")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="makes the instants much the same ones again")
    parser.add_argument("--host", nargs=2, metavar=("STATE", "URL"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.host:
        host(*chosen.host)
        return
    began = time.monotonic()
    report = storm(rounds=chosen.rounds, seed=chosen.seed)
    print(
        f"{report.rounds} rounds, {report.sessions} sessions ended, {report.takeovers} times another driver went on: "
        f"{report.effects} effects that may happen once, none twice; {report.unknown} unknown; no end written over; "
        f"{time.monotonic() - began:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
