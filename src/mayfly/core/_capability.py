"""`Capability`: the one contract for all that can be called, whoever wrote it and wherever it runs."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from mayfly.core._agent import Agent
from mayfly.core._replace import replace
from mayfly.core._schema import mismatch
from mayfly.core._shown import shown
from mayfly.core._types import Tier
from mayfly.core.errors import InputError, LimitError, MayflyError


class Stop:
    """Say once that a piece of work has to end; everything that is under way for it is ended at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: list[Callable[[], object]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the work has to end."""
        return self._cancelled

    def cancel(self) -> None:
        """End what is under way, and whatever is begun from now on."""
        with self._lock:
            self._cancelled = True
            ends = list(self._ends)
        for end in ends:
            end()

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """Call *end* when the work has to end while the body runs, or at once where that was said before."""
        with self._lock:
            self._ends.append(end)
            late = self._cancelled
        try:
            if late:
                end()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)


# none: nothing outside changes, so it may run again. transactional: it changes the store only, in the transaction that
# records it. idempotent: the receiver honours the key, so it may be sent again. once: nobody can tell, never again.
Effect = Literal["none", "transactional", "idempotent", "once"]
# What a capability does, as (verb, object) in plain words: ("count", "line").
Does = tuple[tuple[str, str], ...]


class NotSent(MayflyError):
    """An effect certainly did not happen; a capability raises it, and it may then be tried again."""

    code = "NOT_SENT"


@dataclass(frozen=True, kw_only=True)
class Retry:
    """How often a failed call is made again: *times*, after *delay* seconds and each time after *factor* times that.

    Only what is one of *on* is tried again, and never an `InputError`: what was given is no better the next time.
    """

    times: int = 3
    delay: float = 1.0
    factor: float = 2.0
    on: tuple[type[Exception], ...] = (Exception,)

    def __post_init__(self) -> None:
        if self.times < 0 or self.delay < 0 or self.factor < 1:
            raise InputError("a retry has 0 or more times, a delay of 0 or more seconds and a factor of 1 or more")

    @property
    def delays(self) -> tuple[float, ...]:
        """How long is waited before each further call."""
        return tuple(self.delay * self.factor**number for number in range(self.times))

    def covers(self, error: Exception) -> bool:
        """Whether another call may help."""
        return isinstance(error, self.on) and not isinstance(error, InputError)


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call: its arguments, the key by which a receiver knows it again, and by what it is told to stop.

    *seconds* is how long it may take; where nothing is said, the capability's own limit holds.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    key: str = ""
    workspace: Path = field(default_factory=Path.cwd)
    stop: Stop = field(default_factory=Stop)
    seconds: float | None = None


class Asked(NamedTuple):
    """What the rules are asked for before a call: an action, on what, with what."""

    action: str
    target: str = ""
    payload: str = ""


def _asks_nothing(_: Invocation) -> tuple[Asked, ...]:
    return ()


def _has_value(_: Invocation, value: object) -> bool:
    return value is not None


@dataclass(frozen=True, kw_only=True)
class Capability(Agent[Mapping[str, Any] | Invocation, object]):
    """Something that can be called by its name with arguments that fit its schema.

    *does* says in (verb, object) pairs what it is good for. Before every call the rules are asked for what *asks*
    returns, one by one; a call for which it returns nothing reaches nothing outside. *check* is the test its value has
    to pass within *check_seconds*: True, and nothing else, accepts; *proves* says that in words. *quick* ones are
    called on the event loop itself. *retry* says when a call that failed is made again; where nothing is said, a lost
    connection and the like are tried again as the settings say. One with effect `once` is never called again. *steady*
    ones give the same value for the same arguments, so that one that was proven before, in whatever run, is used again
    unless they are quick anyway.
    """

    name: str
    call: Callable[[Invocation], object | Awaitable[object]] = field(repr=False)
    version: int = 1
    summary: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    output_schema: Mapping[str, Any] = field(default_factory=dict)
    effect: Effect = "none"
    grants: tuple[str, ...] = ()
    does: Does = ()
    tier: Tier = Tier.BUILTIN
    asks: Callable[[Invocation], tuple[Asked, ...]] = field(default=_asks_nothing, repr=False)
    check: Callable[[Invocation, object], object] = field(default=_has_value, repr=False)
    proves: str = "there is a value"
    quick: bool = False
    steady: bool = False
    seconds: float = 300.0
    check_seconds: float = 10.0
    retry: Retry | None = None
    # Its changes are judged as a set before they are kept, and held where the rules want a person's word: that an
    # approval is missing does not keep it from being called.
    judged: bool = False

    def __post_init__(self) -> None:
        if self.retry is not None and self.effect == "once":
            raise InputError(f"{self.name}: an effect that is sent once is never tried again", fix="leave retry out")

    @property
    def reaches_out(self) -> bool:
        """Whether its calls may have to do with anything outside, so that rules are asked and it matters when."""
        return self.asks is not _asks_nothing or self.effect != "none"

    @property
    def has_test(self) -> bool:
        """Whether there is a test of its own, and not only that there is a value."""
        return self.check is not _has_value

    def check_arguments(self, arguments: object) -> None:
        """Raise `InputError` where *arguments* are not what the schema asks for."""
        wrong = mismatch(arguments, {"type": "object", **self.input_schema})
        if wrong:
            raise InputError(f"{self.name}: {wrong}")

    async def invoke(self, input: Mapping[str, Any] | Invocation) -> object:
        """Call it with arguments that were checked; cancelling, or running out of time, tells the call to stop."""
        import asyncio

        call = input if isinstance(input, Invocation) else Invocation(arguments=input)
        self.check_arguments(call.arguments)
        seconds = self.seconds if call.seconds is None else min(call.seconds, self.seconds)
        call = replace(call, seconds=seconds)
        try:
            with nobody_leaves():
                made = self.call(call) if self.quick else None
                if self.quick and not inspect.isawaitable(made):
                    return made  # it is over: nothing was awaited that could have been stopped
                async with asyncio.timeout(seconds):
                    made = made if self.quick else await in_thread(self.call, call)
                    return await made if inspect.isawaitable(made) else made
        except asyncio.CancelledError:
            call.stop.cancel()
            raise
        except TimeoutError as error:
            if str(error):
                raise  # it is what the call itself ran into
            call.stop.cancel()
            raise LimitError(f"seconds of {self.name}", used=seconds, limit=seconds) from None

    async def verify(self, call: Invocation, value: object) -> str:
        """Return why *value* is not accepted as what *call* gives: its schema or its test says no; or nothing."""
        import asyncio

        wrong = mismatch(value, self.output_schema, name="its value")
        if wrong:
            return f"{self.name} gave what its schema does not describe: {wrong}"
        try:
            with nobody_leaves():
                if self.quick:
                    said = self.check(call, value)
                else:
                    async with asyncio.timeout(self.check_seconds):
                        said = await in_thread(self.check, call, value)
        except TimeoutError:
            return f"the test of {self.name} took longer than {self.check_seconds:g} s"
        except Exception as error:
            return f"the test of {self.name} failed: {type(error).__name__}: {error}"
        if inspect.iscoroutine(said):
            said.close()
        return "" if said is True else f"the test of {self.name} gave {shown(said, 60)}, not True: {self.proves}"


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
