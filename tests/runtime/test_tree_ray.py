"""A log over two Ray nodes and one PostgreSQL: the same answer as on one machine, also when a node dies meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from mayfly.core import Example, PromiseSettings, SandboxSettings, Settings, StoreSettings
from mayfly.promise import State, cancel, saved
from mayfly.promise.engines import Cluster
from mayfly.runtime import Runtime
from mayfly.store import KillSwitch, Ledger
from mayfly.testing import (
    RunWatch,
    SentLeaves,
    alive,
    behind_the_wall,
    below,
    command_of,
    in_background,
    keep_spinner,
    kill,
    kill_node,
    ray_cluster,
    spinning,
    stop_workers,
    until,
    write_access_log,
)

pytestmark = pytest.mark.timeout(600)
MEGABYTES = 4
STATUSES = "the status of the request"
SLOW = 2000
FOR_EVER = 10**15


@pytest.fixture(scope="module")
def database(postgres_server: str) -> Iterator[str]:
    """Yield a database of its own for all tests here: what is written for the first is found by the others."""
    import psycopg

    name = f"mayfly_ray_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres_server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, database: str) -> Settings:
    return Settings(
        state_dir=str(tmp_path_factory.mktemp("state")),
        store=StoreSettings(database_url=database),
        sandbox=SandboxSettings(timeout=300.0),
        promise=PromiseSettings(engine="ray", retry_delay=0.05, split_from=1, part_size=MEGABYTES * 100_000),
    )


@pytest.fixture(scope="module")
def cluster(base: Settings) -> Iterator[Cluster]:
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    with ray_cluster(base, cpus=1) as found:
        yield found
    assert not Path(found.directory).exists()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_access_log(tmp_path_factory.mktemp("log") / "access.log", MEGABYTES)


@pytest.fixture(scope="module")
def truth(log: Path) -> list[str]:
    return [line.split('" ', 1)[1].split(" ", 1)[0] for line in log.read_text().splitlines()]


@pytest.fixture(scope="module")
def examples(log: Path, truth: list[str]) -> tuple[Example, ...]:
    """Return two lines of each status, as far as eight go."""
    lines = log.read_text().splitlines()
    first = sorted({status: truth.index(status) for status in truth}.values())[:4]
    second = [truth.index(truth[at], at + 1) for at in first]
    return tuple(Example(input=lines[at], output=truth[at]) for at in (*first, *second))


def parted(base: Settings, *, engine: str, parts: int) -> Settings:
    size = MEGABYTES * 1_000_000 // parts
    return replace(base, promise=replace(base.promise, engine=engine, part_size=size))


def leaves(watch: RunWatch) -> list[str]:
    assert watch.run is not None
    return [promise.id for promise in watch.run.walk() if promise.needs]


@pytest.mark.usefixtures("cluster")
def test_both_nodes_work_and_the_answer_is_that_of_the_log(
    base: Settings, log: Path, truth: list[str], examples: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, watch = SentLeaves(monkeypatch.setattr), RunWatch()
    with Runtime(base, observer=watch) as runtime:
        outcome = runtime.run(STATUSES, lines=log, examples=examples)
    assert list(outcome.value) == truth, outcome.reason
    assert 10 <= len(leaves(watch)) <= 12
    assert len(sent.raylets) == 2
    assert set(sent.times(leaves(watch)).values()) == {1}


def test_this_machine_alone_and_one_agent_give_the_same_answer(
    base: Settings, log: Path, truth: list[str], examples: tuple[Example, ...]
) -> None:
    watch = RunWatch()
    with Runtime(parted(base, engine="local", parts=5), observer=watch) as runtime:
        assert list(runtime.run(STATUSES, lines=log, examples=examples).value) == truth
    assert 5 <= len(leaves(watch)) <= 6
    undivided = replace(base, promise=replace(base.promise, engine="local", split_from=1 << 40))
    with Runtime(undivided) as runtime:
        assert list(runtime.run(STATUSES, lines=log, examples=examples).value) == truth


@pytest.mark.parametrize("how", ["killed", "cancelled"])
def test_a_run_that_is_stopped_stops_on_every_node(base: Settings, cluster: Cluster, how: str) -> None:
    watch, found = RunWatch(), []
    with Runtime(base, observer=watch) as runtime, Ledger.open(base) as ledger:
        tree = spinning(keep_spinner(runtime), [FOR_EVER, FOR_EVER + 1])
        thread = in_background(lambda: found.append(runtime.resolve(tree)))
        assert until(lambda: all(behind_the_wall(raylet) for raylet in cluster.raylets)), found
        switch = KillSwitch(ledger)
        if how == "killed":
            switch.turn_on(by="ada", reason="enough")
        else:
            cancel(ledger, latest(ledger), by="ada", reason="enough")
        thread.join(200)
        switch.turn_off(by="ada", reason="")
    assert [(outcome.code, "enough" in outcome.reason) for outcome in found] == [(how.upper(), True)]
    assert until(lambda: not behind_the_wall(*cluster.raylets))


def latest(ledger: Ledger) -> str:
    """Return the run that was planned last."""
    found = ledger.last(kind="promise.planned")
    return found.subject if found else ""


DRIVER = f"""
import asyncio, sys
from dataclasses import replace
from mayfly.testing import keep_spinner, spinning
from mayfly.promise.engines._ray import RayEngine
from mayfly.runtime import Runtime

