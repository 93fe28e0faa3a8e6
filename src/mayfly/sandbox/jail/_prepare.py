"""Make the zygote ready before the walls close: modules, import paths, environment, and what a job will touch."""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
import importlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, NoReturn

from . import _job, _modules, _prefault, _walls
from ._state import CHANNEL, HIGH, Jail, high, open_channel, request
from ._wire import PORT


def preload(*, net: bool, brief: bool, lean: bool) -> None:
    """Import what jobs will: a later import of an extension module would need executable memory.

    In a zygote for a few jobs each of them imports the rest by itself, which takes that job longer.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _preloaded(net=net, brief=brief, lean=lean):
            with contextlib.suppress(ImportError, OSError):
                importlib.import_module(name)


def _preloaded(*, net: bool, brief: bool, lean: bool) -> list[str]:
    if lean:
        return _modules.LEAN_EXTENSIONS if brief else _modules.LEAN
    extensions: set[str] = set()
    for path in sys.path:
        if path.endswith("lib-dynload") and os.path.isdir(path):
            extensions |= {name.split(".")[0] for name in os.listdir(path)}
    # This one imports the whole of asyncio, which does without where it has to.
    skipped = (*_modules.SKIPPED, "_asyncio") if brief else _modules.SKIPPED
    wanted = sorted(name for name in extensions if not name.startswith(skipped))
    return [*(() if brief else _modules.PURE), *(_modules.NET if net else ()), *wanted]


class LeanFinder:
    """Stand in for `PathFinder` in a lean worker, and give the job up where it needs an extension module."""

    def __init__(self, give_up: Callable[[], NoReturn]) -> None:
        self._give_up = give_up

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find what `PathFinder` would."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
            self._give_up()
        return spec


def prepare_imports(jail: Jail) -> None:
    packages = [p for p in jail.config["packages"] if os.path.isdir(p)]
    sys.path[:] = [*(p for p in sys.path if os.path.isdir(p)), *packages]
    if jail.level == "landlock" and jail.root:
        _reach_by_descriptor(jail)
    _list_libraries()
    if jail.config["lean"]:
        sys.meta_path[sys.meta_path.index(PathFinder)] = LeanFinder(jail.worker.give_up)
    sys.dont_write_bytecode = True


def _reach_by_descriptor(jail: Jail) -> None:
    """Let an unprivileged uid import what lies below a directory only root can enter, such as /root."""
    for path in [p for p in sys.path if not _walls.anybody_can_enter(p)]:
        jail.kept.append(high(os.open(path, os.O_PATH | os.O_DIRECTORY)))
        new = f"/proc/self/fd/{jail.kept[-1]}"
        sys.path[sys.path.index(path)] = new
        for module in list(sys.modules.values()):
            places = getattr(module, "__path__", None)
            if isinstance(places, list):
                places[:] = [new + p[len(path) :] if p.startswith(path + "/") else p for p in places]
    sys.path_importer_cache.clear()


def _list_libraries() -> None:
    """Have the import system list its directories while it may; afterwards it may read what is in them only."""
    PathFinder.find_spec("mayfly_lists_directories")


def set_environment(jail: Jail) -> None:
    os.environ.clear()
    if jail.config["net"]:
        proxy = f"http://127.0.0.1:{PORT}"
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            os.environ[name] = proxy
        if jail.config["certificates"]:
            os.environ["SSL_CERT_FILE"] = os.environ["REQUESTS_CA_BUNDLE"] = jail.config["certificates"]


def hide_ourselves() -> None:
    """Leave a job the modules and arguments of a plain interpreter; Mayfly itself cannot be imported."""
    _job.forbid_compiler()
    for name in [n for n in sys.modules if n.partition(".")[0] in ("jail", "__main__")]:
        del sys.modules[name]
    sys.modules["__main__"] = type(sys)("__main__")
    sys.argv[:] = [""]


def write_to_nowhere() -> None:
    """Let `open` write to /dev/null by descriptor 0, which is it: without a grant no path is opened for writing."""
    plain = builtins.open

    @functools.wraps(plain)
    def open(file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if mode not in ("r", "rb") and str(file) == os.devnull:
            file = os.dup(0)
        return plain(file, mode, *rest, **options)

    vars(builtins)["open"] = vars(io)["open"] = open


def silence() -> None:
    """Put nothing in place of the standard streams."""
    null = os.open("/dev/null", os.O_RDWR)
    for target in (0, 1, 2):
        os.dup2(null, target)
    os.close(null)


def open_worker(jail: Jail) -> None:
    """Have the worker-to-be make what it reads from, while a channel is there."""
    open_channel()
    jail.worker.open(CHANNEL)
    os.closerange(CHANNEL, HIGH)


def learn(jail: Jail, confine: Callable[[], None]) -> None:
    """Rehearse here once, so that workers inherit filled caches; then watch a child to learn what a job touches."""
    trivial, broad = request("def run(argument): return argument"), request(jail.warm_up)
    open_channel(broad, trivial, trivial, broad)
    for _ in range(2):
        jail.worker.rehearse()
    gc.collect()
    gc.freeze()

    def rehearsal(note: Callable[[], None]) -> None:
        confine()
        for _ in range(2):
            jail.worker.rehearse()
            note()

    learned = _prefault.learn(jail.proc, rehearsal, 2)
    os.closerange(CHANNEL, HIGH)
    if len(learned) == 2:
        trivially, broadly = learned
        jail.first = _prefault.Bulk(trivially.written)
        jail.later = _prefault.Touched(written=broadly.written, read=trivially.read + broadly.read)
