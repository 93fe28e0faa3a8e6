"""The system calls CPython has no function for, through libc."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2
MOUNT_ATTR_RDONLY = 1
MOUNT_ATTR_NOSUID = 2
MOUNT_ATTR_NODEV = 4
MOUNT_ATTR_NOEXEC = 8
MOUNT_ATTR_IDMAP = 0x00100000
AT_EMPTY_PATH = 0x1000
AT_RECURSIVE = 0x8000
OPEN_TREE_CLONE = 1
MOVE_MOUNT_F_EMPTY_PATH = 4

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -2, -3, -8

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

# Numbers above 424 are the same on every architecture; pivot_root is not.
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
OPEN_TREE = 428
MOVE_MOUNT = 429
MOUNT_SETATTR = 442
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446


def _check(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def syscall(what: str, number: int, *arguments: object) -> int:
    """Make system call *number*; a negative answer becomes an `OSError` that names *what*."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _check(_libc.syscall(ctypes.c_long(number), *passed), what)


def unshare(flags: int) -> None:
    """Move this process, or its next child for a pid namespace, into new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    """Enter the namespace behind *fd*."""
    _check(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Call mount(2)."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None
    )
    _check(result, f"mount {target}")


def mount_attributes(fd: int, path: str, *, set_: int, recursive: bool = True, userns: int = 0) -> None:
    """Set attributes on a mount and all below it (Linux 5.12)."""
    attr = (ctypes.c_uint64 * 4)(set_, 0, 0, userns)
    flags = (AT_RECURSIVE if recursive else 0) | (0 if path else AT_EMPTY_PATH)
    syscall("mount_setattr", MOUNT_SETATTR, fd, path.encode(), flags, attr, ctypes.sizeof(attr))


def unmount(target: str) -> None:
    """Detach a mount."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(machine: str) -> None:
    """Make the working directory the root and drop the old one."""
    syscall("pivot_root", _PIVOT_ROOT[machine], b".", b".")
    unmount(".")
    os.chdir("/")


def prctl(option: int, argument: int = 0) -> None:
    """Call prctl(2) with one argument."""
    _check(
        _libc.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)),
        f"prctl {option}",
    )


def tune_malloc() -> None:
    """Keep malloc to one arena, and its heap from shrinking.

    Each further arena reserves 64 MiB of address space, which is what we limit. Memory that a rehearsal freed and
    malloc gave back would be new, and slow, to every worker.
    """
    _libc.mallopt(_M_ARENA_MAX, 1)
    _libc.mallopt(_M_TRIM_THRESHOLD, 1 << 28)
    _libc.mallopt(_M_TOP_PAD, 1 << 17)
    _libc.mallopt(_M_MMAP_THRESHOLD, 1 << 22)
