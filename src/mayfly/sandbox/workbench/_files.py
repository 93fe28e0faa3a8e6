"""Copies of files: without their data where the file system can share it, without their holes otherwise."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import stat

from mayfly.core import open_plain

_FICLONE = 0x40049409
_CHUNK = 1 << 20


def copy_file(source: str, target: str) -> None:
    """Make *target*, which is not there yet, a copy of the regular file *source*: contents, mode and times."""
    with open_plain(source) as old:
        found = os.fstat(old.fileno())
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            copy_contents(old.fileno(), descriptor, found.st_size)
            set_owner(descriptor, found)
            os.fchmod(descriptor, stat.S_IMODE(found.st_mode) & 0o1777)
            os.utime(descriptor, ns=(found.st_atime_ns, found.st_mtime_ns))
        finally:
            os.close(descriptor)


def look(path: str) -> os.stat_result | None:
    """Return what is at *path*, links not followed; nothing where nothing is."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_directory(path: str) -> bool:
    """Whether there is a directory, and no link to one."""
    found = look(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def dress(path: str, like: str) -> None:
    """Give *path* the owner, where we may, the mode and the times of *like*."""
    found = os.lstat(like)
    set_owner(path, found)
    os.chmod(path, stat.S_IMODE(found.st_mode))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def remove(path: str) -> None:
    """Remove what is there, a directory with all that is in it; nothing is no error."""
    if is_directory(path):
        remove_tree(path)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def set_owner(target: int | str, found: os.stat_result) -> None:
    """Give *target* the owner of what was *found*, where we may."""
    if os.geteuid() == 0:
        os.chown(target, found.st_uid, found.st_gid, **({} if isinstance(target, int) else {"follow_symlinks": False}))


def copy_contents(source: int, target: int, size: int) -> None:
    """Copy between descriptors; what are holes stay holes."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(target, _FICLONE, source)
        return
    place = 0
    while place < size:
        try:
            start = os.lseek(source, place, os.SEEK_DATA)
            end = os.lseek(source, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole to the end
                break
            start, end = place, size
        _copy_part(source, target, start, end)
        place = end
    os.truncate(target, size)


def _copy_part(source: int, target: int, start: int, end: int) -> None:
    os.lseek(target, start, os.SEEK_SET)
    while start < end:
        try:
            done = os.sendfile(target, source, start, min(end - start, 64 * _CHUNK))
        except OSError:
            data = os.pread(source, min(end - start, _CHUNK), start)
            done = os.write(target, data) if data else 0
        if not done:
            return
        start += done


def link_or_copy(source: str, target: str, *, shared: bool = True) -> None:
    """Give *source* a second name where that costs nothing and nobody else has it *shared*, else copy it."""
    if shared:
        with contextlib.suppress(OSError):
            os.link(source, target, follow_symlinks=False)
            return
    copy_file(source, target)


def digest_file(path: str) -> str:
    """Return the digest of a regular file's contents."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_tree(path: str) -> None:
    """Remove all of it, whatever its modes; what is not there is no error."""

    def retry(function: object, name: str, problem: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(name), 0o700)
            os.chmod(name, 0o700, follow_symlinks=False) if not os.path.islink(name) else None
        with contextlib.suppress(OSError):
            if is_directory(name):
                shutil.rmtree(name, ignore_errors=True)
            else:
                os.unlink(name)

    if os.path.lexists(path):
        shutil.rmtree(path, onerror=retry)


def flush(path: str) -> None:
    """Have everything of the file system that *path* is on written to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            os.sync()
    finally:
        os.close(descriptor)


def umask() -> int:
    """Return the bits that new files of this process do not get."""
    with open("/proc/self/status") as file:
        return next((int(line.split()[1], 8) for line in file if line.startswith("Umask:")), 0o022)
