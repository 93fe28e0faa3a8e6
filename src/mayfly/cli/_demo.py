"""`mayfly demo`: real jobs through the sandbox, friendly and hostile, with what stopped each."""

import os
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from mayfly.cli._output import AsJson, answer_json, one_line, to_json
from mayfly.cli._record import ran, record
from mayfly.cli._screen import Screen
from mayfly.core import MachineError, SandboxSettings, Settings

if TYPE_CHECKING:
    from mayfly.sandbox import Result, Sandbox
    from mayfly.store import Payload

HERE = Path(__file__).parent / "demo"
CALLS = 1000
MIB = 1024 * 1024
INVOICES = [
    {"customer": "Ada", "lines": [[2, 1250], [1, 399]]},
    {"customer": "Grace", "lines": [[10, 75]]},
    {"customer": "Ada", "lines": [[1, 9900]]},
]


class Job(NamedTuple):
    """One program of the demo: what it does, and how it is called."""

    title: str
    file: str
    entry: str
    argument: object
    hostile: bool = False
    timeout: float = 10.0


class Shown(NamedTuple):
    """What one job came to."""

    title: str
    hostile: bool
    status: str
    well: bool
    milliseconds: float
    level: str
    detail: str


class Bait(NamedTuple):
    """What the hostile jobs are after."""

    secret: str
    file: Path
    port: int


def demo(*, as_json: AsJson = False) -> None:
    """Run real jobs through the sandbox, friendly and hostile ones, and say what stopped each."""
    from mayfly.sandbox import Sandbox

    settings = Settings.load()
    screen = None if as_json else Screen()
    events: list[Payload] = []
    with _bait() as bait, Sandbox(settings.sandbox) as box:
        shown = [_run(box, job, bait, events, settings.sandbox, screen) for job in _jobs(bait)]
        mean = _repeat(box, screen)
    level = shown[-1].level
    if screen is None:
        jobs = [row._asdict() for row in shown]
        answer_json({"level": level, "jobs": jobs, "pinned": {"calls": CALLS, "mean_microseconds": round(mean, 1)}})
    else:
        _close(screen, shown, level)
    record(settings, events, subject="demo")
    if not all(row.well for row in shown):
        raise typer.Exit(1)


def _jobs(bait: Bait) -> tuple[Job, ...]:
    lines = (HERE / "access.log").read_text(encoding="utf-8").splitlines()
    return (
        Job(f"count status codes in {len(lines)} log lines", "count_statuses.py", "count", lines),
        Job("total invoices with dataclasses", "total_invoices.py", "total", INVOICES),
        Job("read a secret file and the environment", "steal_secret.py", "steal", str(bait.file), hostile=True),
        Job(
            "open a connection and call home",
            "open_socket.py",
            "call",
            [["127.0.0.1", bait.port], ["192.0.2.1", 443]],
            True,
        ),
        Job("start processes without end", "fork_bomb.py", "multiply", 200, hostile=True),
        Job("loop for ever, ignoring signals", "loop_forever.py", "loop", None, hostile=True, timeout=1.0),
        Job("fill 2 GiB of memory", "eat_memory.py", "eat", 2048, hostile=True),
    )


@contextmanager
def _bait() -> Iterator[Bait]:
    """Lay out a secret in a file and in our environment, and listen on a port: all three within a job's old reach."""
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as directory, socket.create_server(("127.0.0.1", 0)) as server:
        file = Path(directory) / "token"
        file.write_text(secret, encoding="utf-8")
        os.environ["MAYFLY_DEMO_TOKEN"] = secret
        try:
            yield Bait(secret, file, server.getsockname()[1])
        finally:
            del os.environ["MAYFLY_DEMO_TOKEN"]


