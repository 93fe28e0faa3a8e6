"""The stage: a secret, files, sockets and a process on the host, and the signs that a case got to any of them."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from mayfly.sandbox.attacks._cases import system_calls

_VARIABLE = "MAYFLY_STAGE_SECRET"
_VICTIM = Path(__file__).parent / "cases" / "_victim.py"
_IPC_REMOVE = 0


class Stage:
    """Set up what the cases aim at; `signs` tells what has happened to it since it was last asked.

    *owner* is the user that the files and the victim belong to, *python* the interpreter of the victim.
    """

    def __init__(self, *, owner: int | None = None, python: str = sys.executable) -> None:
        self.token = f"mayfly-{secrets.token_hex(16)}"
        self._owner = owner
        self._python = python
        self._calls = system_calls()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long

    def __enter__(self) -> Stage:
        with contextlib.ExitStack() as undo:
            self._folder = Path(tempfile.mkdtemp(prefix="mayfly-stage-"))
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            os.environ[_VARIABLE] = self.token
            undo.callback(os.environ.pop, _VARIABLE, None)
            self._write_files()
            self._open_sockets(undo)
            self._leave_descriptors(undo)
            self._share_memory(undo)
            self._start_victim(undo)
            self._undo = undo.pop_all()
        self._files = self._look_at_files()
        self._state = self._look_at_victim()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo.close()

    def target(self) -> dict[str, object]:
        """Return what a case is told. The secret is not in it, only its hash, so that a find can be verified."""
        return {
            "stage": str(self._folder),
            "home": str(self._folder / "home"),
            "secret": str(self._folder / "secret.txt"),
            "canary": str(self._folder / "canary.txt"),
            "spare": str(self._folder / "spare.txt"),
            "input": str(self._folder / "input.csv"),
            "workspace": str(self.workspace),
            "sha256": hashlib.sha256(self.token.encode()).hexdigest(),
            "tcp": self._sockets["tcp"].getsockname()[1],
            "udp": self._sockets["udp"].getsockname()[1],
            "unix": self._sockets["unix"].getsockname(),
            "unix_datagram": self._sockets["unix_datagram"].getsockname(),
            "abstract": self._sockets["abstract"].getsockname()[1:].decode(),
            "abstract_datagram": self._sockets["abstract_datagram"].getsockname()[1:].decode(),
            "host": os.getpid(),
            "victim": self._victim.pid,
            "address": self._address,
            "length": len(self.token),
            "segment": self._segment,
            "queue": self._queue,
            "syscalls": self._calls,
            "machine": platform.machine(),
        }

    @property
    def workspace(self) -> Path:
        """Return the directory that jobs may be granted."""
        return self._folder / "workspace"

    @property
    def victim(self) -> int:
        """Return the number of the process that cases try to harm."""
        return self._victim.pid

    def signs(self) -> list[str]:
        """Return what was done to the stage since the last call, in words; nothing if it is untouched."""
        found = [f"somebody reached the {name} socket" for name, door in self._sockets.items() if _was_used(door)]
        files = self._look_at_files()
        if files != self._files:
            changed = {name for name, _ in self._files.items() ^ files.items()}
            found.append(f"files were changed: {', '.join(sorted(changed))}")
        self._tidy_workspace()
        if files != self._files:
            self._files = self._look_at_files()
        state = self._look_at_victim()
        if state != self._state:
            changed = {name for name in {*self._state, *state} if self._state.get(name) != state.get(name)}
            found.append(f"the victim was changed: {', '.join(sorted(changed))}")
            self._state = state
        if received := self._received_signals():
            found.append(f"the victim got signals {sorted(received)}")
        if os.environ.get(_VARIABLE) != self.token:
            found.append("the host's environment was changed")
        return found

    def _write_files(self) -> None:
        home = self._folder / "home" / ".aws"
        home.mkdir(parents=True)
        self.workspace.mkdir()
        for name, text, mode in (
            ("secret.txt", self.token, 0o644),
            ("home/.aws/credentials", self.token, 0o644),
            ("canary.txt", "untouched", 0o666),
            ("spare.txt", "spare", 0o666),
            ("input.csv", "city,qty\nOslo,3\nRome,4\n", 0o666),
        ):
            path = self._folder / name
            path.write_text(text, "utf-8")
            path.chmod(mode)
        self._tidy_workspace()
        for path in (self._folder, *self._folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o777)
            if self._owner is not None:
                os.chown(path, self._owner, self._owner)

    def _tidy_workspace(self) -> None:
        """Have one file in the workspace, as every case finds it."""
        for path in sorted(self.workspace.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        note = self.workspace / "note"
        note.write_text("note", "utf-8")
        note.chmod(0o666)
        if self._owner is not None:
            os.chown(note, self._owner, self._owner)

    def _open_sockets(self, undo: contextlib.ExitStack) -> None:
        name = f"\0stage-{secrets.token_hex(8)}"
        self._sockets: dict[str, socket.socket] = {}
        for label, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(self._folder / "stream")),
            ("unix_datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(self._folder / "datagram")),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"{name}-stream"),
            ("abstract_datagram", socket.AF_UNIX, socket.SOCK_DGRAM, f"{name}-datagram"),
        ):
            door = self._sockets[label] = undo.enter_context(socket.socket(family, kind))
            door.bind(address)
            door.setblocking(False)
            if kind == socket.SOCK_STREAM:
                door.listen(64)
            if family == socket.AF_UNIX and not str(address).startswith("\0"):
                os.chmod(str(address), 0o777)

    def _leave_descriptors(self, undo: contextlib.ExitStack) -> None:
        """Open what a careless parent passes on: the secret, and an internet socket."""
        reader = os.open(self._folder / "secret.txt", os.O_RDONLY)
        caller = socket.socket(socket.AF_INET, socket.SOCK_STREAM).detach()
        self.leaked = (reader, caller)
        for number in self.leaked:
            undo.callback(os.close, number)
            os.set_inheritable(number, True)

    def _share_memory(self, undo: contextlib.ExitStack) -> None:
        self._segment = self._libc.shmget(0, 4096, 0o1666)
        if self._segment >= 0:
            undo.callback(self._libc.shmctl, self._segment, _IPC_REMOVE, None)
            self._libc.shmat.restype = ctypes.c_void_p
            address = self._libc.shmat(self._segment, None, 0)
            ctypes.memmove(address, self.token.encode(), len(self.token))
            self._libc.shmdt(ctypes.c_void_p(address))
        name = f"stage-{secrets.token_hex(8)}"
        mask = os.umask(0)
        queue = self._call("mq_open", name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
        os.umask(mask)
        self._queue = name if queue >= 0 else ""
        if queue >= 0:
            os.close(queue)
            undo.callback(self._call, "mq_unlink", name.encode())

    def _start_victim(self, undo: contextlib.ExitStack) -> None:
        self._victim = subprocess.Popen(
            [self._python, "-I", "-S", "-c", _VICTIM.read_text("utf-8")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={_VARIABLE: self.token},
            user=self._owner,
            group=self._owner,
            extra_groups=None if self._owner is None else [],
        )
        undo.callback(self._victim.communicate)
        undo.callback(self._victim.kill)
        assert self._victim.stdout is not None
        self._address = int(self._victim.stdout.readline())
        os.set_blocking(self._victim.stdout.fileno(), False)

    def _look_at_files(self) -> dict[str, object]:
        seen: dict[str, object] = {}
        for path in (self._folder, *sorted(self._folder.rglob("*"))):
            status = path.lstat()
            # What a job writes to the workspace is its own affair, but for links, devices and set-user-id files.
            plain = stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)
            if self.workspace in (path, *path.parents) and plain and not status.st_mode & 0o6000:
                continue
            text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            names = sorted(os.listxattr(path, follow_symlinks=False))
            seen[path.name] = (status.st_mode, status.st_nlink, status.st_size, status.st_mtime_ns, text, str(names))
        return seen

    def _look_at_victim(self) -> dict[str, object]:
        pid = self._victim.pid
        if self._victim.poll() is not None:
            return {"dead": self._victim.returncode}
        return {
            "nice": os.getpriority(os.PRIO_PROCESS, pid),
            "processors": sorted(os.sched_getaffinity(pid)),
            "scheduler": os.sched_getscheduler(pid),
            "disk": self._call("ioprio_get", 1, pid),
            "limits": Path(f"/proc/{pid}/limits").read_text("ascii"),
            "memory killer": Path(f"/proc/{pid}/oom_score_adj").read_text("ascii").strip(),
        }

    def _received_signals(self) -> set[int]:
        assert self._victim.stdout is not None
        try:
            return set(os.read(self._victim.stdout.fileno(), 4096))
        except BlockingIOError:
            return set()

    def _call(self, name: str, *arguments: int | bytes | None) -> int:
        if name not in self._calls:
            return -1
        values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
        return int(self._libc.syscall(ctypes.c_long(self._calls[name]), *values))


def _was_used(door: socket.socket) -> bool:
    used = False
    while True:
        try:
            if door.type == socket.SOCK_STREAM:
                door.accept()[0].close()
            else:
                door.recv(4096)
        except BlockingIOError:
            return used
        used = True
