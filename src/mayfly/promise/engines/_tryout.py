"""A Ray cluster on loopback of this machine, to try things out: up, status, down.

Its address, its processes and where its password is are kept in the state directory. It is started with a clean
environment and asks for a token, so other accounts of this machine cannot use it.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mayfly.core import InputError, MachineError, Settings, write_whole
from mayfly.promise.engines._connect import NodeAddress, answers, import_ray
from mayfly.promise.engines._host import plain_environment

# In the environment of every process of a cluster, by which exactly those are found and ended.
MARK = "MAYFLY_RAY_CLUSTER"
MOST_NODES = 32
START_SECONDS = 120.0
STOP_SECONDS = 20.0
# How long the helpers that Ray leaves behind may outlive the keeper.
GRACE = 2.0
OBJECT_STORE = 512 * 1024 * 1024
LEAST_OBJECT_STORE = 80 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What is known of a cluster that was started here."""

    id: str
    host: str
    port: int
    client: int | None
    nodes: int
    cpus: int
    keeper: int
    raylets: tuple[int, ...]
    directory: str

    @property
    def address(self) -> NodeAddress:
        """Where it is."""
        return NodeAddress(self.host, self.port)

    @property
    def token(self) -> Path:
        """The file with its password."""
        return Path(self.directory, "token")

    @property
    def raylets_alive(self) -> tuple[bool, ...]:
        """Whether each node is alive."""
        return tuple(carries(pid, self.id) for pid in self.raylets)

    @property
    def alive(self) -> bool:
        """Whether it still runs, or only its traces are left."""
        return carries(self.keeper, self.id) and answers(self.address)


