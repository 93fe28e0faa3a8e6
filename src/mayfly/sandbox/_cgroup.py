"""Control groups: the kernel's own count of all that a worker holds, its buffers and tables included.

A limit on address space does not see what the kernel keeps for a process. Where this process may make control groups,
each worker gets one, from a pool, with limits on memory and tasks and a share of the processor like any other process,
however many threads it has. Where it may not, the filter alone bounds what there is to hold (docs/trust.md says how
much), so to have none is no failure.

    v1     below the group we are in, where a hierarchy is mounted for writing
    v2     beside the group we are in, if what is above was delegated to us; below it, if it is the root of all, or of a
           container and holds nobody but us, who then move into a group of their own
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

# What a worker has beside the memory of its job: its copies of the interpreter's pages, and the kernel's tables.
_OWN = 64 << 20
_WANTED = ("memory", "pids", "cpu")
# Where the kernel counts what it did to those in a group: by controller and version, the file and the word in it.
_COUNTS = {
    ("memory", 1): ("memory.oom_control", "oom_kill"),
    ("memory", 2): ("memory.events", "oom_kill"),
    ("pids", 1): ("pids.events", "max"),
    ("pids", 2): ("pids.events", "max"),
}
_NAME = re.compile(r"mayfly-(\d+)-(\d+)-(\d+)(-host)?$")
# A killed process leaves its group an instant later.
_TIDY_SECONDS = 0.1


class NoGroups(Exception):
    """No control group can be made here; the message says why."""


class Branch(NamedTuple):
    """One hierarchy: the directory our own group is made in, and what it controls."""

    parent: Path
    controls: tuple[str, ...]
    version: int


class Group:
    """The control group of one worker at a time: a directory in each hierarchy."""

    def __init__(self, owner: Groups, paths: dict[str, Path]) -> None:
        self._owner = owner
        self._paths = paths
        self._version = owner.version
        self._limit = 0
        self._tasks = 0
        for path in set(paths.values()):
            path.mkdir(exist_ok=True)
        if owner.version == 2:
            (paths["memory"] / "memory.oom.group").write_text("1")
        self._counted: dict[str, int] = {}

    def begin(self, memory: int, tasks: int) -> None:
        """Hold the next process to *memory* bytes and *tasks* threads, and count anew what becomes of it."""
        self._counted = {control: self._count(control) for control in ("memory", "pids")}
        if tasks != self._tasks and "pids" in self._paths:
            (self._paths["pids"] / "pids.max").write_text(str(tasks))
            self._tasks = tasks
        self.limit(memory)

    def limit(self, memory: int) -> None:
        """Hold a job to *memory* bytes, and what every worker has besides."""
        if memory == self._limit:
            return
        place, size = self._paths["memory"], str(memory + _OWN)
        if self._version == 2:
            (place / "memory.max").write_text(size)
            with contextlib.suppress(FileNotFoundError):  # a kernel without swap
                (place / "memory.swap.max").write_text("0")
        else:
            names = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
            # The kernel holds the second to be no less than the first, in between too.
            for name in names if memory < self._limit or not self._limit else reversed(names):
                with contextlib.suppress(FileNotFoundError):
                    (place / name).write_text(size)
        self._limit = memory

    def add(self, pid: int) -> None:
        """Move a process in; one that has ended meanwhile is no error."""
        if pid <= 0:  # 0 would be ourselves
            return
        for path in dict.fromkeys(self._paths.values()):
            with contextlib.suppress(ProcessLookupError):
                (path / "cgroup.procs").write_text(str(pid))

    @property
    def empty(self) -> bool:
        """Whether nobody is in it, and nobody who has ended is still counted: that lasts until it is reaped."""
        if (self._paths["memory"] / "cgroup.procs").read_text():
            return False
        return "pids" not in self._paths or int((self._paths["pids"] / "pids.current").read_text()) == 0

    def was_killed(self) -> bool:
        """Say whether the kernel has killed somebody in it for want of memory since this was last asked."""
        return self._has_grown("memory")

    def was_refused_tasks(self) -> bool:
        """Say whether somebody in it was refused a thread or a process since this was last asked."""
        return self._has_grown("pids")

    def _has_grown(self, control: str) -> bool:
        before, self._counted[control] = self._counted[control], self._count(control)
        return self._counted[control] > before

    def _count(self, control: str) -> int:
        name, word = _COUNTS[control, self._version]
        try:
            text = (self._paths[control] / name).read_text()
        except (KeyError, OSError):
            return 0
        return int(dict(line.split() for line in text.splitlines()).get(word, 0))

    def give_back(self) -> None:
        """Let another worker have it; whoever is in it now was killed, and may still be about to end."""
        self._owner.give_back(self)

    def remove(self) -> None:
        """Remove the directories; one that somebody is in stays."""
        for path in set(self._paths.values()):
            with contextlib.suppress(OSError):
                path.rmdir()


class Groups:
    """The groups of this process: made when they are first needed, used again, removed with the last sandbox."""

    def __init__(self, branches: list[Branch]) -> None:
        self._branches = branches
        self.version = branches[0].version
        self._name = _own_name()
        self._lock = threading.Lock()
        self._free: deque[Group] = deque()
        self._made = 0
        self._users = 0
        for branch in branches:
            _remove_leftovers(branch.parent)
        self._prepare()

    @property
    def description(self) -> str:
        """Say what is controlled and where."""
        controls = [name for branch in self._branches for name in branch.controls]
        return f"v{self.version}, {', '.join(controls)} in {self._branches[0].parent / self._name}"

    def _prepare(self) -> None:
        for branch in self._branches:
            place = branch.parent / self._name
            place.mkdir(exist_ok=True)
            if branch.version == 2:
                for name in branch.controls:
                    (place / "cgroup.subtree_control").write_text(f"+{name}")

    def join(self) -> None:
        """Count another sandbox that uses them."""
        with self._lock:
            self._users += 1

    def take(self, *, memory: int, tasks: int) -> Group:
        """Return a group nobody is in."""
        with self._lock:
            for _ in range(len(self._free)):
                group = self._free.popleft()
                with contextlib.suppress(FileNotFoundError):  # somebody has tidied up: it is made anew
                    if group.empty:
                        group.begin(memory, tasks)
                        return group
                    self._free.append(group)
            self._made += 1
            number = str(self._made)
        self._prepare()
        paths = {name: branch.parent / self._name / number for branch in self._branches for name in branch.controls}
        group = Group(self, paths)
        group.begin(memory, tasks)
        return group

    def give_back(self, group: Group) -> None:
        """Take a group back."""
        with self._lock:
            self._free.append(group)

    def leave(self) -> None:
        """Count a sandbox less; after the last, remove what is empty. What cannot be is removed by a later process."""
        with self._lock:
            self._users -= 1
            if self._users:
                return
            deadline = time.monotonic() + _TIDY_SECONDS
            while True:
                for group in self._free:
                    group.remove()
                places = [branch.parent / self._name for branch in self._branches]
                for place in places:
                    with contextlib.suppress(OSError):
                        place.rmdir()
                if not any(place.exists() for place in places) or time.monotonic() > deadline:
                    break
                time.sleep(_TIDY_SECONDS / 20)
            self._free.clear()


_looking = threading.Lock()


def find(mounts: str = "/proc/self/mountinfo", own: str = "/proc/self/cgroup") -> Groups:
    """Return the groups of this process, looked for once; raise `NoGroups` with the reason where there can be none."""
    with _looking:
        found = _look_for(os.getpid(), mounts, own)
    if isinstance(found, str):
        raise NoGroups(found)
    return found


@functools.cache
def _look_for(pid: int, mounts: str, own: str) -> Groups | str:
    """Return the groups of process *pid*, which is ours, or why there are none."""
    try:
        return _make(Path(mounts).read_text(), Path(own).read_text())
    except (NoGroups, OSError) as error:
        return str(error)


def join() -> Groups | None:
    """Count one more sandbox that uses the groups of this process, if there are any; it has to leave them."""
    try:
        groups = find()
    except NoGroups:
        return None
    groups.join()
    return groups


def _make(mounts: str, own: str) -> Groups:
    groups = Groups(branches(mounts, own))
    groups.join()
    try:
        group = groups.take(memory=_OWN, tasks=16)
        _try_to_enter(group)
        groups.give_back(group)
    finally:
        groups.leave()
    return groups


def _try_to_enter(group: Group) -> None:
    """Move a process there: whether we may is known only when it is tried."""
    with subprocess.Popen(["/bin/sh", "-c", "read line"], stdin=subprocess.PIPE, env={}) as process:
        group.add(process.pid)


def branches(mounts: str, own: str) -> list[Branch]:
    """Return where groups of ours can be made, from the texts of mountinfo and of our own membership."""
    member = {names: path for _, names, path in (line.split(":", 2) for line in own.splitlines())}
    found: dict[str, Path] = {}
    unified = None
    for line in mounts.splitlines():
        fields, _, kind = line.partition(" - ")
        root, place = fields.split()[3:5]
        if kind.startswith("cgroup2 "):
            unified = _inside(place, root, member.get("", "/"))
        elif kind.startswith("cgroup "):
            options = set(kind.split()[2].split(","))
            for names, path in member.items():
                held = set(names.split(",")) if names else set()
                if held and held <= options and (inside := _inside(place, root, path)):
                    found |= dict.fromkeys(held & set(_WANTED), inside)
    if unified is not None and "memory" in _words(unified / "cgroup.controllers"):
        return [_unified_branch(unified)]
    if "memory" not in found:
        raise NoGroups("no hierarchy with a controller for memory is mounted")
    chosen = [Branch(found[name], (name,), 1) for name in _WANTED if name in found and os.access(found[name], os.W_OK)]
    if not chosen or chosen[0].controls != ("memory",):
        raise NoGroups(f"{found['memory']} is not ours to write to")
    return chosen


def _inside(place: str, root: str, path: str) -> Path | None:
    """Return the directory of group *path* in a mount at *place* that shows the hierarchy from *root* on."""
    relative = os.path.relpath(path, root)
    return None if relative.startswith("..") else Path(place) / relative


def _words(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().split()
    return []


def _unified_branch(own: Path) -> Branch:
    # Only the root of all may hold processes and groups at once; it is the one without a type.
    parent = own if not (own / "cgroup.type").exists() else own.parent
    if not (parent / "cgroup.procs").exists():
        parent = own
        _make_room(own)
    if not os.access(parent, os.W_OK) or not os.access(parent / "cgroup.procs", os.W_OK):
        raise NoGroups(f"{parent} is not delegated to us")
    controls = []
    for name in _WANTED:
        if name not in _words(parent / "cgroup.subtree_control"):
            with contextlib.suppress(OSError):
                (parent / "cgroup.subtree_control").write_text(f"+{name}")
        if name in _words(parent / "cgroup.subtree_control"):
            controls.append(name)
    if "memory" not in controls:
        raise NoGroups(f"{parent} gives no control over memory")
    return Branch(parent, tuple(controls), 2)


def _make_room(own: Path) -> None:
    """In a container whose root group holds us alone: step into a group of our own, so that others can be beside it."""
    if _words(own / "cgroup.procs") != [str(os.getpid())]:
        raise NoGroups(f"{own} holds other processes")
    place = own / f"{_own_name()}-host"
    try:
        place.mkdir(exist_ok=True)
        (place / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        raise NoGroups(f"{own} is not delegated to us: {error.strerror}") from None


def _own_name() -> str:
    """Return a name that says which process made it, in which pid namespace, and when that process started."""
    return f"mayfly-{os.stat('/proc/self/ns/pid').st_ino}-{os.getpid()}-{_start_of(os.getpid())}"


def _start_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return -1


def _remove_leftovers(parent: Path) -> None:
    """Remove the groups of processes that are dead and could not do it."""
    here = os.stat("/proc/self/ns/pid").st_ino
    for place in parent.glob("mayfly-*"):
        match = _NAME.match(place.name)
        if match is None or int(match[1]) != here or _start_of(int(match[2])) == int(match[3]):
            continue
        for inner in (*place.glob("[0-9]*"), place):
            with contextlib.suppress(OSError):
                inner.rmdir()
