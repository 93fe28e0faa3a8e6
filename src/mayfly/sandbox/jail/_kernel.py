"""The system calls CPython has no function for, through libc, and what several parts make of them."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct

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

MACHINE = os.uname().machine
# On x86_64 and on aarch64; those from 424 on are the same everywhere.
_NUMBERS = {
    "close": (3, 57),
    "clone": (56, 220),
    "capset": (126, 91),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "openat": (257, 56),
    "dup3": (292, 24),
    "prlimit64": (302, 261),
    "seccomp": (317, 277),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "close_range": (436, 436),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
_COLUMN = ("x86_64", "aarch64").index(MACHINE)


def _check(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def call(name: str, *arguments: object) -> tuple[object, ...]:
    """Return the number and the arguments of a system call, as libc's `syscall` takes them."""
    return (ctypes.c_long(_NUMBERS[name][_COLUMN]), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))


def syscall(name: str, *arguments: object) -> int:
    """Make a system call; a negative answer becomes an `OSError` that names it."""
    return _check(_libc.syscall(*call(name, *arguments)), name)


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


def bind(source: int, target: str) -> None:
    """Show what is behind a descriptor, with all that is mounted below it, at *target*."""
    mount(f"/proc/self/fd/{source}", target, "", MS_BIND | MS_REC)


def cover(target: str) -> None:
    """Put nothing in the place of a directory."""
    mount("tmpfs", target, "tmpfs", MS_RDONLY, "size=4k,mode=755")


def mount_attributes(fd: int, path: str, *, set_: int, recursive: bool = True, userns: int = 0) -> None:
    """Set attributes on a mount and all below it (Linux 5.12)."""
    attr = (ctypes.c_uint64 * 4)(set_, 0, 0, userns)
    flags = (AT_RECURSIVE if recursive else 0) | (0 if path else AT_EMPTY_PATH)
    syscall("mount_setattr", fd, path.encode(), flags, attr, ctypes.sizeof(attr))


def unmount(target: str) -> None:
    """Detach a mount."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root() -> None:
    """Make the working directory the root and drop the old one."""
    syscall("pivot_root", b".", b".")
    unmount(".")
    os.chdir("/")


def prctl(option: int, argument: int = 0) -> None:
    """Call prctl(2) with one argument."""
    _check(
        _libc.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)),
        f"prctl {option}",
    )


def become(user: int) -> None:
    """Step down from root to a user and group of this number, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def raise_loopback() -> None:
    """Bring up the loopback of a network that has nothing else."""
    with socket.socket() as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sh22x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def make_user_namespace(users: str, groups: str) -> int:
    """Return a user namespace with these maps, made by a child that ends at once: for mounts whose owners it shifts."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        unshare(CLONE_NEWUSER)
        os.write(writer, os.readlink("/proc/self").encode())  # its number there, which may not be that it has for us
        signal.pause()
    os.close(writer)
    try:
        place = f"/proc/{os.read(reader, 32).decode()}"
        if place == "/proc/":
            raise OSError(errno.EPERM, "no user namespace")
        for name, text in (("uid_map", users), ("gid_map", groups)):
            with open(f"{place}/{name}", "w") as file:
                file.write(text)
        return os.open(f"{place}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def steps_to(error: BaseException) -> list[str]:
    """Return the names of our own functions in which an error came about, the innermost last."""
    steps, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__package__") == __package__:
            steps.append(trace.tb_frame.f_code.co_name.strip("_"))
        trace = trace.tb_next
    return steps


def tune_malloc() -> None:
    """Keep malloc to one arena, and its heap from shrinking.

    Each further arena reserves 64 MiB of address space, which is what we limit. Memory that a rehearsal freed and
    malloc gave back would be new, and slow, to every worker.
    """
    _libc.mallopt(_M_ARENA_MAX, 1)
    _libc.mallopt(_M_TRIM_THRESHOLD, 1 << 28)
    _libc.mallopt(_M_TOP_PAD, 1 << 17)
    _libc.mallopt(_M_MMAP_THRESHOLD, 1 << 22)
