"""Every way to run the job that is compared, each a context manager that yields a function to call.

A peer is set up as its documents advise, outside the timed call; what belongs to each job is inside it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from mayfly.sandbox import Sandbox

HERE = Path(__file__).parent / "job"
ENTRY = "count_statuses"
SOURCE = (HERE / "count_statuses.txt").read_text(encoding="utf-8")
LINES = (HERE / "access.log").read_text(encoding="utf-8").splitlines()
CALL = f"{ENTRY}(lines)"
PYTHON = getattr(sys, "_base_executable", "") or sys.executable

Lane = Literal["one-shot", "pinned"]
Call = Callable[[], object]
Contender = Callable[[], AbstractContextManager[Call]]


def compile_and_call() -> object:
    """Do the job in this process from its source: the reference."""
    namespace: dict[str, object] = {}
    exec(compile(SOURCE, "<job>", "exec"), namespace)
    return namespace[ENTRY](LINES)  # type: ignore[operator]


@contextmanager
def in_process_call() -> Iterator[Call]:
    """Call a function that is already there."""
    namespace: dict[str, Callable[[object], object]] = {}
    exec(compile(SOURCE, "<job>", "exec"), namespace)
    entry = namespace[ENTRY]
    yield lambda: entry(LINES)


@contextmanager
def in_process() -> Iterator[Call]:
    """Compile and call."""
    yield compile_and_call


def mayfly(level: str, lane: Lane) -> Contender:
    """Return the sandbox at *level*, in *lane*."""

    @contextmanager
    def contender() -> Iterator[Call]:
        with Sandbox(level=level) as box:
            yield lambda: sandboxed(box, lane)

    return contender


def sandboxed(box: Sandbox, lane: Lane, tenant: str = "") -> object:
    """Run the job in *box*; an answer that is none is an error here."""
    result = box.run(SOURCE, ENTRY, LINES, lane=lane, tenant=tenant)
    if not result.ok:
        raise RuntimeError(f"{result.status}: {result.error}")
    return result.value


@contextmanager
def plain_fork() -> Iterator[Call]:
    """Fork from a small process for each job, with no wall at all."""
    ours, theirs = socket.socketpair()
    frame = json.dumps({"source": SOURCE, "entry": ENTRY, "argument": LINES}).encode()
    command = [PYTHON, "-I", "-S", str(HERE / "plain_fork.py")]
    process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=theirs.fileno(), env={})
    theirs.close()
    length = struct.Struct("=I")

    def call() -> object:
        ours.sendall(length.pack(len(frame)) + frame)
        size = length.unpack(ours.recv(length.size, socket.MSG_WAITALL))[0]
        return json.loads(ours.recv(size, socket.MSG_WAITALL))

    try:
        yield call
    finally:
        ours.close()
        process.wait(5)


@contextmanager
def subprocess_python() -> Iterator[Call]:
    """Start an interpreter for each job."""
    yield lambda: _start([PYTHON, "-I", "-S", str(HERE / "once.py")])


@contextmanager
def bubblewrap() -> Iterator[Call]:
    """Start an interpreter for each job behind bwrap."""
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bwrap is not installed")
    python = Path(PYTHON).resolve()
    wanted = [Path("/usr"), Path("/lib"), Path("/lib64"), python.parent.parent, HERE]
    binds = [part for path in wanted if path.exists() for part in ("--ro-bind", str(path), str(path))]
    wall = [program, "--unshare-all", "--die-with-parent", "--clearenv", *binds, "--proc", "/proc", "--dev", "/dev"]
    yield lambda: _start([*wall, str(python), "-I", "-S", str(HERE / "once.py")])


def _start(command: list[str]) -> object:
    job = json.dumps({"source": SOURCE, "entry": ENTRY, "argument": LINES}).encode()
    ended = subprocess.run(command, input=job, capture_output=True, env={}, check=False)
    if ended.returncode:
        raise RuntimeError((ended.stderr.decode().strip() or f"exit status {ended.returncode}").splitlines()[-1])
    return json.loads(ended.stdout)


@contextmanager
def monty_kept() -> Iterator[Call]:
    """Call a function that was fed to a session once."""
    monty = import_module("pydantic_monty")
    with monty.Monty() as pool, pool.checkout() as session:
        session.feed_run(SOURCE)
        yield lambda: session.feed_run(CALL, inputs={"lines": LINES})


@contextmanager
def monty_fed() -> Iterator[Call]:
    """Feed the whole source to the same session for each job."""
    monty = import_module("pydantic_monty")
    with monty.Monty() as pool, pool.checkout() as session:
        yield lambda: session.feed_run(SOURCE + CALL, inputs={"lines": LINES})


def monty_session() -> AbstractContextManager[Call]:
    """Open a new session for each job; the process behind it has served others."""
    return _monty_fresh(None)


def monty_process() -> AbstractContextManager[Call]:
    """Open a new session in a new process for each job: as far apart as it can keep them."""
    return _monty_fresh(1)


@contextmanager
def _monty_fresh(checkouts: int | None) -> Iterator[Call]:
    monty = import_module("pydantic_monty")
    cores = len(os.sched_getaffinity(0))
    # Measured: waiting workers for twice the callers are the best it can have on this machine.
    with monty.Monty(min_processes=cores, max_processes=2 * cores, max_checkouts_per_worker=checkouts) as pool:

        def call() -> object:
            with pool.checkout() as session:
                return session.feed_run(SOURCE + CALL, inputs={"lines": LINES})

        yield call


@contextmanager
def smolagents() -> Iterator[Call]:
    """Interpret the source in this process with a new executor's state for each job."""
    peer = import_module("smolagents.local_python_executor")

    def call() -> object:
        executor = peer.LocalPythonExecutor([])
        executor.send_tools({})
        executor.send_variables({"lines": LINES})
        answer: object = executor(SOURCE + CALL).output
        return answer

    yield call