class TryOut:
    """Start, find and end the one try-out cluster of a state directory."""

    def __init__(self, settings: Settings) -> None:
        self._home = settings.state / "ray"
        self._file = self._home / "cluster.json"

    def find(self) -> Cluster | None:
        """Return what was started, alive or not."""
        try:
            fields = json.loads(self._file.read_text(encoding="utf-8"))
            return Cluster(**{**fields, "raylets": tuple(fields["raylets"])})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(f"{self._file}: {error}", fix="remove the file") from None

    def expect(self) -> Cluster:
        """Return the cluster that is up, or say how to start one."""
        found = self.find()
        if found is None:
            raise MachineError("no Ray cluster was started on this machine", fix="run: mayfly ray up")
        if not found.alive:
            raise MachineError("the Ray cluster of this machine died", fix="run: mayfly ray down, then: mayfly ray up")
        return found

    def token_for(self, address: NodeAddress) -> Path | None:
        """Return the password file where *address* is that of the cluster started here."""
        found = self.find()
        ours = {found.address, NodeAddress(found.host, found.client or 0)} if found is not None else set()
        return found.token if found is not None and address in ours else None

    def up(
        self, *, nodes: int = 2, cpus: int | None = None, client: bool = False, with_parent: bool = False
    ) -> tuple[Cluster, bool]:
        """Start a cluster and return it with True, or the one that is up with False."""
        if not 1 <= nodes <= MOST_NODES:
            raise InputError(f"--nodes must be from 1 to {MOST_NODES}, not {nodes}")
        if cpus is not None and cpus < 1:
            raise InputError(f"--cpus must be at least 1, not {cpus}")
        import_ray()
        with self._locked():
            found = self.find()
            if found is not None and found.alive:
                return found, False
            if found is not None:
                self._end(found)
            cores = cpus or max(1, (os.cpu_count() or 1) // nodes)
            wanted = {"nodes": nodes, "cpus": cores, "with_parent": with_parent, "object_store": _store_size(nodes)}
            ports = _free_ports(2) if client else [0, 0]
            cluster = self._start({**wanted, "client": ports[0], "agent": ports[1]})
            write_whole(self._file, json.dumps(asdict(cluster)).encode())
            return cluster, True

    def down(self) -> tuple[Cluster | None, int]:
        """End what `up` started, and return it with the number of processes that had to be killed."""
        with self._locked():
            found = self.find()
            return found, self._end(found) if found is not None else 0

    def _start(self, wanted: dict[str, Any]) -> Cluster:
        # Sockets live below this directory and their paths must be short, which the state directory's need not be.
        directory = Path(tempfile.mkdtemp(prefix="mayfly-ray-", dir="/tmp"))
        mark = secrets.token_hex(8)
        (directory / "ray").mkdir(mode=0o700)
        write_whole(directory / "token", secrets.token_hex(32).encode())
        try:
            told = json.loads(_launch(directory, mark, wanted))
        except BaseException:
            end_cluster(mark)
            shutil.rmtree(directory, ignore_errors=True)
            raise
        host, _, port = told["address"].rpartition(":")
        return Cluster(
            id=mark,
            host=host,
            port=int(port),
            client=wanted["client"] or None,
            nodes=wanted["nodes"],
            cpus=wanted["cpus"],
            keeper=told["pid"],
            raylets=tuple(told["raylets"]),
            directory=str(directory),
        )

    def _end(self, cluster: Cluster) -> int:
        killed = end_cluster(cluster.id, keeper=cluster.keeper)
        shutil.rmtree(cluster.directory, ignore_errors=True)
        self._file.unlink(missing_ok=True)
        return killed

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._home / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def cluster_processes(cluster: Cluster) -> list[int]:
    """Return every process of *cluster*."""
    return marked(cluster.id)


def marked(mark: str) -> list[int]:
    """Return every living process whose environment carries *mark*."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if pid != os.getpid() and carries(pid, mark)]


def carries(pid: int, mark: str) -> bool:
    """Say whether *pid* is a living process with *mark*; one that ended has no environment any more."""
    try:
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def end_cluster(mark: str, *, keeper: int | None = None) -> int:
    """Have the keeper end its nodes, then kill the rest of *mark*; return how many had to be killed."""
    deadline = time.monotonic() + STOP_SECONDS
    if keeper is not None:
        _signal(keeper, mark, signal.SIGTERM)
        while carries(keeper, mark) and time.monotonic() < deadline:
            time.sleep(0.1)
        deadline = min(deadline, time.monotonic() + GRACE)
        while marked(mark) and time.monotonic() < deadline:
            time.sleep(0.1)
    left = marked(mark)
    killed = len(left)
    while left:
        for pid in left:
            _signal(pid, mark, signal.SIGKILL)
        time.sleep(0.05)
        left = marked(mark)
    return killed


def _signal(pid: int, mark: str, number: int) -> None:
    """Send a signal to *pid* if it still carries *mark*, and to no process that took its number meanwhile."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if carries(pid, mark):
            signal.pidfd_send_signal(handle, number)
    except OSError:
        return
    finally:
        os.close(handle)


def _launch(directory: Path, mark: str, wanted: dict[str, Any]) -> str:
    """Start the keeper in a session of its own and return the first line it says; its last words otherwise."""
    environment = plain_environment() | {
        MARK: mark,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": str(directory),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(directory / "token"),
        # Named for other systems, it makes Ray keep to loopback on this one.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    }
    heard, said = os.pipe()
    with open(heard, encoding="utf-8") as stream:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, said, 1),
            (os.POSIX_SPAWN_OPEN, 2, str(directory / "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        ]
        command = [sys.executable, "-m", "mayfly.promise.engines._keeper", json.dumps(wanted)]
        try:
            os.posix_spawn(sys.executable, command, environment, file_actions=actions, setsid=True)
        finally:
            os.close(said)
        ready, _, _ = select.select([stream], [], [], START_SECONDS)
        line = stream.readline() if ready else ""
    if line:
        return line
    words = [line for line in (directory / "log").read_text(errors="replace").splitlines() if line.strip()]
    why = words[-1].strip() if words and ready else f"nothing was heard for {START_SECONDS:g} s"
    raise MachineError(f"the Ray cluster did not start: {why}")


def _store_size(nodes: int) -> int:
    """Return how much shared memory a node may use, so that all of them leave half of what is free."""
    free = shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else 0
    return max(LEAST_OBJECT_STORE, min(OBJECT_STORE, free // (2 * nodes)))


def _free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
