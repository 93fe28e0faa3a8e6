"""The host's end of one zygote: start it, ask it for workers, notice when it is gone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
from collections import deque

from mayfly.core import SandboxSettings
from mayfly.sandbox._broker import Broker
from mayfly.sandbox._grants import Grants, certificate_file
from mayfly.sandbox._python import command, end
from mayfly.sandbox._result import Level
from mayfly.sandbox._worker import Worker
from mayfly.sandbox.jail import _wire

_START_SECONDS = 60.0
_SPAWN_SECONDS = 30.0


class ZygoteFailed(Exception):
    """This level cannot be had here; the message says which step failed."""


class ZygoteGone(Exception):
    """The zygote died; a new one has to be started."""


class SpawnFailed(Exception):
    """The zygote lives, but the kernel would not give it another process."""


class Zygote:
    """One jailed process that makes workers for one set of grants."""

    def __init__(self, level: Level, grants: Grants, settings: SandboxSettings, *, ready: int, brief: bool) -> None:
        self.level = level
        self.grants = grants
        # One for a few jobs starts sooner, keeps no workers waiting and has learned nothing about them.
        self.brief = brief
        self.ready = 0 if brief else ready
        self.taken = 0
        self.layers: dict[str, str] = {}
        self.broker: Broker | None = None
        self.leases = 0
        self._lock = threading.Lock()
        self._idle: deque[Worker] = deque()
        self._asked = 0
        self._answers: dict[int, int] = {}
        self._errors = os.memfd_create("errors", os.MFD_CLOEXEC)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                command("zygote", str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env={},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        try:
            self._begin(settings)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: SandboxSettings) -> None:
        config = {
            "level": self.level,
            "brief": self.brief,
            "workspace": self.grants.workspace,
            "write": self.grants.write,
            "packages": list(self.grants.packages),
            "net": bool(self.grants.hosts),
            "certificates": certificate_file() if self.grants.hosts else "",
            **{n: getattr(settings, n) for n in ("memory", "threads", "descriptors", "output", "file_size")},
        }
        self._control.settimeout(_START_SECONDS)
        try:
            self._control.send(json.dumps(config).encode())
            message, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 1)
        except OSError as error:
            raise ZygoteFailed(f"the sandbox did not start: {error}{self._said()}") from None
        if message[:1] != _wire.READY:
            raise ZygoteFailed(message[1:].decode("utf-8", "replace") or f"the sandbox did not start{self._said()}")
        self.layers = json.loads(message[1:])
        if descriptors:
            self.broker = Broker(descriptors[0], self.grants.hosts)
        self.refill()

    def _said(self) -> str:
        text = os.pread(self._errors, 4096, 0).decode("utf-8", "replace").strip()
        return f": {text.splitlines()[-1]}" if text else ""

    @property
    def shares_tasks(self) -> bool:
        """Whether the kernel counts a worker's threads together with all else this user runs."""
        return self.level == "landlock" and os.geteuid() != 0

    def refill(self) -> None:
        """Ask for as many workers as are missing; they are made while we do something else."""
        with self._lock:
            self._collect()
            missing = self.ready - len(self._idle) - self._asked
            for _ in range(missing):
                self._ask()

    def take(self) -> Worker:
        """Return a worker nobody has used."""
        with self._lock:
            if not self._idle:
                self._collect()
            if not self._idle and not self._asked:
                self._ask()
            if not self._idle:
                self._read(_SPAWN_SECONDS)
            self.leases += 1
            self.taken += 1
            return self._idle.popleft()

    def give_back(self, worker: Worker) -> None:
        """End a worker that `take` returned, and have it replaced."""
        worker.close()
        with self._lock:
            self.leases -= 1
        with contextlib.suppress(ZygoteGone, SpawnFailed):  # the next `take` meets the same and says so
            self.refill()

    def how_it_ended(self, worker: Worker) -> int | None:
        """Return the wait status of a worker that hung up, None if it cannot be known."""
        with self._lock:
            try:
                self._control.settimeout(_SPAWN_SECONDS)
                self._control.send(_wire.ASK + worker.number.to_bytes(4, "little"))
                while worker.number not in self._answers:
                    self._read(_SPAWN_SECONDS)
            except (OSError, ZygoteGone):
                return None
            status = self._answers.pop(worker.number)
            return None if status < 0 else status

    def _ask(self) -> None:
        try:
            self._control.settimeout(_SPAWN_SECONDS)
            self._control.send(_wire.SPAWN)
        except OSError:
            raise ZygoteGone from None
        self._asked += 1

    def _collect(self) -> None:
        """Take in what the zygote has sent, without waiting."""
        while self._asked:
            try:
                self._read(0.0)
            except BlockingIOError:
                return

    def _read(self, seconds: float) -> None:
        try:
            self._control.settimeout(seconds)
            message, descriptors, _, _ = socket.recv_fds(self._control, 64, 3)
        except BlockingIOError:
            raise
        except OSError:
            raise ZygoteGone from None
        if not message:
            raise ZygoteGone
        if message[:1] == _wire.ASK:
            _, number, status = _wire.STATUS.unpack(message)
            self._answers[number] = status
            return
        self._asked -= 1
        if message[:1] == _wire.FAILED:
            raise SpawnFailed(message[1:].decode("utf-8", "replace"))
        _, number, _ = _wire.WORKER.unpack(message)
        channel, process, output = descriptors
        self._idle.append(Worker(number, socket.socket(fileno=channel), process, output))

    def close(self) -> None:
        """End the zygote; the kernel ends everything behind it."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self.broker is not None:
            self.broker.close()
        for worker in self._idle:
            worker.close()
        self._idle.clear()
        self._control.close()
        end(self._process)
        with contextlib.suppress(OSError):
            os.close(self._errors)

    def abandon(self) -> None:
        """Let go of inherited descriptors in a forked child, without touching what belongs to the parent."""
        self._process.returncode = 0
        self._control.close()
        if self.broker is not None:
            self.broker.abandon()
        for worker in self._idle:
            worker.abandon()
        self._idle.clear()
        os.close(self._errors)