do, proven = RayEngine.do, asyncio.Event()

async def slow_ones_for_ever(engine, job):
    if job.argument >= {SLOW}:
        await proven.wait()
        job = replace(job, argument={FOR_EVER})
    done = await do(engine, job)
    proven.set()
    return done

RayEngine.do = slow_ones_for_ever
with Runtime() as runtime:
    print(runtime.resolve(spinning(keep_spinner(runtime), [int(number) for number in sys.argv[1:]])))
"""


def test_what_a_killed_driver_began_ends_and_another_process_goes_on_without_ray(
    base: Settings, cluster: Cluster
) -> None:
    quick, slow = [1000, 1001, 1002], [SLOW, SLOW + 1, SLOW + 2]
    environment = {
        **os.environ,
        "MAYFLY_STATE_DIR": base.state_dir,
        "MAYFLY_DATABASE_URL": base.store.database_url,
    }
    with Ledger.open(base) as ledger:
        before = latest(ledger)
        command = [sys.executable, "-c", DRIVER, *map(str, [*quick, *slow])]
        driver = subprocess.Popen(command, env={**environment, "MAYFLY_ENGINE": "ray"})
        assert until(lambda: latest(ledger) != before)
        run = latest(ledger)
        # The slow ones wait for the first of the others, and then never end.
        assert until(lambda: proven(ledger, run))
        assert on_nodes(cluster)
        kill(driver.pid)
        driver.wait()
        known = proven(ledger, run)
        assert until(lambda: not on_nodes(cluster))
        assert saved(ledger, run).status == "interrupted"
        command = [sys.executable, "-m", "mayfly.cli", "resume", run, "--json", "--quiet"]
        said = subprocess.run(
            command, env={**environment, "MAYFLY_ENGINE": "local"}, capture_output=True, text=True, check=False
        )
        assert said.returncode == 0, said.stderr
        assert list(json.loads(said.stdout)["value"]) == [f"n{number}" for number in (*quick, *slow)]
        ran = Counter(event.subject for event in ledger.read(kind="agent.executed"))
    assert {node: ran[f"{run}/{node}"] for node in known} == dict.fromkeys(known, 1)


def proven(ledger: Ledger, run: str) -> set[str]:
    """Return the leaves of *run* that are proven."""
    return {one.id for one in saved(ledger, run).tree.walk() if one.state is State.RESOLVED}


def on_nodes(cluster: Cluster) -> list[int]:
    """Return the workers on the nodes, and what they run."""
    found = [pid for raylet in cluster.raylets for pid in below(raylet)]
    hosts = [pid for pid in found if b"ray::do_leaf" in command_of(pid)]
    return [*hosts, *behind_the_wall(*cluster.raylets)]


def test_a_node_that_is_killed_in_the_middle_changes_nothing(
    base: Settings, cluster: Cluster, log: Path, truth: list[str], examples: tuple[Example, ...]
) -> None:
    walled: list[int] = []
    raylet = cluster.raylets[1]

    def hold(watch: RunWatch) -> None:
        """Let the workers of the node get no further, so that it is certain that a leaf is lost with it."""
        until(lambda: behind_the_wall(raylet))
        walled.extend(behind_the_wall(raylet))
        stop_workers(raylet)
        in_background(lambda: strike(watch))

    def strike(watch: RunWatch) -> None:
        """Kill the node once only the leaf is left that Ray gave to its one core."""
        until(lambda: len(watch.ended) == len(leaves(watch)) - 1)
        kill_node(raylet)

    watch = RunWatch(when=hold, after=3)
    with Runtime(parted(base, engine="ray", parts=20), observer=watch) as runtime:
        outcome = runtime.run(STATUSES, lines=log, examples=examples)
        ran = Counter(event.subject for event in runtime.parts.ledger.read(kind="agent.executed"))
    assert list(outcome.value) == truth, outcome.reason
    assert len(leaves(watch)) >= 20
    # The leaf that was lost with the node may have come as far as saying that it ran.
    times = sorted(ran[f"{outcome.id}/{leaf}"] for leaf in leaves(watch))
    assert times[:-1] == [1] * (len(times) - 1), "what was done is not done again"
    assert times[-1] in (1, 2)
    assert walled
    assert until(lambda: not any(map(alive, walled)))
