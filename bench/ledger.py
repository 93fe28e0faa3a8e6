"""What the ledger costs: appends with and without what is kept beside the events, many writers, a million events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench._ledger_fill import fill
from bench._ledger_http import ask_server
from bench._ledger_writers import entry, writers
from bench._table import Table, number, spread
from mayfly.core import Settings
from mayfly.store import Event, Ledger
from mayfly.store._events import checked
from mayfly.store._rows import EVENTS, insert_events

MILLION = 1_000_000
# CPU seconds that a command may take on a million events, and the verification of all of them.
BAR, VERIFY_BAR = 2.0, 20.0
_CPU = str(Path(__file__).with_name("_cpu.py"))


def measure(*, quick: bool) -> list[Table]:
    """Return the tables of this part."""
    return [_appends(quick=quick), writers(100 if quick else 400), _large(MILLION // 20 if quick else MILLION)]


def _bare(ledger: Ledger, events: list[Event]) -> None:
    """Append as it would be without a chain and without rows of runs."""
    fresh = [checked(event, None, ledger.secrets.now()) for event in events]
    with ledger._writing() as connection:
        connection.lock(EVENTS)
        last = connection.value("SELECT coalesce(max(id), 0) FROM mayfly_events")
        insert_events(connection, fresh, last=last)


def _appends(*, quick: bool) -> Table:
    rows = []
    for size in (1, 20, 1000):
        events = [entry() for _ in range(size)]
        rounds = max(10, (200 if quick else 1000) // size)
        taken: dict[str, list[float]] = {"whole": [], "bare": []}
        with tempfile.TemporaryDirectory() as state, Ledger.open(Settings(state_dir=state)) as ledger:
            ways: dict[str, Callable[[Ledger, list[Event]], object]] = {"whole": Ledger.append_many, "bare": _bare}
            for _ in range(rounds):
                for name, append in ways.items():
                    began = time.perf_counter()
                    append(ledger, events)
                    taken[name].append((time.perf_counter() - began) * 1e6)
        whole, bare = spread(taken["whole"]), spread(taken["bare"])
        rows.append(
            [
                f"{size:,}",
                number(whole.middle),
                number(bare.middle),
                f"{whole.middle / bare.middle:.2f} ×",
                number((whole.middle - bare.middle) / size),
            ]
        )
    return Table(
        title="Appends",
        caption=(
            "Microseconds (median) to append so many events of a run to SQLite, each append on disk when it returns: "
            "as it is, with the link of the chain and the row of the run, and the rows of the events alone; in turns."
        ),
        head=["events", "append", "events alone", "ratio", "µs more an event"],
        rows=rows,
    )


def _large(events: int) -> Table:
    with tempfile.TemporaryDirectory() as state:
        began = time.perf_counter()
        with Ledger.open(Settings(state_dir=state)) as ledger:
            run = fill(ledger, events)
            count = ledger.count()
        filled = time.perf_counter() - began
        size = sum(path.stat().st_size for path in Path(state).glob("ledger.db*"))
        commands = {
            "runs": ["runs"],
            "runs --status collapsed": ["runs", "--status", "collapsed"],
            "trace RUN": ["trace", run],
            "log": ["log"],
            "metrics": ["metrics"],
            "log verify": ["log", "verify"],
        }
        rows = [
            [f"mayfly {name}", number(_cpu(words, state)), f"{VERIFY_BAR if name == 'log verify' else BAR:g}"]
            for name, words in commands.items()
        ]
        rows += ask_server(state, run)
        archive = _cpu(["log", "archive", "--before", "2999-01-01"], state)
        rows.append(["mayfly log archive, all of it", number(archive), ""])
        rows.append(["mayfly trace RUN, archived", number(_cpu(["trace", run], state)), f"{BAR:g}"])
        rows.append(["mayfly log verify, archived", number(_cpu(["log", "verify"], state)), f"{VERIFY_BAR:g}"])
        kept = sum(path.stat().st_size for path in (Path(state) / "archive").iterdir())
    return Table(
        title="A large ledger",
        caption=(
            f"Processor seconds of a command, start included, and of a server for one request, "
            f"on a SQLite ledger of {count:,} events "
            f"({size // 2**20:,} MiB, filled in {filled:.0f} s; archived {kept / 2**20:.1f} MiB), and "
            "the bar for a million."
        ),
        head=["command", "CPU seconds", "bar"],
        rows=rows,
    )


def _cpu(words: list[str], state: str) -> float:
    command = [sys.executable, _CPU, sys.executable, "-m", "mayfly.cli", *words]
    environment = {**os.environ, "MAYFLY_STATE_DIR": state}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"mayfly {' '.join(words)} failed: {done.stderr}")
    return float(json.loads(done.stdout)["processor"])
