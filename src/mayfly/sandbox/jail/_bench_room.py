"""The file tree a command sees: programs read-only, the workspace under an overlay at its own path, scratch space.

Everything else of the machine is absent, not forbidden: the root is an empty tmpfs, and what is shown is bound into it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import Any

from . import _kernel
from ._bench_owner import Owner

_SEALED = _kernel.MOUNT_ATTR_RDONLY | _kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NODEV
_SCRATCH = _kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NODEV
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {
    "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0",
    "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
    "dev/ptmx": "pts/ptmx",
}
_STAGE = ".stage"
# What is below it is ours to make mount points in; the rest of the root is sealed before the command starts.
_BASE = "/tmp"


class Room:
    """Build the tree of one command; to be called in a mount namespace of its own, as the first of its processes."""

    def __init__(self, config: dict[str, Any], owner: Owner) -> None:
        self._config = config
        self._owner = owner
        # Where mount points below a scratch directory are made: in its source, which is not mounted with other owners.
        self._scratch: dict[str, int] = {}

    def build(self) -> None:
        """Mount everything and make it the root."""
        config = self._config
        _kernel.mount("none", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
        self._open_sources()
        _kernel.mount("tmpfs", _BASE, "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, "size=16m,mode=755")
        os.chdir(_BASE)
        for path in config["shown"]:
            self._show(path)
        for target in sorted(config["scratch"], key=len):  # one that lies in another after that
            source = self._sources[config["scratch"][target]]
            self._bind(source, target, _SCRATCH)
            self._scratch[target] = source
        for path in config["tools"]:
            self._show(path)
        for path in config["granted"]:
            self._bind_sealed(path)
        self._mount_workspace()
        for path in config["mounts"]:
            self._bind_below_workspace(path)
        for path in config["covered"]:
            self._cover(path)
        self._write_files()
        self._make_devices()
        self._make_point("/proc", directory=True)
        _kernel.mount("proc", "./proc", "proc", _kernel.MS_NOSUID | _kernel.MS_NODEV | 8)  # MS_NOEXEC
        for descriptor in self._sources.values():
            os.close(descriptor)
        self._own.clear()
        _kernel.mount_attributes(-100, ".", set_=_SEALED, recursive=False)
        _kernel.pivot_root()

    def _open_sources(self) -> None:
        """Open all that will be shown, while its path still leads there."""
        config = self._config
        wanted = [
            *config["shown"],
            *config["tools"],
            *config["granted"],
            *config["mounts"],
            *config["scratch"].values(),
        ]
        self._sources: dict[str, int] = {}
        self._own: dict[str, int] = {}
        for path in (*wanted, config["workspace"], config["overlay"]):
            if path not in self._sources and not (path in config["shown"] and os.path.islink(path)):
                self._sources[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)
        for name in _DEVICES:
            self._sources[f"/dev/{name}"] = os.open(f"/dev/{name}", os.O_PATH | os.O_CLOEXEC)

    def _show(self, path: str) -> None:
        if path in self._sources:
            self._bind(self._sources[path], path, _SEALED, owned=False)
        elif not os.path.lexists("." + path):
            os.makedirs(os.path.dirname("." + path), exist_ok=True)
            os.symlink(self._config["links"][path], "." + path)

    def _bind(self, source: int, path: str, attributes: int, *, owned: bool = True) -> None:
        """Bind what is behind a descriptor; what is *owned* is the user's, whose owners are to be seen as they are."""
        self._make_point(path, directory=stat.S_ISDIR(os.fstat(source).st_mode))
        if owned:
            self._owner.bind(source, "." + path)
        else:
            _kernel.bind(source, "." + path)
        _kernel.mount_attributes(-100, "." + path, set_=attributes)

    def _bind_sealed(self, path: str) -> None:
        """Bind a directory to be read; on a file system whose owners cannot be shifted, what everybody may read."""
        try:
            self._bind(self._sources[path], path, _SEALED)
        except OSError:
            self._bind(self._sources[path], path, _SEALED, owned=False)

    def _bind_below_workspace(self, path: str) -> None:
        """Bind a mount of the workspace where commands left its place as it was; a link there could lead anywhere."""
        place = _BASE + path
        is_directory = stat.S_ISDIR(os.fstat(self._sources[path]).st_mode)
        if os.path.realpath(place) == place and os.path.lexists(place) and os.path.isdir(place) == is_directory:
            self._bind_sealed(path)

    def _make_point(self, path: str, *, directory: bool) -> None:
        """Make what a mount needs to stand on."""
        if directory:
            self._make_directory(path)
            return
        place = f"{self._make_directory(os.path.dirname(path))}/{os.path.basename(path)}"
        if not os.path.lexists(place):
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))

    def _make_directory(self, path: str) -> str:
        """Make a directory and return a path by which we may write to it: scratch is mounted with owners we are not."""
        scratch = self._scratch_of(path)
        if not scratch:
            with contextlib.suppress(OSError):
                os.makedirs("." + path, exist_ok=True)
            return "." + path
        source, inside = self._scratch[scratch], os.path.relpath(path, scratch)
        _make_beneath(source, inside)
        return f"/proc/self/fd/{source}/{inside}"

    def _scratch_of(self, path: str) -> str:
        """Return the scratch directory that *path* lies in, the innermost: a home may lie below /tmp."""
        return max((one for one in self._scratch if f"{path}/".startswith(one + "/")), key=len, default="")

    def _mount_workspace(self) -> None:
        config = self._config
        path = config["workspace"]
        self._make_point(path, directory=True)
        if config["mode"] == "copy":
            self._bind(self._sources[config["overlay"]], path, _SCRATCH)
            return
        os.mkdir(_STAGE)
        _kernel.mount("tmpfs", _STAGE, "tmpfs", 0, "size=64k,mode=700")
        os.chdir(_STAGE)
        for name, source in (("low", path), ("state", config["overlay"])):
            os.mkdir(name)
            self._owner.bind(self._sources[source], name)
        options = "lowerdir=state/mask:low,upperdir=state/upper,workdir=state/work"
        self._owner.mount_overlay(f"..{path}", options)
        os.chdir("..")
        _kernel.unmount(_STAGE)
        os.rmdir(_STAGE)
        if config["alias"] and not config["alias"].startswith(path + "/"):
            self._make_link(config["alias"], path)

    def _make_link(self, alias: str, path: str) -> None:
        """Give the workspace the other name that it has outside."""
        with contextlib.suppress(OSError):
            place = f"{self._make_directory(os.path.dirname(alias))}/{os.path.basename(alias)}"
            if not os.path.lexists(place):
                os.symlink(path, place)

    def _cover(self, path: str) -> None:
        """Put nothing in the place of a file or directory that is not to be read."""
        if os.path.isdir("." + path):
            _kernel.cover("." + path)
        elif os.path.exists("." + path):
            _kernel.mount("./dev-null", "." + path, "", _kernel.MS_BIND)

    def _write_files(self) -> None:
        """Write our own small files; one that is to be seen in a sealed directory is bound over what is there."""
        for number, (path, text) in enumerate(self._config["files"].items()):
            place = "." + path
            if path.startswith("/run/"):
                os.makedirs(os.path.dirname(place), exist_ok=True)
            elif not os.path.isfile(place):
                continue
            else:
                place = f"./run/over-{number}"
                os.makedirs("./run", exist_ok=True)
            with open(place, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            os.chmod(place, 0o755 if text.startswith("#!") else 0o644)
            if place != "." + path:
                _kernel.mount(place, "." + path, "", _kernel.MS_BIND)
                _kernel.mount_attributes(-100, "." + path, set_=_SEALED)

    def _make_devices(self) -> None:
        os.makedirs("dev/pts", exist_ok=True)
        os.makedirs("dev/shm", exist_ok=True)
        for name in _DEVICES:
            path = f"/dev/{name}"
            source = self._sources[path]
            os.close(os.open("." + path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            _kernel.bind(source, "." + path)
            attributes = _kernel.MOUNT_ATTR_NOSUID | _kernel.MOUNT_ATTR_NOEXEC
            _kernel.mount_attributes(-100, "." + path, set_=attributes)
        _kernel.mount("devpts", "dev/pts", "devpts", _kernel.MS_NOSUID | 8, "newinstance,ptmxmode=0666,mode=0620")
        shared = f"size={self._config['memory'] // 2},mode=1777"
        _kernel.mount("tmpfs", "dev/shm", "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, shared)
        for link, target in _LINKS.items():
            os.symlink(target, link)


def _make_beneath(directory: int, path: str) -> None:
    """Make the directories of *path* in a scratch directory, never by a link that an earlier command may have left."""
    here = os.dup(directory)
    for name in path.split("/"):
        try:
            os.mkdir(name, dir_fd=here)
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=here)
                os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
