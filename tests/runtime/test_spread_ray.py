"""A question about many files over two Ray nodes: the same answer as on one machine, also when a node dies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Outcome, PromiseSettings, SandboxSettings, Settings, StoreSettings
from mayfly.promise.engines import Cluster
from mayfly.runtime import Runtime
from mayfly.testing import SentLeaves, ray_cluster

pytestmark = pytest.mark.timeout(600)
INTENT = "sum, average and largest amount by name"
FILES = 6


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> Iterator[Settings]:
    import psycopg

    name = f"mayfly_spread_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield Settings(
            state_dir=str(tmp_path_factory.mktemp("state")),
            store=StoreSettings(database_url=postgres_server.replace("/postgres?", f"/{name}?")),
            sandbox=SandboxSettings(timeout=300.0),
            promise=PromiseSettings(engine="ray", retry_delay=0.05, split_from=1),
        )
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def cluster(base: Settings) -> Iterator[Cluster]:
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    with ray_cluster(base, cpus=1) as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder, made = tmp_path_factory.mktemp("sales"), []
    for part in range(FILES):
        made.append(folder / f"sales-{part}.csv")
        rows = [f"name {n % 7},{n * (part + 1) / 4}\n" for n in range(3000 * (part + 1))]
        made[-1].write_text("".join(["name,amount\n", *rows, "broken\n" if part == 4 else ""]))
    return made


def asked(settings: Settings, files: list[Path], intent: str = INTENT) -> tuple[Outcome[Any], dict[str, list[Any]]]:
    told: dict[str, list[Any]] = {}
    with Runtime(settings, observer=lambda what, about: told.setdefault(what, []).append(about)) as runtime:
        return runtime.run(intent, lines=files), told


@pytest.fixture(scope="module")
def truth(base: Settings, files: list[Path]) -> Outcome[Any]:
    return asked(replace(base, promise=replace(base.promise, engine="local")), files)[0]


@pytest.mark.usefixtures("cluster")
def test_both_nodes_work_and_the_answer_is_that_of_one_machine(
    base: Settings, files: list[Path], truth: Outcome[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = SentLeaves(monkeypatch.setattr)
    outcome, told = asked(base, files)
    assert outcome.resolved, outcome.reason
    assert (outcome.value, outcome.account) == (truth.value, truth.account)
    assert json.dumps(outcome.value) == json.dumps(truth.value)
    assert told["spread"] == [(FILES, 2)]
    assert len(sent.raylets) == 2
    assert sent.times(["part-1", "part-2"]) == {"part-1": 1, "part-2": 1}


@pytest.mark.usefixtures("cluster")
def test_a_question_that_needs_all_rows_is_answered_here(base: Settings, files: list[Path]) -> None:
    outcome, told = asked(base, files, "median amount by name")
    assert outcome.resolved
    assert told["alone"] == ["median amount cannot be computed from partial results"]
    assert "spread" not in told


@pytest.mark.usefixtures("cluster")
def test_a_file_that_a_node_does_not_see_ends_the_run(
    base: Settings, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mayfly.promise.engines import RayEngine

    send = RayEngine._send

    def elsewhere(engine: RayEngine, job: Any, data: Any) -> Any:
        """Let the first file lie at another path for the node than here."""
        told = {**job.argument, "files": [{**one, "path": f"/elsewhere{one['path']}"} for one in job.argument["files"]]}
        return send(engine, replace(job, argument=told) if job.node == "part-1" else job, data)

    monkeypatch.setattr(RayEngine, "_send", elsewhere)
    outcome, _ = asked(base, files)
    assert (outcome.status, outcome.value, outcome.code) == ("collapsed", None, "INPUT")
    assert "cannot read /elsewhere" in outcome.reason


@pytest.mark.usefixtures("cluster")
def test_a_worker_that_dies_is_replaced(
    base: Settings, files: list[Path], truth: Outcome[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mayfly.promise.engines import _ray

    mark = str(tmp_path / "died")

    def dying(engine: str, packed: bytes, keep: Any, job: Any, data: Any) -> Any:
        """Die with the first part, on whatever node; then do what is asked."""
        import os
        from contextlib import suppress

        from mayfly.promise.engines._host import do_leaf

        with suppress(FileExistsError):
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            os._exit(1)
        return do_leaf(engine, packed, keep, job, data)

    monkeypatch.setattr(_ray, "do_leaf", dying)
    outcome, _ = asked(base, files)
    assert Path(mark).exists()
    assert (outcome.value, outcome.account) == (truth.value, truth.account)
