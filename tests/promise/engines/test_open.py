"""Which engine is opened, and the one line that is said where it cannot be."""

import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from mayfly.core import InputError, MachineError, MayflyError, PromiseSettings, Settings, StoreSettings
from mayfly.promise.engines import LocalEngine, open_engine
from mayfly.promise.engines._connect import NodeAddress, _explain, check_client_port, import_ray

from .conftest import DATABASE, Ground
from .crew import make_crew


def named(engine: str, tmp_path: Path, database: str = DATABASE) -> Settings:
    promise = replace(PromiseSettings(), engine=engine)
    return Settings(state_dir=str(tmp_path), promise=promise, store=StoreSettings(database_url=database))


@pytest.fixture
def mute() -> Iterator[int]:
    """Yield a port behind which somebody listens who says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield door.getsockname()[1]


@pytest.fixture
def web() -> Iterator[int]:
    """Yield a port behind which somebody answers who is no Ray."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            while True:
                try:
                    guest, _ = door.accept()
                except OSError:
                    return
                with guest:
                    guest.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        yield door.getsockname()[1]
        door.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_local_is_the_default() -> None:
    assert isinstance(open_engine(Settings(), make_crew), LocalEngine)


def test_an_engine_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dask: an engine is local, ray or ray://HOST:PORT"):
        open_engine(named("dask", tmp_path), make_crew)


@pytest.mark.parametrize("engine", ["ray", "ray://127.0.0.1:1"])
def test_ray_without_a_shared_store_is_refused_before_anything_else(engine: str, tmp_path: Path) -> None:
    said = "the ray engine needs a shared store: set MAYFLY_DATABASE_URL to a PostgreSQL"
    with pytest.raises(MayflyError) as caught:
        open_engine(named(engine, tmp_path, database=""), make_crew)
    assert str(caught.value) == said


def test_ray_that_is_not_installed_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr("mayfly.promise.engines._connect.find_spec", lambda _: None)
    with pytest.raises(MachineError, match=r"pip install 'mayfly-agents\[ray\]'"):
        open_engine(named("ray", tmp_path), make_crew)


def test_ray_where_none_was_started_says_how(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="run: mayfly ray up"):
        open_engine(named("ray", tmp_path), make_crew)


def test_nothing_that_answers_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    with pytest.raises(MachineError, match=f"no Ray cluster answers at 127.0.0.1:{port}"):
        open_engine(named(f"ray://127.0.0.1:{port}", tmp_path), make_crew)


def test_what_answers_but_is_no_ray_is_told(tmp_path: Path, web: int) -> None:
    with pytest.raises(MachineError, match="is no Ray cluster"):
        open_engine(named(f"ray://127.0.0.1:{web}", tmp_path), make_crew)


def test_what_listens_but_says_nothing_is_told(mute: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import_ray()
    monkeypatch.setattr("mayfly.promise.engines._connect.PROBE_SECONDS", 0.2)
    with pytest.raises(MachineError, match="is no Ray cluster"):
        check_client_port(NodeAddress("127.0.0.1", mute))


def test_a_cluster_that_asks_for_a_token_says_so(ground: Ground, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="asks for another token; set RAY_AUTH_MODE=token"):
        open_engine(named(f"ray://127.0.0.1:{ground.cluster.client}", tmp_path), make_crew)


def test_a_clusters_own_address_is_refused_for_its_client_port(ground: Ground) -> None:
    with pytest.raises(InputError, match=r"own address; use its client port: ray://127\.0\.0\.1:10001"):
        open_engine(ground.named(f"ray://127.0.0.1:{ground.cluster.port}"), make_crew)


def test_other_versions_are_told_in_one_line() -> None:
    said = "Version mismatch: The cluster was started with:\n    Ray: 2.9.0\n    Python: 3.9.1\nThis process ..."
    error = _explain(NodeAddress("10.0.0.9", 6379), RuntimeError(said))
    assert isinstance(error, InputError)
    assert "has other versions: Version mismatch: The cluster was started with: Ray: 2.9.0 Python: 3.9.1" in str(error)
    assert "\n" not in str(error)


def test_telemetry_is_off_whatever_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    import_ray()
    assert import_module("ray._common.usage.usage_lib")._usage_stats_enabledness().name == "DISABLED_EXPLICITLY"
