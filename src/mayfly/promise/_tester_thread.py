"""Ask a function of the host's own program, without waiting for it longer than its time."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Sequence

from mayfly.core import UNSET, Unset, shown


async def asked_in_thread(
    function: Callable[..., object], values: Sequence[object], input: object | Unset, *, seconds: float
) -> list[str]:
    """Return for each value why it is not accepted, or nothing where the answer was exactly True.

    Fewer answers than values mean that the time was up before the others were asked.
    """
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    answers: list[str] = []
    two = _takes_two(function)

    def work() -> None:
        for value in values:
            answers.append(_answer(function, (value, None if input is UNSET else input) if two else (value,)))
        try:
            loop.call_soon_threadsafe(done.set)
        except RuntimeError:
            pass  # nobody waits any more

    threading.Thread(target=work, name="mayfly-test", daemon=True).start()
    try:
        await asyncio.wait_for(done.wait(), seconds)
    except TimeoutError:
        pass
    return list(answers) or [f"the test did not answer within {seconds:g} s"]


def _takes_two(function: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in kinds and one.default is one.empty for one in parameters) == 2


def _answer(function: Callable[..., object], arguments: tuple[object, ...]) -> str:
    try:
        answer = function(*arguments)
    except BaseException as error:
        return f"the test raised {type(error).__name__}"
    if answer is True:
        return ""
    if inspect.iscoroutine(answer):
        answer.close()
    return f"the test answered {shown(answer, 60)}, not True"
