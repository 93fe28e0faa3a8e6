"""One event loop on a thread of its own, so that a model is the same to plain and async callers."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

from mayfly.core import Closing
from mayfly.models._errors import ModelError
from mayfly.models._types import Emit

T = TypeVar("T")


def closed() -> ModelError:
    """Return the error for a call whose model or stream was closed under it."""
    return ModelError("the call was ended before its answer came", kind="cut")


class EventLoop:
    """Run coroutines for any thread; started by the first one, and anew in a child after `os.fork`.

    Connections belong to the loop that opened them, so *finish* is awaited on the loop before it ends.
    """

    def __init__(self, finish: Callable[[], Awaitable[None]]) -> None:
        self._finish = finish
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start *coroutine* and return at once."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running().loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for *coroutine*; an interrupted wait cancels it."""
        future = self.submit(coroutine)
        try:
            return future.result()
        except CancelledError:
            raise closed() from None
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End what runs and the thread; the next coroutine starts a new one."""
        with self._lock:
            finalizer, self._finalizer, self._worker = self._finalizer, None, None
        if finalizer is not None:
            finalizer()

    def _running(self) -> _Worker:
        if self._worker is not None and self._worker.pid != os.getpid():
            # The thread stayed behind in the parent, and with it perhaps the lock.
            self._lock, self._worker = threading.Lock(), None
        with self._lock:
            if self._worker is None:
                self._worker = _Worker(self._finish)
                self._finalizer = weakref.finalize(self, self._worker.stop)
            return self._worker


class _Worker:
    """Own the loop and the thread it runs on."""

    def __init__(self, finish: Callable[[], Awaitable[None]]) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._finish = finish
        self._thread = threading.Thread(target=self._run, name="mayfly-models", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the loop in the process that started it; elsewhere there is nothing to end."""
        if self.pid == os.getpid():
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self.loop.stop)
            if threading.current_thread() is not self._thread:
                self._thread.join(timeout=5)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
        finally:
            self.loop.run_until_complete(self._end())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._finish()


R = TypeVar("R")
# Pieces that wait for a slow reader before the model has to wait too.
_WAITING = 256


class TextPieces(Closing, Generic[R]):
    """Iterate over the text while it comes, with `for` or `async for`; `result` is there when it has ended.

    Errors are raised where the iteration stands. Leaving early ends the call.
    """

    def __init__(self, loop: EventLoop, produce: Callable[[Emit], Coroutine[Any, Any, R]]) -> None:
        self._loop = loop
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue(_WAITING)
        self._future = loop.submit(_fill(self._pieces, produce))

    @property
    def result(self) -> R:
        """What came of the call."""
        return self._future.result()

    def __iter__(self) -> Iterator[str]:
        while (piece := self._loop.run(self._next())) is not None:
            yield piece

    async def __aiter__(self) -> AsyncIterator[str]:
        while (piece := await asyncio.wrap_future(self._loop.submit(self._next()))) is not None:
            yield piece

    async def _next(self) -> str | None:
        """Return the next piece, None at the end; an error of the call is raised here."""
        piece = None if self._future.cancelled() else await self._pieces.get()
        if piece is None:
            if self._future.cancelled():
                raise closed()
            await asyncio.wrap_future(self._future)
        return piece

    def close(self) -> None:
        """End the call if it is still under way."""
        self._future.cancel()


async def _fill(pieces: asyncio.Queue[str | None], produce: Callable[[Emit], Coroutine[Any, Any, R]]) -> R:
    try:
        result = await produce(pieces.put)
    except asyncio.CancelledError:
        while not pieces.empty():
            pieces.get_nowait()
        pieces.put_nowait(None)
        raise
    except BaseException:
        await pieces.put(None)
        raise
    await pieces.put(None)
    return result
