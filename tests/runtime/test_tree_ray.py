"""A log over two Ray nodes and one PostgreSQL: the same answer as on one machine, also when a node dies in the middle."""

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
from typing import Any

import pytest

from bench._cluster import (
    STATUSES,
    Sent,
    Watch,
    alive,
    behind_the_wall,
    below,
    in_background,
    keep_spinner,
    kill,
    kill_node,
    make_log,
    spinning,
    until,
)
from mayfly.core import PromiseSettings, Settings, StoreSettings
from mayfly.promise import State, cancel, saved
from mayfly.promise.engines import Cluster, TryOut
from mayfly.promise.engines._tryout import processes
from mayfly.runtime import Runtime
from mayfly.store import Ledger

pytestmark = pytest.mark.timeout(240)
MEGABYTES = 4
LONG = 400_000_000


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
        promise=PromiseSettings(engine="ray", retry_delay=0.05, split_from=1, part_size=MEGABYTES * 100_000),
    )


@pytest.fixture(scope="module")
def cluster(base: Settings) -> Iterator[Cluster]:
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    tryout = TryOut(base)
    try:
        yield tryout.up(nodes=2, cpus=1, with_parent=True)[0]
    finally:
        found, _ = tryout.down()
    assert found is not None
    assert processes(found) == []
    assert not Path(found.directory).exists()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_log(tmp_path_factory.mktemp("log") / "access.log", MEGABYTES)


@pytest.fixture(scope="module")
def truth(log: Path) -> dict[str, int]:
    return dict(Counter(line.split('" ', 1)[1].split(" ", 1)[0] for line in log.read_text().splitlines()))


def parted(base: Settings, *, engine: str, parts: int) -> Settings:
    size = MEGABYTES * 1_000_000 // parts
    return replace(base, promise=replace(base.promise, engine=engine, part_size=size))


def leaves(watch: Watch) -> list[str]:
    assert watch.run is not None
    return [promise.id for promise in watch.run.walk() if promise.needs]


@pytest.mark.usefixtures("cluster")
def test_both_nodes_work_and_the_answer_is_that_of_the_log(
    base: Settings, log: Path, truth: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, watch = Sent(monkeypatch.setattr), Watch()
    with Runtime(base, observer=watch) as runtime:
        outcome = runtime.run(STATUSES, lines=log)
    assert outcome.value == truth, outcome.reason
    assert len(leaves(watch)) == 10
    assert len(sent.nodes) == 2
    assert set(sent.times(leaves(watch)).values()) == {1}
