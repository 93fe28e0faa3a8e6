"""Load a source into a real module, call its entry, turn what it returns into JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from types import AsyncGeneratorType, CoroutineType, FrameType, ModuleType
from typing import Any, cast

from . import _guard

NAME = "job"
# Not in angle brackets: `linecache` gives up on those, and `inspect.getsource` with it.
FILE = "/job.py"
_BATCH = 512
_BATCH_SECONDS = 0.1

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
        module.__dict__["__builtins__"] = _guard.restricted(allowed, files=files)
    sys.modules[NAME] = module
    exec(code, module.__dict__)
    return _callable(module, entry)


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
