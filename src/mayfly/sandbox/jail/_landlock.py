"""Landlock: the file tree a process may touch, decided by the kernel without any privilege."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence

from . import _kernel

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REFER = 1 << 13
TRUNCATE = 1 << 14
IOCTL_DEV = 1 << 15
READ = READ_FILE | READ_DIR
# Everything but device files, sockets, FIFOs and symbolic links: those never come back from a workspace.
WRITE = READ | WRITE_FILE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | REFER | TRUNCATE
# Plain files in one directory.
SPILL = READ | WRITE_FILE | 1 << 5 | 1 << 8 | TRUNCATE
_FILE_ONLY = WRITE_FILE | READ_FILE | EXECUTE | TRUNCATE | IOCTL_DEV
_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_NET_BIND = 1
_NET_CONNECT = 2
_SCOPE_SIGNALS = 2
_SCOPE_ALL = 1 | _SCOPE_SIGNALS  # abstract unix sockets, too
_SCOPING = 6  # the first version that knows scopes
# Linux 6.2: the first version that governs truncation. Where Landlock is all there is, an older one is no wall.
OLDEST_ALONE = 3


def abi() -> int:
    """Return the kernel's Landlock version, 0 where there is none."""
    try:
        return _kernel.syscall("landlock_create_ruleset", 0, 0, 1)
    except OSError:
        return 0


def restrict(paths: Mapping[str, int], *, ports: Sequence[int] = (), oldest: int = 1, newest: int) -> int:
    """Allow *paths* with their rights, TCP on *ports*, and nothing else; return the version that was used.

    What versions after *newest* add is not asked for; one before *oldest* is an error.
    """
    version = min(abi(), newest)
    if not version:
        raise OSError("this kernel has no Landlock")
    if version < oldest:
        raise OSError(f"Landlock here has version {version} and does not govern truncation; {oldest} does (Linux 6.2)")
    handled = _RIGHTS_BY_ABI[min(version, 5)]
    network = _NET_BIND | _NET_CONNECT if version >= 4 else 0
    _enforce(version, (handled, network, _SCOPE_ALL), {p: rights & handled for p, rights in paths.items()}, ports)
    return version


def scope_signals(newest: int) -> bool:
    """Let this process and its descendants signal no others; False where Landlock knows nothing of signals."""
    version = min(abi(), newest)
    if version < _SCOPING:
        return False
    _kernel.prctl(_kernel.PR_SET_NO_NEW_PRIVS, 1)
    _enforce(version, (0, 0, _SCOPE_SIGNALS))
    return True


def _enforce(
    version: int, fields: tuple[int, int, int], paths: Mapping[str, int] = {}, ports: Sequence[int] = ()
) -> None:
    """Handle *fields* (rights on files, on ports, scopes), but for *paths* and *ports*, in this process for good."""
    size = 8 if version < 4 else 16 if version < _SCOPING else 24
    buffer = ctypes.create_string_buffer(struct.pack("=QQQ", *fields)[:size], size)
    ruleset = _kernel.syscall("landlock_create_ruleset", buffer, size, 0)
    try:
        for path, rights in paths.items():
            _allow_path(ruleset, path, rights)
        for port in ports if fields[1] else ():
            rule = ctypes.create_string_buffer(struct.pack("=QQ", fields[1], port))
            _kernel.syscall("landlock_add_rule", ruleset, 2, rule, 0)
        _kernel.syscall("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):
            rights &= _FILE_ONLY
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd))
        _kernel.syscall("landlock_add_rule", ruleset, 1, rule, 0)
    finally:
        os.close(fd)
