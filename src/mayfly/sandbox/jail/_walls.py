"""Raise the walls: namespaces where the kernel gives them, Landlock everywhere, one uid nobody else has.

With namespaces a job sees an empty read-only root with the standard library, zone data and what was granted. Workers
share the root of their zygote, but for those of jobs about data: each builds its own, with its files in it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket
import stat
import sys
import sysconfig
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _kernel, _landlock
from ._state import Jail
from ._wire import PORT

_WORKSPACE = "/workspace"
_HIDDEN = ("site-packages", "dist-packages")
_DEVICES = ("/dev/null", "/dev/urandom")
_ZONES = "/usr/share/zoneinfo"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_CERTIFICATES = ("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/usr/share/ca-certificates", "/usr/lib/ssl")
_LOCKED = _kernel.MOUNT_ATTR_RDONLY | _kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NODEV
_NOBODY = 0x70000000
_FEWEST_USERS = 20_000
_PLAIN_NAMESPACES = (
    _kernel.CLONE_NEWNS | _kernel.CLONE_NEWNET | _kernel.CLONE_NEWIPC | _kernel.CLONE_NEWUTS | _kernel.CLONE_NEWCGROUP
)
_OWN_NAMESPACES = _kernel.CLONE_NEWUSER | _kernel.CLONE_NEWPID


class Lent(NamedTuple):
    """A file or directory of the host to be shown at *place*, as the own of *user* where that is not 0.

    Whether it *must* be that, and which one it has to be: its device and number, if that was looked at before.
    """

    path: str
    place: str
    user: int = 0
    must: bool = True
    write: bool = False
    same: tuple[int, int] | None = None


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
        if jail.config["data"]:
            _kernel.unshare(_kernel.CLONE_NEWPID)
            return os.fork()
        build_root(jail.config, _workspace(jail.config, jail.user))
        become(jail.user)
        _kernel.unshare(_OWN_NAMESPACES)
        _map_ids(jail.proc, jail.user, jail.user)
    else:
        user, group = os.getuid(), os.getgid()
        _kernel.unshare(_PLAIN_NAMESPACES | _OWN_NAMESPACES)
        _map_ids(jail.proc, user, group)
        socket.sethostname("mayfly")
        if not jail.config["data"]:
            build_root(jail.config, _workspace(jail.config, 0))
    return os.fork()


def _workspace(config: dict[str, Any], user: int) -> list[Lent]:
    path = config["workspace"]
    write = bool(config["write"])
    return [Lent(str(path), _WORKSPACE, user, must=write, write=write)] if path else []


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


def anybody_can_enter(path: str) -> bool:
    """Whether a user that nobody has can enter a directory and all above it."""
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def readable_files(jail: Jail) -> dict[str, int]:
    """Return what every worker may open, by path, with the rights to it."""
    config = jail.config
    if jail.level == "namespaces":
        paths = {"/": _landlock.READ, "/dev/null": _landlock.READ | _landlock.WRITE_FILE}
    else:
        paths = {"/dev/null": _landlock.READ | _landlock.WRITE_FILE, "/dev/urandom": _landlock.READ}
        for path in _visible(config):
            paths |= _readable(path, config["packages"], _concealed(config))
    return paths


def restrict_files(jail: Jail, more: dict[str, int] | None = None) -> None:
    """Let this process open what every worker may, and *more*, and nothing else."""
    config, paths = jail.config, {**jail.readable, **(more or {})}
    start = "/"
    if config["workspace"]:
        start = _WORKSPACE if jail.level == "namespaces" else config["workspace"]
        paths[start] = _landlock.WRITE if config["write"] else _landlock.READ
    os.chdir(start)
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


def _standard_library() -> list[str]:
    """Return the directories of the standard library."""
    paths = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    paths |= {os.path.realpath(p) for p in sys.path if p.endswith("lib-dynload")}
    return sorted(p for p in paths if os.path.isdir(p) and not any(p.startswith(q + "/") for q in paths))


def _visible(config: dict[str, object]) -> list[str]:
    """Return every path to show read-only, the workspace aside."""
    paths = [*_standard_library(), _ZONES]
    if config["packages"]:
        packages = config["packages"]
        assert isinstance(packages, list)
        paths += [*packages, *_LIBRARIES]
    if config["net"]:
        paths += [*_CERTIFICATES, *([str(config["certificates"])] if config["certificates"] else [])]
    present = {p for p in paths if os.path.exists(p)}
    return sorted(p for p in present if not any(p.startswith(q + "/") for q in present))


def _concealed(config: dict[str, object]) -> list[str]:
    """Return the directories below visible paths that are not to be seen: packages nobody granted, and Mayfly."""
    granted, ourselves = config["packages"], config["ourselves"]
    assert isinstance(granted, list)
    assert isinstance(ourselves, list)
    found = [f"{path}/{name}" for path in _visible(config) if path not in granted for name in _HIDDEN]
    closed = [path for path in found if not any(p == path or p.startswith(path + "/") for p in granted)]
    return [path for path in (*closed, *ourselves) if os.path.isdir(path)]


def build_root(config: dict[str, Any], lent: Sequence[Lent] = ()) -> None:
    """Build the tree in a fresh mount namespace and make it the root; nothing is written outside of it."""
    _kernel.mount("none", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
    trees = [(one, _open_tree(one)) for one in lent]
    shown = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in _visible(config)]
    devices = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in _DEVICES]
    hidden = _concealed(config)
    base = "/tmp" if os.path.isdir("/tmp") else "/"
    _kernel.mount("tmpfs", base, "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, "size=1m,mode=755")
    os.chdir(base)
    for path, fd in shown:
        _bind(fd, path)
    for path in hidden:
        if os.path.isdir("." + path):
            _kernel.cover("." + path)
    for path, _ in shown:
        _kernel.mount_attributes(-100, "." + path, set_=_LOCKED)
    for path, fd in devices:
        _bind(fd, path)
        _kernel.mount_attributes(-100, "." + path, set_=_kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NOEXEC)
    for one, tree in trees:
        _mount_tree(one, tree)
    for _, fd in (*shown, *devices):
        os.close(fd)
    _links(config)
    _kernel.mount_attributes(-100, ".", set_=_LOCKED | _kernel.MOUNT_ATTR_NOEXEC, recursive=False)
    _kernel.pivot_root()


def _bind(fd: int, path: str) -> None:
    """Show what *fd* names at *path* under the working directory, making the mount point first."""
    _kernel.bind(fd, _mount_point(path, directory=os.path.isdir(f"/proc/self/fd/{fd}")))


def _mount_point(path: str, *, directory: bool) -> str:
    """Make an empty file or directory at *path* under the working directory; return its name there."""
    target = "." + path
    os.makedirs(target if directory else os.path.dirname(target), exist_ok=True)
    if not directory:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
    return target


def _links(config: dict[str, object]) -> None:
    """Repeat the top-level links (`/lib` to `/usr/lib`) that binding followed."""
    for name in ("/lib", "/lib64"):
        if config["packages"] and os.path.islink(name) and not os.path.lexists("." + name):
            os.symlink(os.readlink(name), "." + name)


def _open_tree(lent: Lent) -> int:
    """Return a detached mount of what is lent, with its owner shown as its user where we can arrange that."""
    flags = _kernel.OPEN_TREE_CLONE | os.O_CLOEXEC | _kernel.AT_RECURSIVE
    tree = _kernel.syscall("open_tree", -100, os.fsencode(lent.path), flags)
    found = os.fstat(tree)
    check_same(lent.path, found, lent.same)
    if lent.user and os.geteuid() == 0:
        try:
            _map_owner(tree, found, lent.user)
        except OSError as error:
            if lent.must:
                how = " for writing" if lent.write else ""
                raise OSError(
                    error.errno, f"root cannot lend {lent.path}{how} on this file system ({error.strerror})"
                ) from None
    return tree


def check_same(path: str, found: os.stat_result, same: tuple[int, int] | None) -> None:
    """Raise an `OSError` where *path* leads to another file than it did."""
    if same is not None and (found.st_dev, found.st_ino) != tuple(same):
        raise OSError(errno.ESTALE, f"{path} was replaced by another file while the job began")


def _map_owner(tree: int, owner: os.stat_result, user: int) -> None:
    userns = _kernel.make_user_namespace(f"{owner.st_uid} {user} 1", f"{owner.st_gid} {user} 1")
    try:
        _kernel.mount_attributes(tree, "", set_=_kernel.MOUNT_ATTR_IDMAP, userns=userns)
    finally:
        os.close(userns)


def _mount_tree(lent: Lent, tree: int) -> None:
    target = _mount_point(lent.place, directory=stat.S_ISDIR(os.fstat(tree).st_mode))
    _kernel.syscall("move_mount", tree, b"", -100, os.fsencode(target), _kernel.MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)
    attributes = _LOCKED | _kernel.MOUNT_ATTR_NOEXEC
    kept = attributes & ~_kernel.MOUNT_ATTR_RDONLY if lent.write else attributes
    _kernel.mount_attributes(-100, target, set_=kept)
