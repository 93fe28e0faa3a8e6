"""What a user waits for before anything happens: the command, the import, the first job; and what a command costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import _contenders as c
from bench._model_server import serving
from bench._table import Spread, Table, number, spread
from mayfly.sandbox import Sandbox

_HEAVY = ("sqlite3", "psycopg", "openai", "anthropic", "litellm", "torch", "transformers")
_BARE = "python -c pass"
_HELP = "mayfly --help"
_IMPORT = "import mayfly"
_KNOWN = "mayfly run, a known agent"
_ROUTE = "mayfly route"
_PERMIT = "mayfly permit"
_NEW = "mayfly run, a new question without a model"
_MAYFLY = [sys.executable, "-m", "mayfly.cli"]
_COMMANDS = {
    _BARE: [sys.executable, "-c", "pass"],
    _HELP: [*_MAYFLY, "--help"],
    _IMPORT: [sys.executable, "-c", "import mayfly"],
}
_LOG = str(Path(__file__).parents[1] / "examples" / "access.log")
_COSTS = {
    _BARE: _COMMANDS[_BARE],
    _HELP: _COMMANDS[_HELP],
    _PERMIT: [*_MAYFLY, "permit", "shell_exec", "pytest -q && git status", "--json"],
    _ROUTE: [*_MAYFLY, "route", "fix the bug in auth.py", "--json"],
    _KNOWN: [*_MAYFLY, "run", "count requests by method", "--input", _LOG, "--json"],
}
_QUESTIONS = ("count requests by status", "count requests by path", "sum of size by status", "top 3 paths")
_COMPATIBLE = "mayfly do, a first answer of a model (OpenAI's wire)"
_ANTHROPIC = "mayfly do, a first answer of a model (Anthropic's wire)"
_ASK = ["do", "say what 2 and 2 make", "--json", "--model"]
_BARS = {_HELP: 12, _KNOWN: 50, _ROUTE: 50, _PERMIT: 50, _NEW: 100, _COMPATIBLE: 150, _ANTHROPIC: 150}


def measure(*, quick: bool) -> list[Table]:
    """Return a table of times, one of processor time, and the bars."""
    times = _commands(rounds=5 if quick else 20)
    for level in ("namespaces", "landlock"):
        times[f"first job of a cold Sandbox, {level}"] = spread([_first_job(level) for _ in range(3 if quick else 10)])
    costs = _costs(rounds=4 if quick else 12)
    return [_time_table(times), _cost_table(costs), _bar_table(costs)]


def _commands(*, rounds: int) -> dict[str, Spread]:
    samples: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for round_ in range(rounds + 1):
        for name, command in _COMMANDS.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=_environ())
            if round_:
                samples[name].append((time.perf_counter() - started) * 1000)
    return {name: spread(sample) for name, sample in samples.items()}


def _costs(*, rounds: int) -> dict[str, Spread]:
    """Measure in a state directory that has been used before; a new question is one that is not remembered."""
    samples: dict[str, list[float]] = {name: [] for name in (*_COSTS, _NEW, _COMPATIBLE, _ANTHROPIC)}
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as state, serving() as model:
        environ = _environ(
            MAYFLY_STATE_DIR=state, MAYFLY_DATABASE_URL="", ANTHROPIC_BASE_URL=model, ANTHROPIC_API_KEY="none"
        )
        costs = {
            **_COSTS,
            _COMPATIBLE: [*_MAYFLY, *_ASK, f"{model}/v1#small"],
            _ANTHROPIC: [*_MAYFLY, *_ASK, "anthropic:claude-sonnet-4-5"],
        }
        for round_ in range(rounds + 1):
            subprocess.run([*_MAYFLY, "cache", "clear"], check=True, capture_output=True, env=environ)
            asked = _QUESTIONS[round_ % len(_QUESTIONS)]
            new = _cpu([*_MAYFLY, "run", asked, "--input", _LOG, "--json"], environ)
            _cpu(_COSTS[_KNOWN], environ)
            found = {**{name: _cpu(command, environ) for name, command in costs.items()}, _NEW: new}
            # The first round fills what is kept from one process to the next.
            for name, milliseconds in found.items() if round_ else ():
                samples[name].append(milliseconds)
    return {name: spread(sample) for name, sample in samples.items()}


def _cpu(command: list[str], environ: dict[str, str]) -> float:
    counter = str(Path(__file__).with_name("_cpu.py"))
    ended = subprocess.run([sys.executable, counter, *command], check=True, capture_output=True, text=True, env=environ)
    return float(json.loads(ended.stdout)["processor"]) * 1000


def _environ(**more: str) -> dict[str, str]:
    # Whoever has switched compiled files off would measure the compiler.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "COLUMNS": "100", **more}


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
    return Table(
        title="Start",
        caption="Milliseconds, the commands interleaved. Ratios are minimum / p50.",
        head=["what", "min", "p50", "p99", "× python -c pass"],
        rows=_rows(times),
        ours=("mayfly", "Sandbox"),
    )


def _cost_table(costs: dict[str, Spread]) -> Table:
    return Table(
        title="Cost from the shell",
        caption=(
            "Milliseconds of processor time, user and system, of a command and all it starts; nothing stays between "
            "two commands but files. The commands interleaved. A real HTTP server plays the model; its own work is "
            "not counted. Ratios are minimum / p50."
        ),
        head=["what", "min", "p50", "p99", "× python -c pass"],
        rows=_rows(costs),
    )


def _rows(found: dict[str, Spread]) -> list[list[str]]:
    bare = found[_BARE]
    return [
        [
            name,
            *[number(value) for value in taken],
            f"{number(taken.least / bare.least)} / {number(taken.middle / bare.middle)}",
        ]
        for name, taken in found.items()
    ]


def _bar_table(costs: dict[str, Spread]) -> Table:
    heavy = _pulled_in()
    rows = []
    for name, bar in _BARS.items():
        ratio = costs[name].middle / costs[_BARE].middle
        told = f"{name} ≤ {bar} × python -c pass (processor time, medians)"
        rows.append([told, f"{number(ratio)} ×", "yes" if ratio <= bar else "no"])
    rows.append(
        ["import mayfly without a model or database library", ", ".join(heavy) or "none", "no" if heavy else "yes"]
    )
    return Table(title="Bars of the start", caption="From this run.", head=["bar", "measured", "met?"], rows=rows)
