"""How long it takes to admit a program: Mayfly's gates warm, against what people type: mypy and pytest, cold."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench._table import Spread, Table, number, spread
from mayfly.core import Artifact, Settings
from mayfly.gates import Admission, Gates, Profile, Prover, Suite, Test
from mayfly.runtime import Runtime

AGENT = Path(__file__).parent / "agent"
PAUSE = 0.3
COLD = "cold mypy --strict, then cold pytest"
PLAIN = "mayfly, every gate, the tests"
ODD = "mayfly, also properties and odd inputs"
FULL = "mayfly, also all mutants"
TASK = {
    "intent": "initials",
    "examples": [
        {"input": "Ada Lovelace", "output": "A.L."},
        {"input": "Alan Turing", "output": "A.T."},
        {"input": "Grace Hopper", "output": "G.H."},
        {"input": "Edsger Dijkstra", "output": "E.D."},
    ],
    "input": "Barbara Liskov",
}


def lines(*statuses: int) -> list[str]:
    """Return log lines with these statuses, as varied as the real ones."""
    users, sizes = ("-", "alice"), ("-", "512", "0")
    return [
        f'192.0.2.{n} - {users[n % 2]} [01/Jan/2025:12:00:0{n % 10} +0000] "GET /p{n} HTTP/1.1" {status} {sizes[n % 3]}'
        for n, status in enumerate(statuses)
    ]


def expected(given: list[str]) -> list[dict[str, object]]:
    """Return the answer without a regular expression."""
    rows: list[dict[str, object]] = []
    for line in given:
        before, _, rest = line.partition('"')
        request, _, after = rest.rpartition('" ')
        if not request:
            continue
        status, size = after.split()
        words = before.split()
        if 400 <= int(status) < 500:
            rows.append(
                {
                    "ip": words[0],
                    "user": None if words[2] == "-" else words[2],
                    "time": before.partition("[")[2].partition("]")[0],
                    "request": request,
                    "status": int(status),
                    "size": None if size == "-" else int(size),
                }
            )
    return rows


INPUTS = [
    [],
    lines(404),
    lines(399, 400, 499, 500),
    lines(200, 404, 403, 301, 410, 500),
    [*lines(404), "this is no log line"],
    lines(*range(395, 405)),
]
CASES = [{"input": given, "output": expected(given)} for given in INPUTS]


def measure(*, quick: bool) -> list[Table]:
    """Return the table of admissions, the table of cached runs and the bars."""
    rounds = 2 if quick else 5
    repeats = 5 if quick else 20
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as state:
        settings = Settings(state_dir=state)
        with Runtime(settings) as runtime:
            ways = _ways(runtime)
            samples: dict[str, list[float]] = {name: [] for name in (COLD, *ways)}
            for _ in range(rounds):
                samples[COLD].append(_cold())
                for _ in range(repeats):
                    for name, way in ways.items():
                        samples[name].append(_time(way))
            cached = _cached(runtime, 50 if quick else 300)
    spreads = {name: spread(sample) for name, sample in samples.items()}
    return [_admissions(spreads), _cached_table(cached), _bars(spreads, cached)]


def _ways(runtime: Runtime) -> dict[str, Callable[[], Admission]]:
    parts = runtime.parts
    prover = parts.prover
    odd = Prover(parts.sandbox, replace(prover.options, mutants=0))
    plain = Prover(parts.sandbox, replace(odd.options, inputs=0))
    suite = Suite(
        tests=tuple(
            Test(name=f"case {n}", kind="example", input=c["input"], expected=c["output"]) for n, c in enumerate(CASES)
        )
    )
    artifact = Artifact(kind="agent", source=(AGENT / "access_errors.py").read_text(), author="bench")
    made = {PLAIN: plain, ODD: odd, FULL: prover}
    return {name: _way(runtime, chosen, artifact, suite) for name, chosen in made.items()}


def _way(runtime: Runtime, prover: Prover, artifact: Artifact, suite: Suite) -> Callable[[], Admission]:
    number_ = iter(range(1_000_000))

    def admit() -> Admission:
        # A new comment each time: nothing that remembers sources may answer from memory.
        from mayfly.gates import Judge

        gates = Gates(judge=Judge(runtime.parts.criteria), types=runtime.parts.types, prover=prover)
        fresh = replace(artifact, source=f"{artifact.source}\n# {next(number_)}\n")
        admission = gates.admit(fresh, profile=Profile(), suite=suite)
        if admission.decision != "accept" or admission.proof is None:
            raise SystemExit(f"the benchmark's own agent was refused: {admission.verdicts}")
        return admission

    for _ in range(3):
        admit()
    return admit


def _time(work: Callable[[], object]) -> float:
    time.sleep(PAUSE)
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _cold() -> float:
    """Do what a person does: type check and test in a fresh directory without caches."""
    with _fresh() as folder:
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MYPY_CACHE_DIR": str(folder / "cache")}
        started = time.perf_counter()
        for command in (["mypy", "--strict", "access_errors.py"], ["pytest", "-q", "-p", "no:cacheprovider", "."]):
            subprocess.run([sys.executable, "-m", *command], cwd=folder, env=env, check=True, capture_output=True)
        return (time.perf_counter() - started) * 1000


@contextmanager
def _fresh() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mayfly-bench-") as name:
        folder = Path(name)
        shutil.copy(AGENT / "access_errors.py", folder)
        # Not named like a test here, so that no other run of pytest collects it.
        shutil.copy(AGENT / "test_access_errors.txt", folder / "test_access_errors.py")
        (folder / "cases.json").write_text(json.dumps(CASES))
        yield folder


def _cached(runtime: Runtime, rounds: int) -> Spread:
    first = runtime.run(**TASK)  # type: ignore[arg-type]
    if not first.resolved:
        raise SystemExit(f"the benchmark's own task did not resolve: {first.reason}")
    samples = []
    for _ in range(rounds):
        started = time.perf_counter()
        outcome = runtime.run(**TASK)  # type: ignore[arg-type]
        samples.append((time.perf_counter() - started) * 1000)
        if not outcome.cached or outcome.cost.model_calls:
            raise SystemExit("a known agent was not found again")
    return spread(samples)


def _admissions(spreads: dict[str, Spread]) -> Table:
    cold = spreads[COLD]
    rows = [
        [
            name,
            *(number(value) for value in found),
            f"{cold.least / found.least:.0f} / {cold.middle / found.middle:.0f}",
        ]
        for name, found in spreads.items()
    ]
    caption = (
        "Milliseconds to admit a parser of 45 lines with six tests: syntax, stability, judge with ruff, mypy --strict "
        "and the proof in the sandbox: first the tests alone (in two processes, compared), then also properties "
        "and the adversarial run, then also 24 mutants. Interleaved, each 0.3 s after the one before; the "
        "source differs each time, so nothing is answered from a cache. The last column is how many times faster than "
        "the first row, minimum / p50."
    )
    return Table(
        title="Admitting a program", caption=caption, head=("what", "min", "p50", "p99", "× faster"), rows=rows
    )


def _cached_table(cached: Spread) -> Table:
    caption = (
        "Milliseconds inside the runtime for a task whose agent is known: look-up, checks on load, execution in the "
        "sandbox, and the record in the ledger, which is on disk when the call returns."
    )
    rows = [["mayfly run, cached", *(number(value) for value in cached)]]
    return Table(title="A known agent", caption=caption, head=("what", "min", "p50", "p99"), rows=rows)


def _bars(spreads: dict[str, Spread], cached: Spread) -> Table:
    cold = spreads[COLD]
    plain, odd, full = (cold.middle / spreads[name].middle for name in (PLAIN, ODD, FULL))
    rows = [
        ["warm compile without mutants, × faster", "≥ 100", f"{plain:.0f}", _met(plain >= 100)],
        ["the same with properties and odd inputs", "", f"{odd:.0f}", ""],
        ["warm compile with all mutants, × faster", "≥ 20", f"{full:.0f}", _met(full >= 20)],
        ["cached run, p50", "≤ 5 ms", f"{number(cached.middle)} ms", _met(cached.middle <= 5)],
    ]
    return Table(title="Bars", caption="By the medians above.", head=("what", "bar", "measured", "met"), rows=rows)


def _met(met: bool) -> str:
    return "yes" if met else "no"
