"""A real Ray cluster of two nodes, started once and gone when the tests end, and engines on it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mayfly.core import PromiseSettings, Settings, StoreSettings
from mayfly.promise.engines import Cluster, RayEngine, open_engine
from mayfly.promise.engines._tryout import MARK
from mayfly.testing import ray_cluster

from . import crew

# What is set in the process that starts the cluster and must be found nowhere in it.
SECRET = "sk-do-not-tell"
DATABASE = "postgresql://mayfly:pass-do-not-tell@127.0.0.1:1/mayfly"


class Ground(NamedTuple):
    """A cluster and settings that name it."""

    cluster: Cluster
    settings: Settings

    def named(self, engine: str = "ray", **promise: object) -> Settings:
        return replace(self.settings, promise=replace(self.settings.promise, engine=engine, **promise))  # type: ignore[arg-type]


@pytest.fixture(scope="package")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Yield a cluster that was started with a secret in the environment."""
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    settings = Settings(
        state_dir=str(tmp_path_factory.mktemp("state")),
        store=StoreSettings(database_url=DATABASE),
        promise=PromiseSettings(engine="ray", retry_delay=0.01),
    )
    os.environ["OPENAI_API_KEY"] = SECRET
    try:
        with ray_cluster(settings, cpus=2, client=True) as cluster:
            import_module("ray.cloudpickle").register_pickle_by_value(crew)
            yield Ground(cluster, settings)
    finally:
        del os.environ["OPENAI_API_KEY"]


Opener = Callable[..., RayEngine]


@pytest.fixture
def opened(ground: Ground) -> Iterator[Opener]:
    """Open engines on the cluster; they are closed when the test ends."""
    engines: list[RayEngine] = []

    def open(engine: str = "ray", *, make: Any = crew.make_crew, **promise: object) -> RayEngine:
        made = open_engine(ground.named(engine, **promise), make)
        assert isinstance(made, RayEngine)
        engines.append(made)
        return made

    yield open
    for engine in engines:
        asyncio.run(engine.aclose())


@pytest.fixture(scope="module")
def shared(ground: Ground) -> Iterator[RayEngine]:
    """Yield one engine for all tests of a file that leave it as it was."""
    engine = open_engine(ground.settings, crew.make_crew)
    assert isinstance(engine, RayEngine)
    yield engine
    asyncio.run(engine.aclose())


class Joined(NamedTuple):
    """A further node: the process that keeps it, and the one that is it."""

    keeper: subprocess.Popen[str]
    raylet: int


@pytest.fixture
def join(ground: Ground) -> Iterator[Callable[[], Joined]]:
    """Let further nodes join the cluster."""
    keepers: list[subprocess.Popen[str]] = []

    def add() -> Joined:
        environment = {
            "PATH": os.environ["PATH"],
            MARK: ground.cluster.id,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_TMPDIR": ground.cluster.directory,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(ground.cluster.token),
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        }
        script = str(Path(__file__).with_name("joiner.py"))
        keeper = subprocess.Popen(
            [sys.executable, script, str(ground.cluster.address)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        keepers.append(keeper)
        assert keeper.stdout is not None
        return Joined(keeper, int(keeper.stdout.readline()))

    yield add
    for keeper in keepers:
        keeper.communicate(timeout=200)
