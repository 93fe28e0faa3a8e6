"""Load a source into a real module, call its entry, turn what it returns into JSON.

A job may have fewer builtins, and imports from a list: a second layer, for quality and early refusals. It is no wall.
Python reaches everything from anything; what holds is the kernel outside.
"""

from __future__ import annotations

import builtins
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import AsyncGeneratorType, CoroutineType, FrameType, ModuleType
from typing import Any, cast

NAME = "job"
# Not in angle brackets: `linecache` gives up on those, and `inspect.getsource` with it.
FILE = "/job.py"
_BATCH = 512
_BATCH_SECONDS = 0.1

# Left out: open input eval exec compile globals locals breakpoint help exit quit and the like.
_BUILTINS = """
    abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir divmod
    enumerate filter float format frozenset getattr hasattr hash hex id int isinstance issubclass iter len list map
    max memoryview min next object oct ord pow print property range repr reversed round set setattr slice sorted
    staticmethod str sum super tuple type vars zip
    None True False Ellipsis NotImplemented __build_class__ __debug__ __name__
"""

# C code imports these by itself, through the importer of whatever Python frame called it; it asks with a list, where
# an import statement has a tuple or None. The job's own module is asked for by pickle.
_HELPERS = frozenset({"_strptime", "time", "copyreg", "_pylong", "_pydatetime", "_pydecimal", "collections.abc", "job"})

Importer = Callable[..., ModuleType]
Entry = Callable[[object], object]


class BadJob(Exception):
    """The job cannot even be called; the message says why."""


class _Source:
    """Give tracebacks and `inspect` the text that was compiled."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        return self.text


def load(source: str, entry: str | None, allowed: frozenset[str] | None, *, files: bool = False) -> Entry:
    """Execute *source* as a module and return the function to call; with *files* its guarded builtins have `open`."""
    try:
        code = compile(source, FILE, "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        raise BadJob("SyntaxError: the source is nested too deeply or too large to compile") from None
    module = ModuleType(NAME)
    module.__loader__ = _Source(source)  # type: ignore[assignment]
    if allowed is not None:
        module.__dict__["__builtins__"] = _restricted(allowed, files=files)
    sys.modules[NAME] = module
    exec(code, module.__dict__)
    return _callable(module, entry)


def _restricted(allowed: frozenset[str], *, files: bool = False) -> dict[str, object]:
    """Return the builtins of a job that may import only *allowed*; with *files*, one that was granted some."""
    names = {name: getattr(builtins, name) for name in _BUILTINS.split() if hasattr(builtins, name)}
    if files:
        names["open"] = open
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = value
    return {**names, "__import__": _importer(allowed)}


def _importer(allowed: frozenset[str]) -> Importer:
    def guarded(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        from_c = name in _HELPERS and (type(fromlist) is list or name == "job")
        future = name == "__future__" and not level
        if not (from_c or future) and (level or not _is_allowed(name, fromlist, allowed)):
            listed = ", ".join(sorted(allowed)) or "nothing"
            raise ImportError(f"import of {'.' * level + name!r} is not allowed here; allowed: {listed}", name=name)
        return __import__(name, globals, locals, fromlist or (), level)

    return guarded


def _is_allowed(name: str, fromlist: Sequence[str] | None, allowed: frozenset[str]) -> bool:
    """Whether the module or a package it is in is allowed, or all parts that are taken from it (`urllib.parse`)."""
    parts = name.split(".")
    if any(".".join(parts[: count + 1]) in allowed for count in range(len(parts))):
        return True
    return bool(fromlist) and all(f"{name}.{part}" in allowed for part in fromlist or ())


class NoCompiler:
    """Refuse Mayfly itself inside the sandbox: compiled code cannot compile."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Raise for `mayfly` and all below it; know nothing else."""
        if name.partition(".")[0] == "mayfly":
            raise ImportError("JIT recursion forbidden: compiled code cannot compile", name=name)
        return None


def forbid_compiler() -> None:
    """Put `NoCompiler` first on the import path."""
    sys.meta_path.insert(0, NoCompiler)


def _callable(module: ModuleType, entry: str | None) -> Entry:
    if entry is None:
        entry = _only_candidate(module)
    elif entry not in module.__dict__:
        defined = ", ".join(sorted(n for n in module.__dict__ if not n.startswith("_"))) or "nothing"
        raise BadJob(f"entry {entry!r} is not defined; the source defines {defined}")
    target = module.__dict__[entry]
    if isinstance(target, type):
        if not callable(getattr(target, "invoke", None)):
            raise BadJob(f"entry {entry!r} is a class without an invoke method")
        return lambda argument: target().invoke(argument)
    if not callable(target):
        raise BadJob(f"entry {entry!r} is of type {type(target).__name__}, which cannot be called")
    return target  # type: ignore[no-any-return]