@contextmanager
def restricted_python() -> Iterator[Call]:
    """Compile with RestrictedPython and call in this process."""
    peer = import_module("RestrictedPython")
    evaluation, guarding = import_module("RestrictedPython.Eval"), import_module("RestrictedPython.Guards")

    guards = {
        "_getattr_": guarding.safer_getattr,
        "_getitem_": evaluation.default_guarded_getitem,
        "_getiter_": evaluation.default_guarded_getiter,
        "_iter_unpack_sequence_": guarding.guarded_iter_unpack_sequence,
        "_unpack_sequence_": guarding.guarded_unpack_sequence,
        "_write_": lambda target: target,
    }

    def call() -> object:
        namespace: dict[str, Any] = {**peer.safe_globals, **guards}
        exec(peer.compile_restricted(SOURCE, "<job>", "exec"), namespace)
        answer: object = namespace[ENTRY](LINES)
        return answer

    yield call


REFERENCE = "in-process, compile and call"
PINNED = "mayfly pinned"
ONE_SHOT = "mayfly one-shot"
KEPT = "Monty reused, function kept"
FED = "Monty reused, source fed again"
SESSION = "Monty fresh session"
PROCESS = "Monty fresh process"
SMOLAGENTS = "smolagents local executor"
SUBPROCESS = "subprocess python -I -S"

CONTENDERS: dict[str, Contender] = {
    "in-process, call only": in_process_call,
    REFERENCE: in_process,
    PINNED: mayfly("namespaces", "pinned"),
    ONE_SHOT: mayfly("namespaces", "one-shot"),
    "mayfly one-shot, level landlock": mayfly("landlock", "one-shot"),
    "fork from a zygote, no wall": plain_fork,
    KEPT: monty_kept,
    FED: monty_fed,
    SESSION: monty_session,
    PROCESS: monty_process,
    SMOLAGENTS: smolagents,
    "RestrictedPython": restricted_python,
    SUBPROCESS: subprocess_python,
    "bwrap python -I -S": bubblewrap,
}
