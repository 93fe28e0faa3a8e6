"""mypy in this process: the options of `mypy --strict` and nothing else, sources from memory only."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import mypy.build
import mypy.defaults
import mypy.main
from mypy.errors import CompileError
from mypy.fscache import FileSystemCache
from mypy.modulefinder import BuildSource, FindModuleCache, compute_search_paths
from mypy.options import Options
from mypy.server.update import FineGrainedBuildManager

MAIN = "__main__"
# Packages that generated programs may import with a grant of their own, so that mypy has to know them.
INSTALLED = ("duckdb",)
_OURS = ("<string>", "/proc/self/fd/")
_FLAGS = ["--strict", "--config-file=", "--no-sqlite-cache", "--output=json", "--no-error-summary"]
# An installed package without types is nothing its user can repair; what comes from it is Any.
_PACKAGES = ["--python-executable", sys.executable, "--disable-error-code=import-untyped"]
_ALONE = ["--no-site-packages"]


def options(packages: bool, cache: str | None, more: Sequence[str] = ()) -> Options:
    """Return what the command line would make of our flags; no file and no variable has a say.

    Packages are also looked for in *more*, and there first.
    """
    sys.setrecursionlimit(mypy.defaults.RECURSION_LIMIT)
    flags = [*_FLAGS, *(_PACKAGES if packages else _ALONE), f"--cache-dir={cache or os.devnull}", "-c", ""]
    made = mypy.main.process_options(flags)[1]
    made.raise_exceptions = True
    made.show_traceback = False
    made.mypy_path = list(more)
    return made


def stub_sources(names: list[str], found: Options) -> list[BuildSource]:
    """Return those of *names* that have types, as sources mypy reads and never complains about."""
    paths = compute_search_paths([], found, mypy.build.default_data_dir())
    finder = FindModuleCache(paths, FileSystemCache(), found)
    pairs: list[tuple[str, object]] = [(name, finder.find_module(name)) for name in names if name not in INSTALLED]
    pairs += [pair for name in names if name in INSTALLED for pair in installed_modules(name)]
    return [BuildSource(path, name, followed=True) for name, path in pairs if isinstance(path, str)]


def installed_modules(package: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of an installed package that brings its types, and their files; nothing else is installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return
    inside = Path(spec.origin).parent
    for top, name in ((inside, package), (inside.parent / f"_{package}-stubs", f"_{package}")):
        for path in sorted(top.rglob("*.py*")):
            parts = path.relative_to(top).with_suffix("").parts
            if path.suffix in (".py", ".pyi") and not {"experimental", "__pycache__"} & set(parts):
                yield ".".join((name, *parts)).removesuffix(".__init__"), str(path)


def write_cache(names: list[str], cache: str) -> None:
    """Check the modules *names* once and leave what was learned in *cache*."""
    made = options(False, cache)
    made.cache_fine_grained = True
    mypy.build.build(stub_sources(names, made), made)


class NoCache(Exception):
    """What is in the cache directory is not all that is needed."""


class Checker:
    """Hold the types of *names*, loaded, and check a program against them.

    *cached* says whether they came from the cache; mypy reads its own files where that is not good for anything.
    """

    def __init__(self, names: list[str], *, cache: str | None) -> None:
        self._files = FileSystemCache()
        made = options(False, cache)
        made.incremental = made.fine_grained_incremental = True
        made.use_fine_grained_cache = made.cache_fine_grained = cache is not None
        sources = stub_sources(names, made)
        result = mypy.build.build(sources, made, fscache=self._files)
        self.cached = result.used_cache
        if any(source.module not in result.graph for source in sources):
            raise NoCache
        self._manager = FineGrainedBuildManager(result)
        self.check("".join(f"import {source.module}\n" for source in sources), "usual")
        self._known = {*self._manager.graph, MAIN}

    def strangers(self) -> list[str]:
        """Return the modules that were loaded for a program only.

        They came one by one, as mypy's server does it, and where they import each other in a circle its verdict is
        then not that of the command line.
        """
        return sorted(set(self._manager.graph) - self._known)

    def check(self, source: str, module: str = MAIN) -> list[dict[str, Any]]:
        """Return what mypy says of *source*; a module name is good for one check only."""
        descriptor = os.memfd_create("source")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="", closefd=False) as file:
                file.write(source)
            self._files.flush()
            return read(self._manager.update([(module, f"/proc/self/fd/{descriptor}")], []))
        finally:
            os.close(descriptor)


def check_once(source: str, *, packages: bool, cache: str | None, more: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return what mypy says of *source*, without anything loaded beforehand: `mypy --strict -c`."""
    made = options(packages, cache, more)
    known = [] if packages else stub_sources([name for name in INSTALLED if name in source], made)
    try:
        return read(mypy.build.build([BuildSource(None, MAIN, source), *known], made).errors)
    except CompileError as error:
        return read(error.messages)


def read(messages: list[str]) -> list[dict[str, Any]]:
    """Read mypy's messages about the program; the few that it writes before it has read a file are plain text."""
    found = [_read(message) for message in messages if message.strip()]
    return [message for message in found if str(message.get("file", _OURS[0])).startswith(_OURS)]


def _read(message: str) -> dict[str, Any]:
    try:
        found = json.loads(message)
    except ValueError:
        found = None
    if isinstance(found, dict) and "message" in found:
        return found
    return {"line": None, "column": None, "message": message, "hint": None, "code": "misc", "severity": "error"}
