"""System calls that the kernel asks us about, because no rule could decide on them: we do them ourselves, or refuse.

*Renames.* An overlay that an ordinary user mounted answers EXDEV when a directory of the workspace itself is renamed.
`mv` copies then, but git, package managers and most programs give up. So the first process behind the wall, which has
no more rights than the one that asked, lets files pass and moves a directory entry by entry: that the overlay can.

*Modes and times.* Landlock does not govern them, and where it is all there is, an ordinary user's commands could change
those of all that user's files. So a process outside looks which file is meant, and changes it if it is one of theirs.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import socket
import stat
import struct
import time

from . import _kernel, _seccomp

# rename, renameat, renameat2: where the old directory and path, the new ones and the flags are among the arguments.
_RENAMES: dict[str, dict[int, tuple[int | None, ...]]] = {
    "x86_64": {82: (None, 0, None, 1, None), 264: (0, 1, 2, 3, None), 316: (0, 1, 2, 3, 4)},
    "aarch64": {38: (0, 1, 2, 3, None), 276: (0, 1, 2, 3, 4)},
}
# chmod, fchmod, fchmodat, fchmodat2, utimensat: where the directory or descriptor, the path, the mode, the times and
# the flags are among the arguments.
_MODES: dict[str, dict[int, tuple[int | None, ...]]] = {
    "x86_64": {
        90: (None, 0, 1, None, None),
        91: (0, None, 1, None, None),
        268: (0, 1, 2, None, None),
        452: (0, 1, 2, None, 3),
        280: (0, 1, None, 2, 3),
    },
    "aarch64": {
        52: (0, None, 1, None, None),
        53: (0, 1, 2, None, None),
        452: (0, 1, 2, None, 3),
        88: (0, 1, None, 2, 3),
    },
}
_NOFOLLOW = 0x100  # AT_SYMLINK_NOFOLLOW
_NOW, _OMIT = (1 << 30) - 1, (1 << 30) - 2  # UTIME_NOW, UTIME_OMIT
_NEW_LISTENER = 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTICE, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_CONTINUE = 1
_AT_FDCWD = 0xFFFFFF9C
_LONGEST = 4096


class Asked:
    """Answer the kernel's questions about some *calls*; whoever derives from it decides."""

    calls: dict[int, tuple[int | None, ...]]

    def __init__(self, listener: int) -> None:
        self.listener = listener

    @classmethod
    def install(cls, channel: socket.socket) -> None:
        """In the command's own process, before it begins: have the kernel ask, and say where."""
        program = _seccomp.Filter(_seccomp.compile_questions(_kernel.MACHINE, tuple(cls.calls)))
        listener = _kernel.syscall("seccomp", 1, _NEW_LISTENER, program.program)
        socket.send_fds(channel, [b"L"], [listener])
        os.close(listener)

    def answer(self) -> None:
        """Answer one question; whoever asked may have died meanwhile."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notice)
        except OSError:
            return
        identity, pid, _, call, _, _, *arguments = _NOTICE.unpack(notice)
        error = self.decide(pid, self.calls[call], arguments)
        flags = _CONTINUE if error is None else 0
        with contextlib.suppress(OSError):
            fcntl.ioctl(self.listener, _SEND, _ANSWER.pack(identity, 0, -(error or 0), flags))

    def decide(self, pid: int, places: tuple[int | None, ...], arguments: list[int]) -> int | None:
        """Return 0 for what we did, an error for what cannot be, or None for what the kernel shall do itself."""
        raise NotImplementedError


class Renames(Asked):
    """Move the directories that the overlay cannot rename."""

    calls = _RENAMES[_kernel.MACHINE]

    def decide(self, pid: int, places: tuple[int | None, ...], arguments: list[int]) -> int | None:
        """Return 0 for what we did, an error for what cannot be, or None for what the kernel shall do itself."""
        try:
            at_old, old, at_new, new, flags = places
            if flags is not None and arguments[flags] & 0xFFFFFFFF:
                return None
            source = _path(pid, arguments[at_old] if at_old is not None else _AT_FDCWD, arguments[old or 0])
            if not stat.S_ISDIR(os.lstat(source).st_mode):
                return None
            target = _path(pid, arguments[at_new] if at_new is not None else _AT_FDCWD, arguments[new or 0])
        except (OSError, ValueError):
            return None
        try:
            rename(source.rstrip("/"), target.rstrip("/"))
        except OSError as problem:
            return problem.errno or errno.EIO
        return 0


class Modes(Asked):
    """Change modes and times of the files below *places*, and of no others."""

    calls = _MODES[_kernel.MACHINE]

    def __init__(self, listener: int, places: list[str]) -> None:
        super().__init__(listener)
        self._places = [os.path.realpath(place) for place in places]

    def decide(self, pid: int, places: tuple[int | None, ...], arguments: list[int]) -> int | None:
        """Open what is meant, and change it by that descriptor: where its name leads later does not matter."""
        at, path, mode, times, flags = places
        try:
            follow = flags is None or not arguments[flags] & _NOFOLLOW
            descriptor = self._open(pid, at, path, arguments, follow=follow)
        except ValueError:
            return errno.EPERM
        except OSError as error:
            return error.errno or errno.EIO
        try:
            real = os.readlink(f"/proc/self/fd/{descriptor}")
            if not any(real == place or real.startswith(place + "/") for place in self._places):
                return errno.EPERM
            if mode is not None:
                os.chmod(f"/proc/self/fd/{descriptor}", arguments[mode] & 0o7777)
            elif times is not None:
                _set_times(f"/proc/self/fd/{descriptor}", pid, arguments[times])
        except OSError as error:
            return error.errno or errno.EIO
        finally:
            os.close(descriptor)
        return 0

    @staticmethod
    def _open(pid: int, at: int | None, path: int | None, arguments: list[int], *, follow: bool) -> int:
        directory = arguments[at] if at is not None else _AT_FDCWD
        if path is None or not arguments[path]:
            return os.open(f"/proc/{pid}/fd/{directory & 0xFFFFFFFF}", os.O_PATH | os.O_CLOEXEC)
        name = _path(pid, directory, arguments[path])
        return os.open(name, os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))


def _set_times(path: str, pid: int, address: int) -> None:
    """Set the times that are at *address*; none means now, and either may be left as it is."""
    now = time.time_ns()
    old = os.stat(path)
    wanted = [now, now]
    if address:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            fields = struct.unpack("=4q", memory.read(32))
        for index, before in enumerate((old.st_atime_ns, old.st_mtime_ns)):
            seconds, nanoseconds = fields[2 * index : 2 * index + 2]
            plain = seconds * 1_000_000_000 + nanoseconds
            wanted[index] = {_NOW: now, _OMIT: before}.get(nanoseconds, plain)
    os.utime(path, ns=(wanted[0], wanted[1]))


def _path(pid: int, at: int, address: int) -> str:
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        raw = b""
        # Up to the end of a page at a time: what comes after it may not be there.
        while b"\0" not in raw and len(raw) < _LONGEST:
            raw += memory.read(4096 - (address + len(raw)) % 4096)
    text, end, _ = raw.partition(b"\0")
    if not end or not text:
        raise ValueError("no path")
    name = os.fsdecode(text)
    if name.startswith("/"):
        return name
    at &= 0xFFFFFFFF
    return f"/proc/{pid}/cwd/{name}" if at == _AT_FDCWD else f"/proc/{pid}/fd/{at}/{name}"


def rename(source: str, target: str) -> None:
    """Rename a directory; where the file system says that it is another one, move what is in it."""
    try:
        os.rename(source, target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV or os.stat(source).st_dev != os.stat(os.path.dirname(target) or ".").st_dev:
            raise
    with contextlib.suppress(FileNotFoundError):
        if os.listdir(target):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))
    part = os.path.join(os.path.dirname(target), f".mayfly-{secrets.token_hex(8)}")
    _move(source, part)
    os.rename(part, target)


def _move(source: str, target: str) -> None:
    """Move a directory entry by entry."""
    os.mkdir(target, 0o700)
    for name in os.listdir(source):
        old, new = f"{source}/{name}", f"{target}/{name}"
        try:
            os.rename(old, new)
        except OSError as error:
            if error.errno != errno.EXDEV or not os.path.isdir(old) or os.path.islink(old):
                raise
            _move(old, new)
    shutil.copystat(source, target)
    os.rmdir(source)
