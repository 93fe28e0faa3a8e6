"""The host's end of the type server: start it, ask it, notice that it is gone."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mayfly.core import missing_program
from mayfly.gates.types.typeserver import _wire

MIB = 1024 * 1024
Status = Literal["checked", "strange", "timeout", "crash"]
_FAR_SIDE = str(Path(__file__).parent / "typeserver")
# All that it is told of the world: where programs are, and that text is UTF-8.
_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": "/"}
_PATIENCE = 2.0
_GRACE = 5.0


@dataclass(frozen=True, kw_only=True)
class TypeOptions:
    """Hold the limits of the types gate."""

    seconds: float = 20.0
    start_seconds: float = 60.0
    memory: int = 400 * MIB
    checks: int = 10_000
    spares: int = 2
    source: int = MIB


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Say what came of one check."""

    status: Status
    messages: tuple[dict[str, Any], ...] = ()
    memory: int = 0


class ServerGone(Exception):
    """The server did not start, died, or does not answer; the message says what is known."""


class ServerSlow(ServerGone):
    """It lives, as far as can be seen, but did not answer in time."""


class _Process:
    """A far-side process in a session of its own, with one pipe in and one out."""

    def __init__(self, role: str, config: dict[str, Any]) -> None:
        found = importlib.util.find_spec("mypy")
        places = found.submodule_search_locations if found else None
        if not places:
            raise ServerGone(str(missing_program("mypy", "it checks the types of what is written")))
        self._errors = os.memfd_create("errors")
        command = [sys.executable, "-I", "-X", "utf8", _FAR_SIDE, str(Path(places[0]).parent), role]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._errors)
            raise ServerGone(str(error)) from None
        self.closed = False
        self.send(config, time.monotonic() + _GRACE)

    @property
    def pid(self) -> int:
        """The process id of the far side."""
        return self._process.pid

    def send(self, message: dict[str, Any], deadline: float) -> None:
        assert self._process.stdin is not None
        try:
            _wire.send(self._process.stdin.fileno(), message, deadline=deadline)
        except (_wire.Closed, TimeoutError):
            raise self._gone("hung up") from None

    def receive(self, deadline: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            return _wire.receive(self._process.stdout.fileno(), deadline=deadline)
        except _wire.Closed:
            raise self._gone("died") from None
        except TimeoutError:
            self.close()
            raise ServerSlow("mypy does not answer") from None

    def _gone(self, how: str) -> ServerGone:
        said = os.pread(self._errors, 1 << 16, 0).decode("utf-8", "replace").strip()
        self.close()
        return ServerGone(f"mypy {how}{': ' + said.splitlines()[-1][:300] if said else ''}")

    def close(self) -> None:
        """End the process and everything it started."""
        if self.closed:
            return
        self._let_go()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def abandon(self) -> None:
        """Let go of inherited pipes in a forked child; the process belongs to the parent."""
        if not self.closed:
            self._let_go()
            self._process.returncode = 0

    def _let_go(self) -> None:
        self.closed = True
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        os.close(self._errors)


class TypeServer(_Process):
    """One server process; it is being started when this returns, and waits for nobody else."""

    def __init__(self, options: TypeOptions, cache: Path | None, *, more: bool) -> None:
        self._options = options
        self._ready = False
        self._started = time.monotonic()
        self.checks = 0
        # Without a cache to keep, one is made for the time of loading; whoever of us lives longer removes it.
        self._scratch = None if cache else tempfile.mkdtemp(prefix="mayfly-types-")
        config = _config(options, cache, packages=False) | {"more": more, "scratch": self._scratch}
        super().__init__("serve", config)

    def close(self) -> None:
        """End the server, and remove what it may have left."""
        super().close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    @property
    def is_ready(self) -> bool:
        """Whether it has said that it has loaded everything."""
        return self._ready

    def wait(self) -> None:
        """Wait until it has loaded everything."""
        if not self._ready:
            self.receive(self._started + self._options.start_seconds)
            self._ready = True

    def check(self, source: str) -> Answer:
        """Have one program checked; anything but an answer in time is `ServerGone`."""
        self.wait()
        self.checks += 1
        deadline = time.monotonic() + self._options.seconds + _GRACE
        try:
            self.send({"source": source, "seconds": self._options.seconds}, deadline)
            return _answer(self.receive(deadline))
        except BaseException:  # an answer that nobody waited for would be taken for the next one
            self.close()
            raise


def check_cold(
    source: str, options: TypeOptions, cache: Path | None, *, packages: bool, beside: Sequence[str] = ()
) -> Answer:
    """Check one program in a process of its own, with nothing loaded: slower, and in need of no server.

    Packages are also looked for in the directories *beside* those of this environment.
    """
    config = _config(options, cache, packages=packages) | {"more": False, "source": source, "beside": list(beside)}
    process = _Process("once", config)
    try:
        return _answer(process.receive(time.monotonic() + options.seconds))
    finally:
        process.close()


def _config(options: TypeOptions, cache: Path | None, *, packages: bool) -> dict[str, Any]:
    limits = {"memory": options.memory, "seconds": options.seconds, "spares": options.spares}
    return limits | {"cache": str(cache.absolute()) if cache else None, "packages": packages}


def _answer(frame: dict[str, Any]) -> Answer:
    return Answer(status=frame["status"], messages=tuple(frame.get("messages", ())), memory=int(frame.get("memory", 0)))
