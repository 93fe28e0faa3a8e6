"""Jobs a second on all cores: as many callers as cores, slices of each contender in rotation."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from multiprocessing import get_context

from bench import _contenders as c
from mayfly.sandbox import Sandbox

CORES = len(os.sched_getaffinity(0))
Slice = Callable[[float], float]
"""Work for so many seconds; return jobs a second."""


def _loop(call: c.Call, seconds: float) -> int:
    jobs, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        call()
        jobs += 1
    return jobs


def _in_threads(calls: list[c.Call], seconds: float) -> float:
    done: list[int] = []
    threads = [threading.Thread(target=lambda call=call: done.append(_loop(call, seconds))) for call in calls]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(done) < len(calls):
        raise RuntimeError("a caller failed")
    return sum(done) / (time.monotonic() - started)


def threads(contender: c.Contender, *, own: bool = False) -> AbstractContextManager[Slice]:
    """Share one contender between the callers, or give each its *own*."""

    @contextmanager
    def opened() -> Iterator[Slice]:
        with ExitStack() as stack:
            calls = [stack.enter_context(contender()) for _ in range(CORES if own else 1)]
            calls = calls if own else calls * CORES
            yield lambda seconds: _in_threads(calls, seconds)

    return opened()


@contextmanager
def pinned() -> Iterator[Slice]:
    """One sandbox, a tenant for each caller: a pinned worker serves one call at a time."""
    with Sandbox(level="namespaces") as box:
        calls: list[c.Call] = [lambda n=n: c.sandboxed(box, "pinned", str(n)) for n in range(CORES)]  # type: ignore[misc]
        yield lambda seconds: _in_threads(calls, seconds)


_OPENED: dict[str, tuple[ExitStack, c.Call]] = {}


def _in_child(name: str, seconds: float) -> float:
    if name not in _OPENED:
        stack = ExitStack()
        _OPENED[name] = stack, stack.enter_context(c.CONTENDERS[name]())
        _OPENED[name][1]()
    started = time.monotonic()
    return _loop(_OPENED[name][1], seconds) / (time.monotonic() - started)


def _end_child() -> None:
    for stack, _ in _OPENED.values():
        stack.close()


@contextmanager
def processes(name: str) -> Iterator[Slice]:
    """Give each of as many processes as cores a contender of its own."""
    pools = [ProcessPoolExecutor(1, get_context("spawn")) for _ in range(CORES)]

    def work(seconds: float) -> float:
        return sum(future.result() for future in [pool.submit(_in_child, name, seconds) for pool in pools])

    try:
        yield work
    finally:
        for pool in pools:
            with suppress(BrokenProcessPool):
                pool.submit(_end_child).result()
            pool.shutdown()


ONE_SHOT = "mayfly one-shot, threads"
PROCESS = "Monty fresh process, threads"
PROCESS_IN_PROCESSES = "Monty fresh process, processes"
SESSION = "Monty fresh session, threads"

CONTENDERS: dict[str, Callable[[], AbstractContextManager[Slice]]] = {
    "in-process, compile and call, processes": lambda: processes(c.REFERENCE),
    ONE_SHOT: lambda: threads(c.CONTENDERS[c.ONE_SHOT]),
    "mayfly one-shot, processes": lambda: processes(c.ONE_SHOT),
    "mayfly pinned, threads": pinned,
    PROCESS: lambda: threads(c.monty_process),
    PROCESS_IN_PROCESSES: lambda: processes(c.PROCESS),
    SESSION: lambda: threads(c.monty_session),
    "Monty reused, function kept, threads": lambda: threads(c.monty_kept, own=True),
    "smolagents local executor, processes": lambda: processes(c.SMOLAGENTS),
    "subprocess python -I -S, threads": lambda: threads(c.subprocess_python),
}
