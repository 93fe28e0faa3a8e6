"""The host's end of one zygote: start it, ask it for workers, notice when it is gone."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from mayfly.core import SandboxSettings
from mayfly.sandbox import _cgroup, _data
from mayfly.sandbox._broker import Broker
from mayfly.sandbox._grants import Outfit, certificate_file
from mayfly.sandbox._member import Member
from mayfly.sandbox._purchases import Cashier, Till
from mayfly.sandbox._python import end, explain, is_permanent, is_stopped, start
from mayfly.sandbox._result import Level
from mayfly.sandbox._worker import Worker
from mayfly.sandbox._workspace import Usage, Watch
from mayfly.sandbox.jail import _wire

# A start takes a third of a second; on a machine that is busy beyond measure, ten seconds.
_START_SECONDS = 20.0
# A worker takes a millisecond. A zygote that does not answer for so long, or for the job's own timeout where that is
# longer, is taken for one that never will.
_SPAWN_SECONDS = 2.0
_LOOK_SECONDS = 0.25
_GATHER_SECONDS = 0.1
# The newest version of Landlock whose rights we know; what a newer one has besides is not used.
NEWEST_LANDLOCK = 6
_OURSELVES = str(Path(__file__).resolve().parents[1])


class ZygoteFailed(Exception):
    """A zygote did not start; the message says which step failed.

    *permanent* is the kernel's answer that this level cannot be had here. Everything else (no memory, no descriptor, a
    killed or a stopped process) says nothing about the level: the same may work the next moment.
    """

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class ZygoteGone(Exception):
    """The zygote died or does not answer; a new one has to be started."""


class SpawnFailed(Exception):
    """The zygote lives, but there was not the process or the descriptor for another worker."""


class Zygote:
    """One jailed process that makes workers of one outfit."""

    def __init__(
        self,
        level: Level,
        outfit: Outfit,
        settings: SandboxSettings,
        *,
        ready: int,
        brief: bool,
        join_group: Callable[[Member], None] | None = None,
        cashier: Cashier | None = None,
    ) -> None:
        self.level = level
        self.outfit = outfit
        self.grants = grants = outfit.grants
        # One for a few jobs starts sooner, keeps no workers waiting and has learned nothing about them.
        self.brief = brief
        self.ready = 0 if brief else ready
        self.taken = 0
        self.layers: dict[str, str] = {}
        self.broker: Broker | None = None
        self.leases = 0
        budget = Usage(settings.workspace_size, settings.workspace_files)
        self.watch = Watch(str(grants.workspace), budget) if grants.workspace and grants.write else None
        # What its workers may use, before a job asks for less.
        names = ("memory", "threads", "descriptors", "output", "file_size", "nodes")
        self.limits = {name: int(getattr(settings, name)) for name in names}
        if grants.data:
            self.limits |= _data.limits(settings)
        self._lock = threading.Lock()
        self._idle: deque[Worker] = deque()
        self._settings = settings
        self._join_group = join_group
        self._cashier = cashier
        self._asked = 0
        self._groups: _cgroup.Groups | None = None
        self._answers: dict[int, tuple[int, float]] = {}
        self._launched = False
        self._workspace: int | None = None
        self._descriptors = contextlib.ExitStack()
        try:
            self._launch()
            self._begin()
        except OSError as error:
            self.close()
            raise ZygoteFailed(f"the sandbox did not start: {explain(error)}") from None
        except BaseException:
            self.close()
            raise

    def _launch(self) -> None:
        with contextlib.ExitStack() as undo:
            self._errors = os.memfd_create("errors", os.MFD_CLOEXEC)
            undo.callback(os.close, self._errors)
            if self.grants.workspace is not None:
                self._workspace = os.open(self.grants.workspace, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                undo.callback(os.close, self._workspace)
            self._process, self._control = start("zygote", errors=self._errors)
            self._control.setblocking(False)
            self._poll = select.poll()
            self._poll.register(self._control, select.POLLIN)
            self._descriptors = undo.pop_all()
            self._launched = True

    def _begin(self) -> None:
        config = {
            "level": self.level,
            "newest_landlock": NEWEST_LANDLOCK,
            "brief": self.brief,
            "lean": self.outfit.lean,
            "workspace": self.grants.workspace,
            "write": self.grants.write or self.grants.data,
            "packages": list(self.grants.packages),
            "ourselves": [_OURSELVES, *(f"{path}/mayfly" for path in self.grants.packages)],
            "net": self.grants.door,
            "certificates": certificate_file() if self.grants.door else "",
            "data": _data.describe(self._settings) if self.grants.data else None,
            **self.limits,
        }
        try:
            self._control.send(json.dumps(config).encode())
            self._groups = _cgroup.join()
            self._wait(_START_SECONDS)
            message = self._control.recv(1 << 16)
        except ZygoteGone as error:
            raise ZygoteFailed(f"the sandbox did not start: {error}") from None
        except ConnectionError:
            raise self._failure(b"") from None
        if message[:1] != _wire.READY:
            raise self._failure(message)
        self.layers = json.loads(message[1:])
        if self.grants.door:
            self.broker = Broker(self.grants.hosts, self._settings)
        with contextlib.suppress(ZygoteGone, SpawnFailed):  # the first `take` meets the same and says so
            self.refill()

    def _failure(self, message: bytes) -> ZygoteFailed:
        """Tell the kernel's answer that there is no such level from an accident on the way."""
        if message:
            _, number = _wire.FAILURE.unpack_from(message)
            text = message[_wire.FAILURE.size :].decode("utf-8", "replace")
            return ZygoteFailed(text, permanent=number == 0 or is_permanent(number))
        end(self._process)
        code = self._process.returncode
        how = f"it was killed by {signal.Signals(-code).name}" if code < 0 else "its process ended"
        # A policy around us that kills for a system call answers as finally as one that refuses it.
        return ZygoteFailed(f"the sandbox did not start: {how}{self._said()}", permanent=code == -signal.SIGSYS)

    def _said(self) -> str:
        text = os.pread(self._errors, 4096, 0).decode("utf-8", "replace").strip()
        return f": {text.splitlines()[-1]}" if text else ""

    def _wait(self, seconds: float) -> None:
        """Wait for a message; a zygote that is stopped, or silent for so long, is as good as gone."""
        deadline = time.monotonic() + seconds
        while not self._poll.poll(_LOOK_SECONDS * 1000):
            if is_stopped(self._process.pid):
                raise ZygoteGone("its process was stopped")
            if time.monotonic() > deadline:
                raise ZygoteGone(f"its process did not answer for {seconds:.0f} s")

    @property
    def has_its_workspace(self) -> bool:
        """Whether the directory that was granted is still the one its name leads to."""
        if self._workspace is None:
            return True
        try:
            # While we hold it open, no other directory can have its number.
            return os.path.samestat(os.fstat(self._workspace), os.stat(str(self.grants.workspace)))
        except OSError:
            return False

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

    def take_waiting(self) -> Worker | None:
        """Return a worker that waits for a job, with nothing to be asked first; None if there is none or something is.

        This is the way of nearly every job, and short: after a pause the processor has forgotten all of it.
        """
        if self.brief or self.broker is not None or self._workspace is not None:
            return None
        with self._lock:
            return self._lend() if self._idle else None

    def _lend(self) -> Worker:
        self.leases += 1
        self.taken += 1
        return self._idle.popleft()

    def take(self, patience: float) -> Worker:
        """Return a worker nobody has used; a zygote that gives none within *patience* seconds is gone."""
        with self._lock:
            if not self._idle:
                self._collect()
            while not self._idle:
                if not self._asked:
                    self._ask()
                self._wait(max(patience, _SPAWN_SECONDS))
                self._read()
            if self.broker is not None:
                self.broker.ensure()
            return self._lend()

    def give_back(self, worker: Worker) -> None:
        """End a worker that `take` returned, and have it replaced."""
        if self.watch is not None:
            self.watch.forget(worker)
        worker.close()
        with self._lock:
            self.leases -= 1
            if self.broker is not None:
                self.broker.shut(worker.number)
        with contextlib.suppress(ZygoteGone, SpawnFailed):  # the next `take` meets the same and says so
            self.refill()

    def gather(self) -> None:
        """Take in the workers that were asked for as they come: all that is to be done for them is done at once."""
        deadline = time.monotonic() + _GATHER_SECONDS
        with contextlib.suppress(ZygoteGone, SpawnFailed, OSError, ValueError):  # the next `take` meets the same
            poll = select.poll()  # of our own: whoever holds the lock may wait with the other
            poll.register(self._control, select.POLLIN)
            while self._asked and time.monotonic() < deadline:
                if poll.poll(_GATHER_SECONDS * 1000):
                    with self._lock:
                        self._collect()

    def how_it_ended(self, worker: Worker) -> tuple[int, float] | None:
        """Return the wait status of a worker that hung up and its processor seconds, None if it cannot be known."""
        with self._lock:
            try:
                self._control.send(_wire.ASK + worker.number.to_bytes(4, "little"))
                while worker.number not in self._answers:
                    self._wait(_SPAWN_SECONDS)
                    self._read()
            except (OSError, ZygoteGone, SpawnFailed):
                return None
            status, used = self._answers.pop(worker.number)
            return None if status < 0 else (status, used)

    def _ask(self) -> None:
        try:
            self._control.send(_wire.SPAWN)
        except OSError as error:
            raise ZygoteGone(f"its process is gone: {error}") from None
        self._asked += 1

    def _collect(self) -> None:
        """Take in what the zygote has sent, without waiting."""
        while self._asked:
            try:
                self._read()
            except BlockingIOError:
                return

    def _read(self) -> None:
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 256, 5)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise
            raise ZygoteGone(f"its process is gone: {explain(error)}") from None
        if not message:
            raise ZygoteGone("its process is gone")
        if message[:1] == _wire.ASK:
            _, number, status, used = _wire.STATUS.unpack(message)
            self._answers[number] = status, used
            return
        self._asked -= 1
        if message[:1] == _wire.FAILED:
            raise SpawnFailed(message[_wire.FAILURE.size :].decode("utf-8", "replace"))
        _, number, _ = _wire.WORKER.unpack(message)
        if len(descriptors) < 4 + (self.broker is not None):  # the kernel hands over as many as there is room for
            for descriptor in descriptors:
                os.close(descriptor)
            raise SpawnFailed(explain(OSError(errno.EMFILE, os.strerror(errno.EMFILE))))
        process, channel, output, written, *doors = descriptors
        worker = Worker(number, process, socket.socket(fileno=channel), output, written)
        if self._groups is not None and self._join_group is not None:
            memory = _data.memory_of(self._settings) if self.grants.data else self._settings.memory
            worker.member = Member(self._groups, process, memory=memory, tasks=self.limits["threads"])
            self._join_group(worker.member)
        self._idle.append(worker)
        if self.broker is not None:
            if self.grants.sellers and self._cashier is not None:
                worker.till = Till(self._cashier, self.grants.sellers)
            self.broker.open(number, *doors, till=worker.till)

    def close(self, *, now: bool = False) -> None:
        """End the zygote, at once if it must be *now*, and so all behind it."""
        with self._lock:
            if self._launched:
                self._launched = False
                self._close(now=now)

    def _close(self, *, now: bool) -> None:
        if self.watch is not None:
            self.watch.close()
        if self.broker is not None:
            self.broker.close()
        for worker in self._idle:
            worker.close()
        self._idle.clear()
        self._control.close()
        end(self._process, now=now)
        if self._groups is not None:
            self._groups.leave()
        self._descriptors.close()

    def abandon(self) -> None:
        """Let go of inherited descriptors in a forked child, without touching what belongs to the parent."""
        self._process.returncode = 0
        self._control.close()
        if self.broker is not None:
            self.broker.abandon()
        for worker in self._idle:
            worker.abandon()
        self._idle.clear()
        self._descriptors.close()
