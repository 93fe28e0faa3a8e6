"""The file tree a job sees: an empty read-only root with the standard library, zone data and what was granted."""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig

from . import _kernel

WORKSPACE = "/workspace"
_HIDDEN = ("site-packages", "dist-packages")
_DEVICES = ("/dev/null", "/dev/urandom")
_ZONES = "/usr/share/zoneinfo"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_CERTIFICATES = ("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/usr/share/ca-certificates", "/usr/lib/ssl")
_LOCKED = _kernel.MOUNT_ATTR_RDONLY | _kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NODEV


def standard_library() -> list[str]:
    """Return the directories of the standard library."""
    paths = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    paths |= {os.path.realpath(p) for p in sys.path if p.endswith("lib-dynload")}
    return sorted(p for p in paths if os.path.isdir(p) and not any(p.startswith(q + "/") for q in paths))


def visible(config: dict[str, object]) -> list[str]:
    """Return every path to show read-only, the workspace aside."""
    paths = [*standard_library(), _ZONES]
    if config["packages"]:
        packages = config["packages"]
        assert isinstance(packages, list)
        paths += [*packages, *_LIBRARIES]
    if config["net"]:
        paths += [*_CERTIFICATES, *([str(config["certificates"])] if config["certificates"] else [])]
    present = {p for p in paths if os.path.exists(p)}
    return sorted(p for p in present if not any(p.startswith(q + "/") for q in present))


def concealed(config: dict[str, object]) -> list[str]:
    """Return the directories below visible paths that are not to be seen: packages nobody granted, and Mayfly."""
    granted, ourselves = config["packages"], config["ourselves"]
    assert isinstance(granted, list)
    assert isinstance(ourselves, list)
    found = [f"{path}/{name}" for path in visible(config) if path not in granted for name in _HIDDEN]
    closed = [path for path in found if not any(p == path or p.startswith(path + "/") for p in granted)]
    return [path for path in (*closed, *ourselves) if os.path.isdir(path)]


def build(config: dict[str, object], *, user: int) -> None:
    """Build the tree in a fresh mount namespace and make it the root; nothing is written outside of it."""
    _kernel.mount("none", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
    workspace = _open_workspace(config, user)
    shown = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in visible(config)]
    devices = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in _DEVICES]
    hidden = concealed(config)
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
    if workspace is not None:
        _mount_workspace(workspace, write=bool(config["write"]))
    for _, fd in (*shown, *devices):
        os.close(fd)
    _links(config)
    _kernel.mount_attributes(-100, ".", set_=_LOCKED | _kernel.MOUNT_ATTR_NOEXEC, recursive=False)
    _kernel.pivot_root()


def _bind(fd: int, path: str) -> None:
    """Show what *fd* names at *path* under the working directory, making the mount point first."""
    target = "." + path
    if os.path.isdir(f"/proc/self/fd/{fd}"):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
    _kernel.bind(fd, target)


def _links(config: dict[str, object]) -> None:
    """Repeat the top-level links (`/lib` to `/usr/lib`) that binding followed."""
    for name in ("/lib", "/lib64"):
        if config["packages"] and os.path.islink(name) and not os.path.lexists("." + name):
            os.symlink(os.readlink(name), "." + name)


def _open_workspace(config: dict[str, object], user: int) -> int | None:
    """Return a detached mount of the workspace, with its owner shown as *user* where we can arrange that."""
    path = config["workspace"]
    if not path:
        return None
    flags = _kernel.OPEN_TREE_CLONE | os.O_CLOEXEC | _kernel.AT_RECURSIVE
    tree = _kernel.syscall("open_tree", -100, str(path).encode(), flags)
    if user and os.geteuid() == 0:
        try:
            _map_owner(tree, os.stat(str(path)), user)
        except OSError as error:
            if config["write"]:
                raise OSError(
                    error.errno, f"root cannot lend {path} for writing on this file system ({error.strerror})"
                ) from None
    return tree


def _map_owner(tree: int, owner: os.stat_result, user: int) -> None:
    userns = _kernel.make_user_namespace(f"{owner.st_uid} {user} 1", f"{owner.st_gid} {user} 1")
    try:
        _kernel.mount_attributes(tree, "", set_=_kernel.MOUNT_ATTR_IDMAP, userns=userns)
    finally:
        os.close(userns)


def _mount_workspace(tree: int, *, write: bool) -> None:
    target = "." + WORKSPACE
    os.makedirs(target, exist_ok=True)
    _kernel.syscall("move_mount", tree, b"", -100, target.encode(), _kernel.MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)
    attributes = _LOCKED | _kernel.MOUNT_ATTR_NOEXEC
    _kernel.mount_attributes(-100, target, set_=attributes & ~_kernel.MOUNT_ATTR_RDONLY if write else attributes)
