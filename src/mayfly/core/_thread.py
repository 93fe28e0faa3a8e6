"""Call a function of the host in a thread that nobody has to wait for: one that hangs does not keep the run alive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """Return what *function* returns; whoever stops waiting leaves it behind."""
    import asyncio  # here and below: most commands never get as far, and it costs them a tenth of their start

    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = copy_context()

    def tell(value: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)  # type: ignore[arg-type]

    def work() -> None:
        value: T | None = None
        trouble: BaseException | None = None
        try:
            value = context.run(function, *arguments)
        except StopIteration as error:
            trouble = RuntimeError(f"StopIteration: {error}")  # a future cannot hold one
        except (SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError) as error:
            trouble = _said(error)  # what would end the program or the task that waits ends this call
        except BaseException as error:
            trouble = error
        try:
            loop.call_soon_threadsafe(tell, value, trouble)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    threading.Thread(target=work, name="mayfly-call", daemon=True).start()
    return await answer


@contextmanager
def nobody_leaves() -> Iterator[None]:
    """Turn a wish of a function of the host to end the program, or its task, into an error of that function."""
    import asyncio

    try:
        yield
    except SystemExit as error:
        raise _said(error) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise _said(error) from error


def _said(error: BaseException) -> RuntimeError:
    return RuntimeError(f"it raised {type(error).__name__} {error}".strip())
