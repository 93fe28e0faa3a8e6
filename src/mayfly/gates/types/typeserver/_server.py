"""The server: loads once, keeps workers ready, hands one program to each, and never reads one itself."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import resource
import select
import shutil
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import mypy.build
import mypy.version

from . import _wire
from ._checker import INSTALLED, Checker, NoCache, check_once, installed_modules, write_cache
from ._worker import HostGone, Worker, limit

_DATA = Path(__file__).parent / "data"
_OLD_SECONDS = 3600.0
_REST_SECONDS = 0.2


def main(role: str) -> None:
    """Serve the host on our standard input and output until it hangs up, or answer once."""
    requests, answers = os.dup(0), os.dup(1)
    with open(os.devnull, "r+b") as nothing:
        for descriptor in (0, 1):
            os.dup2(nothing.fileno(), descriptor)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # mypy looks for modules in the working directory first; nothing here can be imported.
    os.chdir(_DATA)
    try:
        config = _wire.receive(requests)
        if role == "once":
            _answer_once(config, answers)
        else:
            Server(config, requests, answers).serve()
    except (_wire.Closed, HostGone):
        os._exit(0)


def _answer_once(config: dict[str, Any], answers: int) -> None:
    limit(int(config["memory"]), float(config["seconds"]))
    cache = _cache_directory(config)
    found = check_once(
        str(config["source"]), packages=bool(config["packages"]), cache=cache and f"{cache}.once", more=config["beside"]
    )
    _wire.send(answers, {"status": "checked", "messages": found})


class Server:
    """Answer one request after the other, each with a worker nobody has used."""

    def __init__(self, config: dict[str, Any], requests: int, answers: int) -> None:
        self._config = config
        self._requests, self._answers = requests, answers
        self._checker = load(config)
        self._spares: deque[Worker] = deque()
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        """Say that we are ready, then take requests until the host hangs up."""
        self._fill()
        _wire.send(self._answers, {"status": "ready", "memory": _resident()})
        while True:
            # Making a spare is work for a whole core, which whoever got the answer needs now: it waits for a rest.
            if not self._spares or not select.select([self._requests], [], [], _REST_SECONDS)[0]:
                self._fill()
            request = _wire.receive(self._requests)
            worker = self._spares.popleft()
            answer = worker.check(request, self._requests)
            _wire.send(self._answers, answer | {"memory": _resident()})
            worker.end()

    def _fill(self) -> None:
        while len(self._spares) < int(self._config["spares"]):
            self._spares.append(Worker(self._checker, self._config, (self._requests, self._answers)))


def load(config: dict[str, Any]) -> Checker:
    """Return a checker with the usual modules loaded: from the cache, which is made if there is none."""
    names = _names(config)
    cache = _cache_directory(config)
    if cache is None:
        try:
            return _load_fresh(names, os.path.join(str(config["scratch"]), "cache"))
        finally:
            shutil.rmtree(str(config["scratch"]), ignore_errors=True)
    checker = None
    if os.path.isdir(cache):
        with contextlib.suppress(Exception):  # whatever is wrong with a cache, a new one is not
            checker = Checker(names, cache=cache)
        if checker is None or not checker.cached:
            shutil.rmtree(cache, ignore_errors=True)
    return checker or _load_fresh(names, cache)


def _load_fresh(names: list[str], cache: str) -> Checker:
    try:
        _make_cache(names, cache)
        return Checker(names, cache=cache)
    except (OSError, NoCache):  # a full or read-only disk: do without
        return Checker(names, cache=None)


def _make_cache(names: list[str], cache: str) -> None:
    """Write the cache beside its place, in a process of its own whose state is not ours, and move it there whole."""
    parent = os.path.dirname(cache)
    os.makedirs(parent, mode=0o700, exist_ok=True)
    _remove_leftovers(parent)
    draft = tempfile.mkdtemp(prefix="draft-", dir=parent)
    process = os.fork()
    if process == 0:
        try:
            write_cache(names, draft)
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitpid(process, 0)[1]
    try:
        if status != 0:
            raise OSError("the cache could not be written")
        os.rename(draft, cache)
    except OSError:  # somebody else was first, or it cannot be had
        shutil.rmtree(draft, ignore_errors=True)
        if not os.path.isdir(cache):
            raise


def _remove_leftovers(parent: str) -> None:
    for path in Path(parent).glob("draft-*"):
        if time.time() - path.stat().st_mtime > _OLD_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def _names(config: dict[str, Any]) -> list[str]:
    files = ["usual.txt", "more.txt"] if config["more"] else ["usual.txt"]
    return list(dict.fromkeys(name for file in files for name in (_DATA / file).read_text(encoding="utf-8").split()))


def _cache_directory(config: dict[str, Any]) -> str | None:
    if not config["cache"]:
        return None
    names = _names(config)
    # A package that was installed anew is another one at the same place.
    files = [path for name in names if name in INSTALLED for _, path in installed_modules(name)]
    stamps = (str(os.stat(path).st_mtime_ns) for path in files)
    parts = (sys.version, mypy.build.default_data_dir(), str(config["packages"]), *names, *files, *stamps)
    key = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
    return os.path.join(str(config["cache"]), f"{mypy.version.__version__}-{key}")


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
