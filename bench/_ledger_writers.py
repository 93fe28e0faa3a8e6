"""Many writers of one ledger at once: processes and threads, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench._table import Table, number, spread
from mayfly.core import Settings, StoreSettings
from mayfly.store import Event, Ledger
from mayfly.testing import postgres_schema, postgres_server

WRITERS = 8
# What the 99th percentile may be, as a multiple of the median, and the median of processes on PostgreSQL in ms.
FAIR, POSTGRES_BAR = 20, 15
_WRITER = "from bench._ledger_writers import write; write({number})"


def entry() -> Event:
    """Return an event as the leaves of a tree leave it."""
    from mayfly.promise._events import Began

    return Event.of(Began(node="0.1", by="capability give", seq=1), subject="r-00000001")


def write(times: int) -> None:
    """Append one by one in this process; print how long each took."""
    with Ledger.open(Settings.load(directory=Path("/"))) as ledger:
        ledger.append(entry())  # what is done once, as the connection is made, is no part of an append
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(times):
            began = time.perf_counter()
            ledger.append(entry())
            print(time.perf_counter() - began)


def writers(times: int) -> Table:
    """Return how long one append takes, by database and by who else appends."""
    rows = []
    with postgres_server() as server:
        for database, url in (("SQLite", ""), ("PostgreSQL", server)):
            for who, count in (("process", 1), ("process", WRITERS), ("thread", 1), ("thread", WRITERS)):
                with _store(url) as settings:
                    measure = _by_processes if who == "process" else _by_threads
                    rows.append(_row(database, who, count, *measure(settings, count, times)))
    return Table(
        title="Writers side by side",
        caption=(
            f"Each of some processes, or threads of one process, makes {times} appends of one event to one ledger as "
            "fast as it can: milliseconds of one append, on disk when it returns. The bar for the 99th percentile of "
            f"{WRITERS} processes is {FAIR} × the median, that for their median on PostgreSQL {POSTGRES_BAR} ms."
        ),
        head=["database", "writers", "appends/s", "median", "p99", "longest", "p99 / median", "bars"],
        rows=rows,
    )


def _row(database: str, who: str, count: int, waited: list[float], seconds: float) -> list[str]:
    found = spread(waited)
    held = {f"p99 ≤ {FAIR} ×": found.most <= FAIR * found.middle} if (who, count) == ("process", WRITERS) else {}
    if held and database == "PostgreSQL":
        held[f"median ≤ {POSTGRES_BAR}"] = found.middle <= POSTGRES_BAR
    return [
        database,
        f"{count} {who}{'es' if who == 'process' and count > 1 else 's' if count > 1 else ''}",
        number(len(waited) / seconds),
        number(found.middle),
        number(found.most),
        number(max(waited)),
        f"{found.most / found.middle:.1f} ×",
        ", ".join(f"{bar}: {'met' if is_met else 'not met'}" for bar, is_met in held.items()),
    ]


@contextmanager
def _store(server: str) -> Iterator[Settings]:
    """Yield the settings of an empty ledger."""
    with tempfile.TemporaryDirectory() as state:
        if not server:
            yield _made(Settings(state_dir=state))
            return
        with postgres_schema(server) as url:
            yield _made(Settings(state_dir=state, store=StoreSettings(database_url=url)))


def _made(settings: Settings) -> Settings:
    Ledger.open(settings).close()
    return settings


def _by_processes(settings: Settings, count: int, times: int) -> tuple[list[float], float]:
    """Return the milliseconds of each append, and the seconds from the first one's beginning to the last one's end."""
    root = Path(__file__).resolve().parent.parent
    environment = {**os.environ, "MAYFLY_STATE_DIR": str(settings.state)}
    environment["MAYFLY_DATABASE_URL"] = settings.store.database_url
    command = [sys.executable, "-c", _WRITER.format(number=times)]
    started = [
        subprocess.Popen(command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for writer in started:
        assert writer.stdout is not None
        writer.stdout.readline()
    began = time.perf_counter()
    for writer in started:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    waited = [float(line) * 1000 for writer in started for line in writer.communicate()[0].split()]
    return waited, time.perf_counter() - began


def _by_threads(settings: Settings, count: int, times: int) -> tuple[list[float], float]:
    """Return what `_by_processes` does."""
    waited: list[float] = []
    with Ledger.open(settings) as ledger:
        ledger.append(entry())
        together = threading.Barrier(count)

        def work() -> None:
            together.wait()
            for _ in range(times):
                began = time.perf_counter()
                ledger.append(entry())
                waited.append((time.perf_counter() - began) * 1000)

        threads = [threading.Thread(target=work) for _ in range(count)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return waited, time.perf_counter() - began
