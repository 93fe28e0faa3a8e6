"""Make paths of a workspace what they should be, each opened beneath it without following a link."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import stat
import struct

from mayfly.core import ConflictError
from mayfly.sandbox.workbench._changes import Entry, entry_kind
from mayfly.sandbox.workbench._files import digest_file, link_or_copy

_OPENAT2 = 437  # the same number on every architecture
# NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH: nothing on the way is a mount, a link or the way out.
_RESOLVE = 0x01 | 0x02 | 0x04 | 0x08
_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TEMPORARY = ".mayfly-"
# Bits that are never committed: whoever runs such a file later would get its owner's rights.
_SET_IDS = 0o6000


class Beneath:
    """One workspace, held open: what its name leads to later does not matter."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> Beneath:
        return self

    def __exit__(self, *_: object) -> None:
        self._forget()
        os.close(self._descriptor)

    def _forget(self) -> None:
        if self._last is not None:
            os.close(self._last[1])
            self._last = None

    def parent(self, path: str) -> tuple[int, str]:
        """Return the directory that holds *path*, and the last part of its name."""
        place, _, name = path.rpartition("/")
        if name in ("", ".", "..") or "\0" in path:
            raise ConflictError(f"{path!r} is no path below the workspace")
        if not place:
            return self._descriptor, name
        if self._last is None or self._last[0] != place:
            self._forget()
            self._last = (place, self._open(place))
        return self._last[1], name

    def _open(self, place: str) -> int:
        how = ctypes.create_string_buffer(struct.pack("=QQQ", _DIRECTORY, 0, _RESOLVE), 24)
        found = self._libc.syscall(_OPENAT2, self._descriptor, os.fsencode(place), how, 24)
        if found >= 0:
            return int(found)
        number = ctypes.get_errno()
        if number not in (errno.ENOSYS, errno.EPERM):
            raise OSError(number, os.strerror(number), place)
        return self._open_by_steps(place)

    def _open_by_steps(self, place: str) -> int:
        """Do the same on a kernel without openat2 (before 5.6), or behind a filter that does not know it."""
        current = os.dup(self._descriptor)
        for part in place.split("/"):
            if part in ("", ".", ".."):
                os.close(current)
                raise ConflictError(f"{place!r} is no path below the workspace")
            try:
                after = os.open(part, _DIRECTORY, dir_fd=current)
            finally:
                os.close(current)
            current = after
        return current

    def look(self, path: str) -> os.stat_result | None:
        """Return what is at *path*, or nothing; something else than a directory on the way is nothing, too."""
        try:
            directory, name = self.parent(path)
            return os.stat(name, dir_fd=directory, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV):
                return None
            raise

    def entry(self, path: str) -> Entry | None:
        """Return what is at *path* with its digest."""
        found = self.look(path)
        if found is None:
            return None
        directory, name = self.parent(path)
        return read_entry(found, f"/proc/self/fd/{directory}/{name}")

    def names(self, path: str) -> list[str]:
        """Return what a directory holds."""
        directory, name = self.parent(path)
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, path: str, *, but: str = "") -> None:
        """Remove what is there unless it is of the kind *but*; a directory has to be empty by now."""
        found = self.look(path)
        if found is None or entry_kind(found.st_mode) == but:
            return
        directory, name = self.parent(path)
        if stat.S_ISDIR(found.st_mode):
            if self._last is not None and (self._last[0] + "/").startswith(path + "/"):
                self._forget()
            os.rmdir(name, dir_fd=directory)
        else:
            os.unlink(name, dir_fd=directory)

    def make_directory(self, path: str, mode: int) -> None:
        """Make a directory that we can write to; its mode follows when all is in it."""
        if self.look(path) is None:
            directory, name = self.parent(path)
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, mode | 0o700, dir_fd=directory)

    def make_parents(self, path: str) -> None:
        """Make the directories on the way to *path* that are missing."""
        with contextlib.suppress(FileNotFoundError):
            self.parent(path)
            return
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            self.make_directory("/".join(parts[:count]), 0o755)

    def set_mode(self, path: str, entry: Entry) -> None:
        """Give what is there the mode of *entry*."""
        directory, name = self.parent(path)
        mode = entry.mode & ~(_SET_IDS if entry.kind == "file" else 0o4000)
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode) or stat.S_IMODE(found.st_mode) == mode:
            return
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        try:
            os.chmod(f"/proc/self/fd/{descriptor}", mode)
        finally:
            os.close(descriptor)

    def put_link(self, path: str, target: str) -> None:
        """Put a link in place of what is there."""
        directory, name = self.parent(path)
        temporary = _TEMPORARY + secrets.token_hex(8)
        os.symlink(target, temporary, dir_fd=directory)
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)

    def put_file(self, path: str, source: str, entry: Entry) -> None:
        """Put a copy of *source* in place of what is there, in one step."""
        directory, name = self.parent(path)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(name, dir_fd=directory, follow_symlinks=False), os.lstat(source)):
                return
        temporary = _TEMPORARY + secrets.token_hex(8)
        link_or_copy(source, f"/proc/self/fd/{directory}/{temporary}")
        try:
            os.chmod(temporary, entry.mode & ~_SET_IDS & 0o7777, dir_fd=directory)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise

    def sweep(self, path: str) -> None:
        """Remove what a killed process left half done beside *path*."""
        with contextlib.suppress(OSError, ConflictError):
            directory, _ = self.parent(path)
            place = os.open(f"/proc/self/fd/{directory}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                for name in os.listdir(place):
                    if name.startswith(_TEMPORARY) and len(name) == len(_TEMPORARY) + 16:
                        os.unlink(name, dir_fd=place)
            finally:
                os.close(place)


def read_entry(found: os.stat_result, place: str, *, digest: bool = True) -> Entry:
    """Return the entry for what was *found* at *place*."""
    kind = entry_kind(found.st_mode)
    mode = stat.S_IMODE(found.st_mode)
    if kind == "link":
        return Entry(kind=kind, mode=0o777, target=os.readlink(place))
    if kind == "file":
        return Entry(kind=kind, mode=mode, size=found.st_size, digest=digest_file(place) if digest else "")
    return Entry(kind=kind, mode=mode)
