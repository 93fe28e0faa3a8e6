"""`Workroom`: what takes long is done in threads, so many at once; who comes when all seats are taken is sent away."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mayfly.core import Stop
from mayfly.runtime import called_by
from mayfly.serve.web._wrong import BusyError

if TYPE_CHECKING:
    from starlette.requests import Request

    from mayfly.forge import Observer

P = ParamSpec("P")
T = TypeVar("T")
# Seconds after which who was sent away may try again: about as long as a run that has to be written.
_AGAIN = 2


class Workroom:
    """Do work in threads; each piece has its own stop and, where wanted, its own observer."""

    def __init__(self, *, most: int, waiting: int) -> None:
        self._most = most + waiting
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="mayfly-web")
        self._stops: set[Stop] = set()

    async def do(self, request: Request, work: Callable[[Stop], T]) -> T:
        """Do *work* for a client and return what it returns; the client's leaving ends it."""
        stop = Stop()
        task = self.begin(work, stop=stop)
        watching = asyncio.ensure_future(_until_gone(request, stop))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            stop.cancel()
            raise
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def call(self, request: Request, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Call a function in a thread for a client; the client's leaving ends what hears of it."""
        return await self.do(request, lambda stop: function(*args, **options))

    def begin(
        self, work: Callable[[Stop], T], *, stop: Stop, observer: Observer | None = None, live: bool = False
    ) -> asyncio.Future[T]:
        """Begin *work*, which goes on whether or not anybody waits for it; raise `BusyError` where there is no seat.

        A *live* one is followed step by step in the ledger.
        """
        if len(self._stops) >= self._most:
            raise BusyError("as much as this server takes is under way", seconds=_AGAIN)

        def done() -> T:
            with called_by(observer, stop=stop, live=live):
                return work(stop)

        self._stops.add(stop)
        # Each piece has a context of its own: what one caller sets, another does not see.
        context = contextvars.copy_context()
        task = asyncio.get_running_loop().run_in_executor(self._threads, context.run, done)
        task.add_done_callback(lambda _: self._stops.discard(stop))
        return task

    @property
    def under_way(self) -> int:
        """How many pieces are being done or wait for a thread."""
        return len(self._stops)

    def close(self) -> None:
        """End what is under way and wait for it."""
        for stop in tuple(self._stops):
            stop.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)


async def _until_gone(request: Request, stop: Stop) -> None:
    """Stop the work when the client has left."""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            # Ending it may ask the store something, which is nothing for the loop.
            await asyncio.to_thread(stop.cancel)
            return
