"""What a user waits for before anything happens: the command, the import, the first job."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from bench import _contenders as c
from bench._table import Spread, Table, number, spread
from mayfly.sandbox import Sandbox

_HEAVY = ("sqlite3", "psycopg", "openai", "anthropic", "litellm", "torch", "transformers")
_BARE = "python -c pass"
_HELP = "mayfly --help"
_IMPORT = "import mayfly"
_COMMANDS = {
    _BARE: [sys.executable, "-c", "pass"],
    _HELP: [str(Path(sys.executable).parent / "mayfly"), "--help"],
    _IMPORT: [sys.executable, "-c", "import mayfly"],
}


def measure(*, quick: bool) -> list[Table]:
    """Return one table of times and one of bars."""
    times = _commands(rounds=5 if quick else 20)
    for level in ("namespaces", "landlock"):
        times[f"first job of a cold Sandbox, {level}"] = spread([_first_job(level) for _ in range(3 if quick else 10)])
    return [_time_table(times), _bar_table(times)]


def _commands(*, rounds: int) -> dict[str, Spread]:
    samples: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for round_ in range(rounds + 1):
        for name, command in _COMMANDS.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env={**os.environ, "COLUMNS": "100"})
            if round_:
                samples[name].append((time.perf_counter() - started) * 1000)
    return {name: spread(sample) for name, sample in samples.items()}


def _first_job(level: str) -> float:
    started = time.perf_counter()
    with Sandbox(level=level) as box:
        c.sandboxed(box, "one-shot")
        return (time.perf_counter() - started) * 1000


def _pulled_in() -> list[str]:
    listing = "import mayfly, sys; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", listing], check=True, capture_output=True, text=True)
    return [name for name in _HEAVY if name in ended.stdout.split()]


def _time_table(times: dict[str, Spread]) -> Table:
    bare = times[_BARE]
    rows = [
        [
            name,
            *[number(value) for value in taken],
            f"{number(taken.least / bare.least)} / {number(taken.middle / bare.middle)}",
        ]
        for name, taken in times.items()
    ]
    return Table(
        title="Start",
        caption="Milliseconds, the commands interleaved. Ratios are minimum / p50.",
        head=["what", "min", "p50", "p99", "× python -c pass"],
        rows=rows,
    )


def _bar_table(times: dict[str, Spread]) -> Table:
    ratio = times[_HELP].least / times[_BARE].least
    heavy = _pulled_in()
    rows = [
        ["mayfly --help ≤ 8 × python -c pass (minima)", f"{number(ratio)} ×", "yes" if ratio <= 8 else "no"],
        ["import mayfly without a model or database library", ", ".join(heavy) or "none", "no" if heavy else "yes"],
    ]
    return Table(title="Bars of the start", caption="From this run.", head=["bar", "measured", "met?"], rows=rows)
