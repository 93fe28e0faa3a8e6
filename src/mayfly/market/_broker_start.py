"""Start the broker process, and end it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from mayfly.core import ConflictError, InputError, MachineError, MayflyError
from mayfly.market._broker_wire import connect

if TYPE_CHECKING:
    from mayfly.core import Settings

# Isolated from the environment and the user's own site: what it imports is what this process would import.
_CODE: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from mayfly.market._broker import main; main()"
# Decrypting a keystore takes a second, importing what signs two more; a busy machine many times that.
_LONGEST_START: Final = 120.0
# Seconds a broker has to end by itself; what it is paying is written down, and looked after when it is opened again.
_LONGEST_END: Final = 5.0
_ERRORS: Final = {one.code: one for one in (InputError, ConflictError, MachineError)}


class BrokerProcess:
    """A broker that was started here: as a context manager it ends with the body, unless it lasts."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, pid: int) -> None:
        self._process = process
        self.address = address
        self.pid = pid

    def leave(self) -> None:
        """Let go of the pipes; a lasting broker goes on, and its starter is gone already."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End it, if it is a process of this one; a lasting one is ended by `close_broker`."""
        self.leave()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_broker(settings: Settings, password: str, *, lasting: bool = False) -> BrokerProcess:
    """Start a broker and wait until it answers; a *lasting* one stays when this process ends."""
    # An environment of its own, with nothing in it: what it needs is told over the pipe, and is in no /proc file.
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _CODE, json.dumps([path for path in sys.path if path])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told = {one.variable: str(one.value) for one in settings.show() if one.value != one.default}
    told["MAYFLY_STATE_DIR"] = str(settings.state.absolute())
    try:
        with contextlib.suppress(BrokenPipeError):
            line = json.dumps({"settings": told, "password": password, "lasting": lasting})
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], _LONGEST_START)
        said = json.loads(process.stdout.readline() or b"{}") if ready else {}
    except BaseException:
        process.kill()
        process.wait()
        raise
    if not said.get("ok"):
        BrokerProcess(process, "", process.pid).close()
        kind = _ERRORS.get(str(said.get("code")), MayflyError)
        raise kind(said.get("message") or "the broker did not start", fix=said.get("fix"))
    started = BrokerProcess(process, str(said["address"]), int(said["pid"]))
    if lasting:
        started.leave()
        process.wait()
    return started


def close_broker(settings: Settings) -> int:
    """End the broker of a state directory, whoever started it, wait for its end and return its process id."""
    lines, peer = connect(settings, timeout=5.0)
    process = os.pidfd_open(peer.pid)
    try:
        lines.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, number)
            if select.select([process], [], [], _LONGEST_END)[0]:
                break
    finally:
        os.close(process)
    return peer.pid