def _only_candidate(module: ModuleType) -> str:
    own = {n: v for n, v in module.__dict__.items() if getattr(v, "__module__", None) == NAME and not n.startswith("_")}
    classes = [n for n, v in own.items() if isinstance(v, type) and callable(getattr(v, "invoke", None))]
    candidates = [n for n in classes if n.startswith("JIT")] or classes
    candidates = candidates or [n for n, v in own.items() if callable(v) and not isinstance(v, type)]
    if len(candidates) != 1:
        found = " and ".join(candidates) or "none"
        raise BadJob(f"the entry is not clear: it needs exactly one class with invoke, or one function; found {found}")
    return candidates[0]


def finish(value: object) -> object:
    """Run a coroutine to its end; leave everything else as it is."""
    if not isinstance(value, CoroutineType):
        return value
    import asyncio

    return asyncio.run(value)


def stream(value: object) -> Iterator[object] | None:
    """Return an iterator over a result that is to be streamed, None for one that is a single value."""
    if isinstance(value, AsyncGeneratorType):
        return _drain(value)
    # Not `isinstance(value, Iterator)`: for a type it has not met, that runs a good deal of Python.
    return cast("Iterator[object]", value) if hasattr(type(value), "__next__") else None


def _drain(source: AsyncGenerator[object, None]) -> Iterator[object]:
    import asyncio

    with asyncio.Runner() as runner:
        while True:
            try:
                yield runner.run(_next(source))
            except StopAsyncIteration:
                return


async def _next(source: AsyncGenerator[object, None]) -> object:
    return await anext(source)


def batches(items: Iterator[object]) -> Iterator[list[object]]:
    """Group *items*, so that a frame is worth its cost but nothing waits for long."""
    batch: list[object] = []
    due = time.monotonic() + _BATCH_SECONDS
    for item in items:
        batch.append(item)
        if len(batch) >= _BATCH or time.monotonic() > due:
            yield batch
            batch = []
            due = time.monotonic() + _BATCH_SECONDS
    if batch:
        yield batch


def encode(value: object) -> bytes:
    """Write *value* as JSON; what JSON cannot hold is a `BadJob` that names its type."""
    try:
        return _dumps(value).encode("ascii")
    except RecursionError:
        raise BadJob("the result is nested too deeply") from None
    except (TypeError, ValueError) as error:
        if "digits" in str(error):
            return _with_long_integers(value)
        raise BadJob(f"the result is not JSON: {error}") from None


def _with_long_integers(value: object) -> bytes:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return _dumps(value).encode("ascii")
    finally:
        sys.set_int_max_str_digits(before)


def _plain(value: object) -> object:
    if hasattr(type(value), "__dataclass_fields__"):
        import dataclasses

        return {field.name: getattr(value, field.name) for field in dataclasses.fields(cast("Any", value))}
    raise TypeError(f"it holds a value of type {type(value).__name__}")


_dumps = json.JSONEncoder(allow_nan=False, default=_plain, separators=(",", ":")).encode


def describe(error: BaseException) -> tuple[str, str]:
    """Return the error in one line, with the job's own line, and the traceback through the job's frames."""
    if isinstance(error, BadJob):
        return str(error), ""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})", (error.text or "").rstrip()
    frames = list(_frames(error))
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:
        text = "(its message could not be read)"
    headline = f"{name}: {text}" if text else name
    where = f" (line {frames[-1][0]}, in {frames[-1][1]})" if frames else ""
    shown = frames if len(frames) <= 20 else frames[:10] + frames[-10:]
    lines = [f"  line {line}, in {function}\n    {code}" for line, function, code in shown]
    return headline + where, "\n".join([*lines, headline])


def _frames(error: BaseException) -> Iterator[tuple[int, str, str]]:
    step = error.__traceback__
    while step is not None:
        frame: FrameType = step.tb_frame
        if frame.f_code.co_filename == FILE:
            source = getattr(frame.f_globals.get("__loader__"), "text", "")
            lines = source.splitlines()
            number = step.tb_lineno
            code = lines[number - 1].strip() if number and number <= len(lines) else ""
            yield number, frame.f_code.co_name, code
        step = step.tb_next
