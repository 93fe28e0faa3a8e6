"""Hostile programs for the demo: what each is after, and how it is told whether it got there."""

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import MachineError, SandboxSettings, one_line

if TYPE_CHECKING:
    from mayfly.sandbox import Result, Sandbox

HERE = Path(__file__).parent / "demo"
MIB = 1024 * 1024


class Job(NamedTuple):
    """One hostile program: what it does, and how it is called."""

    title: str
    file: str
    entry: str
    argument: object
    timeout: float = 10.0


class Shown(NamedTuple):
    """What one job came to."""

    title: str
    status: str
    contained: bool
    milliseconds: float
    level: str
    detail: str


class Bait(NamedTuple):
    """What the hostile jobs are after."""

    secret: str
    file: Path
    port: int


def jobs(bait: Bait) -> tuple[Job, ...]:
    """Return the programs, after what *bait* lays out."""
    hosts = [["127.0.0.1", bait.port], ["192.0.2.1", 443]]
    return (
        Job("read a secret file and the environment", "steal_secret.py", "steal", str(bait.file)),
        Job("open a connection and call home", "open_socket.py", "call", hosts),
        Job("start processes without end", "fork_bomb.py", "multiply", 200),
        Job("loop for ever, ignoring signals", "loop_forever.py", "loop", None, timeout=1.0),
        Job("fill 2 GiB of memory", "eat_memory.py", "eat", 2048),
    )


@contextmanager
def laid_out() -> Iterator[Bait]:
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


def let_loose(box: "Sandbox", job: Job, bait: Bait, settings: SandboxSettings) -> tuple[Shown, "Result"]:
    """Run one hostile program and say whether it was contained."""
    result = box.run((HERE / job.file).read_bytes(), job.entry, job.argument, timeout=job.timeout)
    if result.status == "refused":
        raise MachineError(one_line(result.error or "no wall works here"), fix="see: mayfly doctor")
    contained, detail = judge(job, result, bait, settings)
    return Shown(job.title, result.status, contained, round(result.milliseconds, 3), result.level, detail), result


def judge(job: Job, result: "Result", bait: Bait, settings: SandboxSettings) -> tuple[bool, str]:
    """Say whether a hostile job was contained, and what stopped it."""
    if result.status == "timeout":
        return True, f"killed at its deadline of {job.timeout:g} s"
    if result.status == "memory":
        return True, f"stopped at {settings.memory // MIB} MiB"
    if result.status != "ok" or not isinstance(result.value, dict):
        return result.status != "ok", one_line(result.error or f"it came back with {result.value!r}")
    found = result.value["found"]
    escaped = bool(found) if job.file != "steal_secret.py" else bait.secret in str(found)
    return not escaped, one_line(str(result.value["stopped"] if not escaped else f"it got out: {found}"))
