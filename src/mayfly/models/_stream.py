"""An answer that arrives in pieces."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from mayfly.core import MayflyError
from mayfly.models._loop import Loop, closed
from mayfly.models._types import Answer, Emit

T = TypeVar("T")
R = TypeVar("R")
# Pieces that wait for a slow reader before the model has to wait too.
_WAITING = 256


class Pieces(Generic[R]):
    """Iterate over the text while it comes, with `for` or `async for`; `result` is there when it has ended.

    Errors are raised where the iteration stands. Leaving early ends the call; the text is whole only if the iteration
    came to its end.
    """

    def __init__(self, loop: Loop, produce: Callable[[Emit], Coroutine[Any, Any, R]]) -> None:
        self._loop = loop
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue(_WAITING)
        self._future = loop.submit(_fill(self._pieces, produce))
        self._result: R | None = None
        # A stream that nobody reads any more must not hold its connection and its part of the budget.
        weakref.finalize(self, self._future.cancel).atexit = False

    @property
    def result(self) -> R:
        """What came of the call; asking before the end is a mistake."""
        if self._result is None:
            raise MayflyError("the answer is not complete", fix="read the stream to its end first")
        return self._result

    def __iter__(self) -> Iterator[str]:
        while (piece := self._loop.run(self._next())) is not None:
            yield piece

    async def __aiter__(self) -> AsyncIterator[str]:
        while (piece := await asyncio.wrap_future(self._loop.submit(self._next()))) is not None:
            yield piece

    async def _next(self) -> str | None:
        """Return the next piece, None at the end; an error of the call is raised here."""
        if self._result is not None:
            return None
        piece = None if self._future.cancelled() else await self._pieces.get()
        if piece is None:
            if self._future.cancelled():
                raise closed()
            self._result = await asyncio.wrap_future(self._future)
        return piece

    def close(self) -> None:
        """End the call if it is still under way."""
        self._future.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Stream(Pieces[Answer[T]]):
    """An answer in pieces; `answer` is there when it has ended."""

    @property
    def answer(self) -> Answer[T]:
        """The whole answer with its cost; asking before the end is a mistake."""
        return self.result


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
