"""Raise the walls: namespaces where the kernel gives them, Landlock everywhere, one uid nobody else has."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket

from . import _kernel, _landlock, _root
from ._state import Jail
from ._wire import PORT

_NOBODY = 0x70000000
_FEWEST_USERS = 20_000
_PLAIN_NAMESPACES = (
    _kernel.CLONE_NEWNS | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS | _kernel.CLONE_NEWCGROUP
)
_OWN_NAMESPACES = _kernel.CLONE_NEWUSER | _kernel.CLONE_NEWPID


def enter(jail: Jail) -> int:
    """Raise the walls and fork the zygote behind them; return its pid outside and 0 inside."""
    jail.base = _address_space()
    os.umask(0o022)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    if jail.level == "namespaces":
        return _enter_namespaces(jail)
    return _enter_landlock(jail)


def _enter_namespaces(jail: Jail) -> int:
    if jail.root:
        jail.user = unused_users()[0]
        _kernel.unshare(_PLAIN_NAMESPACES)
        socket.sethostname("mayfly")
        _root.build(jail.config, user=jail.user)
        become(jail.user)
        _kernel.unshare(_OWN_NAMESPACES)
        _map_ids(jail.proc, jail.user, jail.user)
    else:
        user, group = os.getuid(), os.getgid()
        _kernel.unshare(_PLAIN_NAMESPACES | _OWN_NAMESPACES)
        _map_ids(jail.proc, user, group)
        socket.sethostname("mayfly")
        _root.build(jail.config, user=0)
    return os.fork()


def _enter_landlock(jail: Jail) -> int:
    if jail.config["net"]:
        raise OSError(0, "net and buy grants need the level namespaces")
    if jail.root:
        jail.users = unused_users()
    else:
        jail.tasks = resource.RLIM_INFINITY  # it counts all tasks of the user, so only a request can say how many
    return os.fork()


def _map_ids(proc: int, user: int, group: int) -> None:
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def open_door() -> socket.socket:
    """Move to a new, empty network, that of the next worker alone, and listen where the proxy outside will answer.

    One network for each, so that the proxy knows which job a connection is from: no job has a share but its own.
    """
    _kernel.unshare(_kernel.CLONE_NEWNET)
    _kernel.raise_loopback()
    return socket.create_server(("127.0.0.1", PORT), backlog=64)


def unused_users() -> range:
    """Return uids nobody has; where only some uids exist, as in a rootless container, from their upper end."""
    wanted = range(_NOBODY + (os.getpid() << 12 & 0x0FFFF000), _NOBODY + (os.getpid() << 12 & 0x0FFFF000) + 0x1000)
    with open("/proc/self/uid_map") as file:
        spans = [(int(first), int(count)) for first, _, count in (line.split() for line in file)]
    if any(first <= wanted[0] and wanted[-1] < first + count for first, count in spans):
        return wanted
    first, count = max(spans, key=lambda span: span[1])
    if count <= _FEWEST_USERS:
        raise OSError(errno.EPERM, "root has no other uid to step down to")
    return range(first + count - _FEWEST_USERS // 2, first + count - 1)


def become(user: int) -> None:
    """Step down from root for good; what is below /proc stays our own."""
    _kernel.become(user)
    _kernel.prctl(_kernel.PR_SET_DUMPABLE, 1)


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def restrict_files(jail: Jail) -> None:
    config = jail.config
    if jail.level == "namespaces":
        paths = {"/": _landlock.READ, "/dev/null": _landlock.READ | _landlock.WRITE_FILE}
        workspace = _root.WORKSPACE
    else:
        paths = {"/dev/null": _landlock.READ | _landlock.WRITE_FILE, "/dev/urandom": _landlock.READ}
        for path in _root.visible(config):
            paths |= _readable(path, config["packages"], _root.concealed(config))
        workspace = config["workspace"]
    if config["workspace"]:
        paths[workspace] = _landlock.WRITE if config["write"] else _landlock.READ
        os.chdir(workspace)
    else:
        os.chdir("/")
    # The port is for connecting, and for the zygote to listen on; the filter lets no worker do that.
    oldest = _landlock.OLDEST_ALONE if jail.level == "landlock" else 1
    try:
        version = _landlock.restrict(
            paths, ports=(PORT,) if config["net"] else (), oldest=oldest, newest=config["newest_landlock"]
        )
        jail.layers["landlock"] = f"ABI {version}"
    except OSError as error:
        if jail.level == "landlock":
            raise
        jail.layers["landlock"] = f"absent: {error}"


def _readable(path: str, packages: list[str], concealed: list[str]) -> dict[str, int]:
    """Return the rights below *path*: its entries one by one where something in it is not to be read."""
    if not any(hidden.startswith(path + "/") for hidden in concealed):
        return {path: _landlock.READ}
    # Packages find each other's versions by listing the directory they are in.
    rights = {path: _landlock.READ_DIR} if path in packages else {}
    for entry in os.scandir(path):
        if entry.path not in concealed:
            rights |= _readable(entry.path, packages, concealed)
    return rights
