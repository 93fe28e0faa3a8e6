"""Bad places and bad moments: one clear line, and nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from mayfly.core import InputError, Settings, StoreError, StoreSettings
from mayfly.store import DoctorAttacked, Ledger
from mayfly.store._postgres import PostgreSQL

from . import worker
from .conftest import FRESH, Plain

ENTRY = DoctorAttacked(level="x", cases=1, contained=1)


def failure(settings: Settings) -> str:
    """Return the one line with which opening the store fails."""
    with pytest.raises((StoreError, InputError)) as caught:
        Ledger.open(settings).close()
    text = str(caught.value)
    assert "\n" not in text
    return text


def at(url: str, settings: Settings | None = None) -> Settings:
    return replace(settings or Settings(state_dir="/nowhere"), store=StoreSettings(database_url=url, busy_timeout=1))


def test_a_state_directory_that_is_a_file_is_the_callers_mistake(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("mine")
    for use in (Ledger.open, Ledger.find):
        with pytest.raises(InputError, match="state is a file; set MAYFLY_STATE_DIR"):
            use(Settings(state_dir=str(tmp_path / "state")))
    assert (tmp_path / "state").read_text() == "mine"


def test_a_state_directory_below_a_file_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "ledger.db cannot be created: Not a directory" in failure(Settings(state_dir=str(tmp_path / "file/state")))


def test_a_ledger_that_is_a_directory_is_named(sqlite_settings: Settings) -> None:
    (sqlite_settings.state / "ledger.db").mkdir(parents=True)
    assert "ledger.db cannot be created: Is a directory" in failure(sqlite_settings)


@pytest.mark.parametrize("content", [b"this is not a database\n" * 100, os.urandom(8192)])
def test_a_file_that_is_not_a_database_is_left_alone(sqlite_settings: Settings, content: bytes) -> None:
    sqlite_settings.state.mkdir()
    (sqlite_settings.state / "ledger.db").write_bytes(content)
    assert "the file is not a database" in failure(sqlite_settings)
    assert (sqlite_settings.state / "ledger.db").read_bytes() == content


def test_a_damaged_database_is_said_to_be_damaged(sqlite_settings: Settings) -> None:
    with Ledger.open(sqlite_settings) as ledger:
        ledger.append_many([ENTRY] * 1000, subject="s")
    path = sqlite_settings.state / "ledger.db"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert "is damaged" in failure(sqlite_settings)


@pytest.fixture
def public_path() -> Iterator[Path]:
    """Yield a directory that other accounts may enter."""
    with tempfile.TemporaryDirectory(prefix="mayfly-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_directory_that_cannot_be_written_is_named(public_path: Path) -> None:
    closed = public_path / "closed"
    closed.mkdir(mode=0o555)
    [line] = worker.finish(worker.start("open_as_ordinary_user", store=Settings(state_dir=str(closed))))
    assert line.startswith(f"STORE: {closed}/ledger.db cannot be created: Permission denied; set MAYFLY_STATE_DIR")


def test_a_store_of_somebody_else_is_named_and_unharmed(public_path: Path) -> None:
    theirs = Settings(state_dir=str(public_path / "theirs"))
    with Ledger.open(theirs) as ledger:
        ledger.append(ENTRY, subject="s")
    (theirs.state / "ledger.db").chmod(0o444)
    theirs.state.chmod(0o555)
    [line] = worker.finish(worker.start("open_as_ordinary_user", store=theirs))
    theirs.state.chmod(0o755)
    (theirs.state / "ledger.db").chmod(0o644)
    assert line.startswith(f"STORE: {theirs.state}/ledger.db cannot be")
    with Ledger.open(theirs) as ledger:
        assert ledger.count() == FRESH + 1


def test_a_file_that_may_not_grow_loses_nothing_acknowledged(sqlite_settings: Settings) -> None:
    [line] = worker.finish(worker.start("fill", 900_000, store=sqlite_settings))
    told = json.loads(line)
    assert told["error"].startswith(f"STORE: {sqlite_settings.state}/ledger.db cannot")
    assert told["same"]
    assert told["kept"] > 20


def test_a_full_disk_loses_nothing_acknowledged(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    environ = {**os.environ, "MAYFLY_STATE_DIR": str(disk), "MAYFLY_DATABASE_URL": ""}
    mounted = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" fill disk'
    unshare = ["unshare", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nobody may mount a small disk here; the limit on a file's size is tested all the same")
    command = [*unshare, "sh", "-c", mounted, "sh", str(disk), sys.executable, worker.__file__]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["error"].startswith(f"STORE: {disk}/ledger.db cannot grow: the disk is full")
    assert told["same"]
    assert told["kept"] > 20


def test_a_lock_held_too_long_is_said_to_be_a_lock(settings: Settings, ledger: Ledger) -> None:
    hasty = replace(settings, store=replace(settings.store, busy_timeout=0.05))
    with Ledger.open(hasty) as waiting, closing(Plain(settings)) as other:
        other.run("BEGIN IMMEDIATE" if other.dialect == "sqlite" else "BEGIN")
        row = f"{FRESH + 1}, '2040-01-01T00:00:00+00:00', 'w', 'other.happened', 's', '{{}}'"
        other.run(f"INSERT INTO mayfly_events VALUES ({row})")
        with pytest.raises(StoreError, match=r"locked by another process; .*MAYFLY_STORE_BUSY_TIMEOUT"):
            waiting.append(ENTRY, subject="s")
        other.run("ROLLBACK")
        assert waiting.append(ENTRY, subject="s").id == FRESH + 1


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/db", "hunter2", "sqlite:///x.db", "://hunter2@h", "\x00hunter2"])
def test_a_url_that_is_not_postgresql_is_refused_without_showing_it(url: str) -> None:
    text = failure(at(url))
    assert text.startswith("MAYFLY_DATABASE_URL must begin with postgresql://")
    assert "hunter2" not in text


@pytest.mark.parametrize("url", ["postgresql://u:hunter2@h:port/db", "postgres://u:hunter2@[::1/db"])
def test_a_url_that_cannot_be_read_is_refused_without_showing_it(url: str) -> None:
    text = failure(at(url))
    assert "MAYFLY_DATABASE_URL is not postgresql://user" in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2@127.0.0.1:1/db",
        "postgres://u:hunter2@127.0.0.1:1/db",
        "postgresql://u@127.0.0.1:1/db?password=hunter2",
        "postgresql://u:hunter2@127.0.0.1:1/db?sslmode=hunter2",
    ],
)
def test_an_unreachable_server_is_named_without_the_password(url: str) -> None:
    text = failure(at(url))
    assert text.startswith("PostgreSQL at ")
    assert "hunter2" not in text


def test_an_unreachable_server_comes_with_what_to_check() -> None:
    text = failure(at("postgresql://u:hunter2@127.0.0.1:1/db"))
    assert text.startswith("PostgreSQL at 127.0.0.1:1/db cannot be reached: ")
    assert text.endswith("check that the server runs and what MAYFLY_DATABASE_URL says")


def test_both_spellings_of_the_scheme_reach_the_server(postgres_url: str) -> None:
    for scheme in ("postgres:", "postgresql+psycopg:", "PostgreSQL:"):
        with Ledger.open(at(postgres_url.replace("postgresql:", scheme))) as ledger:
            assert ledger.count() == FRESH


def test_a_missing_driver_comes_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert failure(at("postgresql://h/db")) == "PostgreSQL needs psycopg; pip install 'mayfly-agents[postgres]'"


def test_a_read_only_server_is_said_to_be_read_only(postgres_url: str) -> None:
    assert "is read-only" in failure(at(postgres_url + quote(" -cdefault_transaction_read_only=on")))


def test_a_database_without_room_for_us_says_what_is_wrong(postgres_server: str) -> None:
    nowhere = "&" if "?" in postgres_server else "?"
    text = failure(at(f"{postgres_server}{nowhere}options={quote('-csearch_path=no_such_schema')}"))
    assert "no schema has been selected to create in" in text


def test_a_lost_connection_is_made_again(postgres_settings: Settings) -> None:
    with Ledger.open(postgres_settings) as ledger, closing(Plain(postgres_settings)) as other:
        kept = ledger.append(ENTRY, subject="s")
        other.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mayfly'")
        assert ledger.append(ENTRY, subject="s").id == kept.id + 1


def test_a_session_that_waits_for_its_process_in_the_middle_of_an_append_is_ended(postgres_settings: Settings) -> None:
    stuck = PostgreSQL(at(postgres_settings.store.database_url, postgres_settings))
    with Ledger.open(postgres_settings) as ledger:

        def append_while_another_holds_the_lock() -> None:
            """Append while a session that holds the lock does nothing any more, as if its process were stopped."""
            with stuck.transaction(writing=True) as connection:
                connection.lock("mayfly_events")
                ledger.append(ENTRY, subject="s")

        before = ledger.count()
        with pytest.raises(StoreError):
            append_while_another_holds_the_lock()
        assert ledger.count() == before + 1


def test_no_connection_is_left_open_by_a_failed_opening(sqlite_settings: Settings) -> None:
    sqlite_settings.state.mkdir()
    (sqlite_settings.state / "ledger.db").write_bytes(b"not a database" * 500)
    failure(sqlite_settings)
    links = [os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")]
    assert not [link for link in links if str(sqlite_settings.state) in link]


def test_opening_waits_for_somebody_who_still_writes_without_a_log(sqlite_settings: Settings) -> None:
    sqlite_settings.state.mkdir()
    with closing(Plain(sqlite_settings)) as other:
        other.run("CREATE TABLE theirs (a)")
        other.run("BEGIN IMMEDIATE")
        opening = threading.Thread(target=lambda: Ledger.open(sqlite_settings).close())
        opening.start()
        opening.join(0.2)
        assert opening.is_alive()
        other.run("COMMIT")
        opening.join()
    found = Ledger.find(sqlite_settings)
    assert found is not None
    found.close()
