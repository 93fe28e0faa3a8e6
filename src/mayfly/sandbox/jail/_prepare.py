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
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any

from . import _guard, _prefault
from ._state import Jail, high, request
from ._wire import PORT

# Not preloaded: they need a terminal, a screen or a daemon, or exist for CPython's own tests.
_SKIPPED = ("_test", "_xx", "xx", "_tkinter", "readline", "_curses", "_dbm", "_gdbm", "nis", "ossaudiodev", "spwd")
_PURE = """
    abc array ast asyncio base64 bisect calendar cmath codecs collections.abc contextlib contextvars copy csv ctypes
    dataclasses datetime decimal difflib encodings.ascii encodings.cp1252 encodings.idna encodings.latin_1 enum errno
    fractions functools graphlib hashlib heapq hmac html.parser inspect io ipaddress itertools json keyword linecache
    locale math numbers operator pathlib pickle pprint queue random re reprlib secrets select socket stat statistics
    string struct textwrap threading time token tomllib traceback types typing unicodedata urllib.parse uuid warnings
    weakref zlib zoneinfo _strptime _pydatetime _pylong
"""
_NET = "http.client ssl urllib.request"


def preload(*, net: bool, brief: bool) -> None:
    """Import what jobs will: a later import of an extension module would need executable memory.

    In a zygote for a few jobs each of them imports the rest by itself, which takes that job longer.
    """
    extensions: set[str] = set()
    for path in sys.path:
        if path.endswith("lib-dynload") and os.path.isdir(path):
            extensions |= {name.split(".")[0] for name in os.listdir(path)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # This one imports the whole of asyncio, which does without where it has to.
        skipped = (*_SKIPPED, "_asyncio") if brief else _SKIPPED
        for name in (*(() if brief else _PURE.split()), *(_NET.split() if net else ()), *sorted(extensions)):
            if not name.startswith(skipped):
                with contextlib.suppress(ImportError, OSError):
                    importlib.import_module(name)


def prepare_imports(jail: Jail) -> None:
    packages = [p for p in jail.config["packages"] if os.path.isdir(p)]
    sys.path[:] = [*(p for p in sys.path if os.path.isdir(p)), *packages]
    if jail.level == "landlock" and jail.root:
        _reach_by_descriptor(jail)
    _list_libraries()
    sys.dont_write_bytecode = True


def _reach_by_descriptor(jail: Jail) -> None:
    """Let an unprivileged uid import what lies below a directory only root can enter, such as /root."""
    for path in [p for p in sys.path if not _anybody_can_enter(p)]:
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


def _anybody_can_enter(path: str) -> bool:
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return False
        path = os.path.dirname(path)
    return True


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
    _guard.forbid_compiler()
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


def learn(jail: Jail, confine: Callable[[], None]) -> None:
    """Rehearse here once, so that workers inherit filled caches; then watch a child to learn what a job touches."""
    trivial, broad = request("def run(argument): return argument"), request(jail.warm_up)
    for rehearsed in (broad, trivial):
        jail.worker.rehearse(rehearsed)
    gc.collect()
    gc.freeze()

    def rehearsal(note: Callable[[], None]) -> None:
        confine()
        jail.worker.rehearse(trivial)
        note()
        jail.worker.rehearse(broad)
        note()

    learned = _prefault.learn(jail.proc, rehearsal, 2)
    if len(learned) == 2:
        trivially, broadly = learned
        jail.first = _prefault.Bulk(trivially.written)
        jail.later = _prefault.Touched(written=broadly.written, read=trivially.read + broadly.read)
