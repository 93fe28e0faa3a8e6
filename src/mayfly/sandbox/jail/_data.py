"""Workers for jobs about data: DuckDB is there before the walls close, and one job's files are all there is to query.

What is said here about settings of DuckDB is for quality: a program that opens another database gets none of them. What
holds it is what holds every job, the kernel.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from types import ModuleType
from typing import Any, NamedTuple

from . import _kernel, _landlock, _walls, _wire
from ._state import Jail

_FILES, _SPILL = "/data", "/spill"
# DuckDB looks for the limits of its control group, and does not survive a file that is there and cannot be read.
_GROUP = "/proc/self/cgroup"
# By controller, the unified hierarchy having none.
_LIMITS = {
    "": ("cpu.max", "memory.max"),
    "cpu": ("cpu.cfs_quota_us", "cpu.cfs_period_us"),
    "memory": ("memory.limit_in_bytes",),
}
# The part of its memory that DuckDB may plan with: it does not count all it holds, such as what it hands to Python.
_PLANNED = 0.75
# The part of what may be written to disk: so it is DuckDB that says what is missing, in words.
_SPILLED = 0.9
_STEP = 0.2


class Setup(NamedTuple):
    """What one job is given: what its files are called inside, where it may write, and what it may use."""

    names: list[str]
    spill: str
    processor: int
    memory: int
    mapped: int


class _OnlyDuckDB:
    """Find DuckDB where it is installed, and none of its neighbours."""

    def __init__(self, places: list[str]) -> None:
        self._places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the package and its extension module; what is in the package is found by its own path."""
        return PathFinder.find_spec(name, self._places) if name in ("duckdb", "_duckdb") else None

    def find_distributions(self, context: DistributionFinder.Context) -> Iterator[Distribution]:
        """Find what is written about the package: it looks up its own version."""
        wanted = DistributionFinder.Context(name=context.name, path=self._places)
        yield from MetadataPathFinder.find_distributions(wanted) if context.name == "duckdb" else ()


def preload(places: list[str]) -> None:
    """Import DuckDB, which needs executable memory; a database starts threads, and is opened by each worker."""
    finder = _OnlyDuckDB(places)
    sys.meta_path.append(finder)
    try:
        importlib.import_module("duckdb")
    except ImportError as error:
        raise OSError(f"DuckDB cannot be imported: {error}") from None
    finally:
        sys.meta_path.remove(finder)


def furnish(jail: Jail, user: int) -> Setup:
    """In a worker that is not confined yet: read what it is given, show it that and nothing else."""
    _kernel.prctl(_kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # it may have to wait, and holds what its zygote holds
    told = json.loads(jail.worker.receive(*_wire.SETUP.unpack(jail.worker.receive(_wire.SETUP.size))))
    show = _show_by_mounts if jail.level == "namespaces" else _show_by_links
    names, spill, opened = show(jail, told["files"], told["scratch"], user)
    _walls.restrict_files(jail, opened | {spill: _landlock.SPILL})
    return Setup(names, spill, told["processor"], told["memory"], told["mapped"])


def _show_by_mounts(jail: Jail, files: list[Any], scratch: str, user: int) -> tuple[list[str], str, dict[str, int]]:
    """Build a root with the files in it, and leave the namespace that could change it."""
    names = [f"{_FILES}/{number}/{name}" for number, (_, name, *_) in enumerate(files)]
    spill = f"{scratch}/spill"
    if jail.root:
        os.chown(spill, user, user)
    lent = [
        _walls.Lent(path, name, 0 if _for_everybody(path) else user, same=(device, inode))
        for name, (path, _, device, inode) in zip(names, files, strict=True)
    ]
    _walls.build_root(jail.config, [*lent, _walls.Lent(spill, _SPILL, write=True)])
    if jail.root:
        _walls.become(user)
    _kernel.unshare(_kernel.CLONE_NEWUSER)
    return names, _SPILL, {}


def _show_by_links(jail: Jail, files: list[Any], scratch: str, user: int) -> tuple[list[str], str, dict[str, int]]:
    """Link to the files from a directory of the job's own, and let it open what is at the other end."""
    names, opened = [], {path: _landlock.READ for path in _group_files() if os.path.isfile(path)}
    for number, (path, name, device, inode) in enumerate(files):
        _walls.check_same(path, os.stat(path), (device, inode))
        names.append(f"{scratch}/{number}/{name}")
        os.makedirs(os.path.dirname(names[-1]))
        # Whom root steps down to can open what everybody can, in directories that everybody can enter.
        if jail.root and not (_for_everybody(path) and _walls.anybody_can_enter(os.path.dirname(path))):
            shutil.copyfile(path, names[-1])
            path = names[-1]
        else:
            os.symlink(path, names[-1])
        opened[path] = _landlock.READ
    if jail.root:
        os.chown(scratch, user, user)
        os.chown(f"{scratch}/spill", user, user)
    return names, f"{scratch}/spill", opened


def _group_files() -> Iterator[str]:
    """Yield the names of the files in which DuckDB looks for the limits of its control group and those above it."""
    yield _GROUP
    with suppress(FileNotFoundError), open(_GROUP) as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            for controller in controllers.split(","):
                top = f"/sys/fs/cgroup/{controller}".rstrip("/")
                parts = path.strip("/").split("/")
                above = ["/".join((top, *parts[:depth])) for depth in range(len(parts) + 1)]
                yield from (f"{place}/{name}" for place in above for name in _LIMITS.get(controller, ()))


def _for_everybody(path: str) -> bool:
    return bool(os.stat(path).st_mode & stat.S_IROTH)


def open_database(jail: Jail, setup: Setup) -> None:
    """In a confined worker: hold it to what the job may use, and make the database that `duckdb.execute` queries."""
    import duckdb

    resource.setrlimit(resource.RLIMIT_CPU, (setup.processor, setup.processor))
    resource.setrlimit(resource.RLIMIT_AS, (jail.base + setup.mapped, jail.base + setup.mapped))
    config = jail.config["data"]
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": config["threads"],
            "async_threads": config["threads"],  # which wait for disks
            "memory_limit": f"{int(setup.memory * _PLANNED)}B",
            "temp_directory": setup.spill,
            "max_temp_directory_size": f"{int(config['spill'] * _SPILLED)}B",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    paths = ", ".join("'" + name.replace("'", "''") + "'" for name in setup.names)
    for setting in (
        f"allowed_paths = [{paths}]",
        "TimeZone = 'UTC'",
        "enable_progress_bar = true",
        "enable_progress_bar_print = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    duckdb.set_default_connection(connection)
    jail.worker.data = setup.names[0] if len(setup.names) == 1 else setup.names
    jail.worker.memory_errors = (MemoryError, duckdb.OutOfMemoryException)
    jail.worker.watch = partial(_tell_progress, connection)


@contextmanager
def _tell_progress(connection: Any, tell: Callable[[bytes], None]) -> Iterator[None]:
    """Tell, while the block runs, how far the query of a connection is, from another thread."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_STEP):
            percent = connection.query_progress()
            if percent >= 0:
                tell(b"%.4f" % (percent / 100))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
