"""What the ledger costs: appends with and without what is kept beside the events, many writers, a million events."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench._ledger_fill import fill
from bench._table import Table, number, spread
from mayfly.core import Settings
from mayfly.store import Event, Ledger
from mayfly.store._events import checked
from mayfly.store._rows import EVENTS, insert_events

MILLION = 1_000_000
# CPU seconds that a command may take on a million events, and the verification of all of them.
BAR, VERIFY_BAR = 2.0, 20.0
WRITERS, FAIR = 8, 20
_CPU = str(Path(__file__).with_name("_cpu.py"))
_WRITER = "from bench.ledger import write; write({number})"


def measure(*, quick: bool) -> list[Table]:
    """Return the tables of this part."""
    return [_appends(quick=quick), _writers(100 if quick else 400), _large(MILLION // 20 if quick else MILLION)]


def _entry() -> Event:
    from mayfly.promise._events import Began

    return Event.of(Began(node="0.1", by="capability give", seq=1), subject="r-00000001")


def _bare(ledger: Ledger, events: list[Event]) -> None:
    """Append as it would be without a chain and without rows of runs."""
    fresh = [checked(event, None) for event in events]
    with ledger._writing() as connection:
        connection.lock(EVENTS)
        last = connection.value("SELECT coalesce(max(id), 0) FROM mayfly_events")
        insert_events(connection, fresh, last=last)


def _appends(*, quick: bool) -> Table:
    rows = []
    for size in (1, 20, 1000):
        events = [_entry() for _ in range(size)]
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


def write(times: int) -> None:
    """Append one by one in this process; print how long each took."""
    with Ledger.open(Settings.load(directory=Path("/"))) as ledger:
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(times):
            began = time.perf_counter()
            ledger.append(_entry())
            print(time.perf_counter() - began)


def _writers(times: int) -> Table:
    with tempfile.TemporaryDirectory() as state:
        Ledger.open(Settings(state_dir=state)).close()
        root = Path(__file__).resolve().parent.parent
        environment = {**os.environ, "MAYFLY_STATE_DIR": state}
        command = [sys.executable, "-c", _WRITER.format(number=times)]
        writers = [
            subprocess.Popen(
                command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(WRITERS)
        ]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        began = time.perf_counter()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        waited = [float(line) * 1000 for writer in writers for line in writer.communicate()[0].split()]
        seconds = time.perf_counter() - began
    found = spread(waited)
    return Table(
        title="Writers side by side",
        caption=(
            f"{WRITERS} processes, each with {times} appends of one event to one SQLite ledger as fast as they can: "
            f"milliseconds of one append. The bar for the 99th percentile is {FAIR} × the median."
        ),
        head=["appends/s", "median", "p99", "longest", "p99 / median"],
        rows=[
            [
                number(len(waited) / seconds),
                number(found.middle),
                number(found.most),
                number(max(waited)),
                f"{found.most / found.middle:.1f} ×",
            ]
        ],
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
        archive = _cpu(["log", "archive", "--before", "2999-01-01"], state)
        rows.append(["mayfly log archive, all of it", number(archive), ""])
        rows.append(["mayfly trace RUN, archived", number(_cpu(["trace", run], state)), f"{BAR:g}"])
        rows.append(["mayfly log verify, archived", number(_cpu(["log", "verify"], state)), f"{VERIFY_BAR:g}"])
        kept = sum(path.stat().st_size for path in (Path(state) / "archive").iterdir())
    return Table(
        title="A large ledger",
        caption=(
            f"Processor seconds of a command, start included, on a SQLite ledger of {count:,} events "
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
    return float(done.stdout)