def _run(
    box: "Sandbox", job: Job, bait: Bait, events: list["Payload"], settings: SandboxSettings, screen: Screen | None
) -> Shown:
    if screen is not None:
        _announce(screen, job)
    source = (HERE / job.file).read_bytes()
    result = box.run(source, job.entry, job.argument, timeout=job.timeout)
    if result.status == "refused":
        if screen is not None:
            screen.line()
        raise MachineError(one_line(result.error or "no wall works here"), fix="see: mayfly doctor")
    events.append(ran(result, source))
    well, detail = _judge(job, result, bait, settings)
    shown = Shown(job.title, job.hostile, result.status, well, round(result.milliseconds, 3), result.level, detail)
    if screen is not None:
        _show(screen, shown)
    return shown


def _judge(job: Job, result: "Result", bait: Bait, settings: SandboxSettings) -> tuple[bool, str]:
    """Say whether a friendly job worked, or what stopped a hostile one."""
    if not job.hostile:
        return result.status == "ok", to_json(result.value) if result.status == "ok" else one_line(result.error or "")
    if result.status == "timeout":
        return True, f"killed at its deadline of {job.timeout:g} s"
    if result.status == "memory":
        return True, f"stopped at {settings.memory // MIB} MiB"
    if result.status != "ok" or not isinstance(result.value, dict):
        return result.status != "ok", one_line(result.error or f"it came back with {result.value!r}")
    found = result.value["found"]
    escaped = bool(found) if job.file != "steal_secret.py" else bait.secret in str(found)
    return not escaped, one_line(str(result.value["stopped"] if not escaped else f"it got out: {found}"))


def _announce(screen: Screen, job: Job) -> None:
    if job.file == "count_statuses.py":
        screen.line(("Mayfly runs Python that nobody has read, behind a wall made by the kernel", "title"))
        screen.title("friendly programs")
    elif job.file == "steal_secret.py":
        screen.title("hostile programs")
    screen.line(("  " + job.title.ljust(41), ""), end="")


def _show(screen: Screen, shown: Shown) -> None:
    good, bad = ("contained", "ESCAPED") if shown.hostile else ("ok", "FAILED")
    word = good if shown.well else bad
    style = "good" if shown.well else "bad"
    took = f"{shown.milliseconds:8.1f} ms  "
    screen.line((word.ljust(9), style), (took, "dim"), (shown.detail, "" if not shown.hostile else "dim"))


def _repeat(box: "Sandbox", screen: Screen | None) -> float:
    """Call one small tool again and again in a worker that is kept for it; return the mean in microseconds."""
    source = (HERE / "parse_line.py").read_bytes()
    line = (HERE / "access.log").read_text(encoding="utf-8").partition("\n")[0]
    if screen is not None:
        screen.title("the same program again and again, in a worker kept for it")
        screen.line(("  " + f"parse one line, {CALLS:,} times".ljust(41), ""), end="")
    box.run(source, "parse", line, lane="pinned")
    began = time.perf_counter()
    wrong = sum(box.run(source, "parse", line, lane="pinned").status != "ok" for _ in range(CALLS))
    mean = (time.perf_counter() - began) / CALLS * 1e6
    if screen is not None:
        word = ("ok".ljust(9), "good") if not wrong else (f"{wrong} FAILED".ljust(9), "bad")
        screen.line(word, (f"{mean / 1000:8.2f} ms  ", "dim"), (f"each on average: {mean:.0f} µs", ""))
    return mean


def _close(screen: Screen, shown: list[Shown], level: str) -> None:
    hostile = [row for row in shown if row.hostile]
    held = sum(row.well for row in hostile)
    screen.line()
    style = "good" if all(row.well for row in shown) else "bad"
    screen.line((f"{held} of {len(hostile)} hostile programs contained at level {level}", style))
    screen.commands(
        [
            ("doctor", "which layers the wall has here"),
            ("doctor --attack", "fire the published escapes at it"),
            ("sandbox exec FILE.py --entry NAME --input JSON", "run a program of your own"),
        ]
    )
