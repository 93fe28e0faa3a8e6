"""One runtime, many callers: each is told of what it began itself, and can end that and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import MayflyError, Stop

if TYPE_CHECKING:
    from mayfly.forge import Observer
    from mayfly.runtime._tree import Trees


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who is told of what is begun, and what ends it."""

    observer: Observer | None = None
    stop: Stop
    live: bool = False


_CALLER: ContextVar[Caller | None] = ContextVar("mayfly_caller", default=None)


@contextmanager
def called_by(observer: Observer | None = None, *, stop: Stop | None = None, live: bool = False) -> Iterator[None]:
    """Tell *observer*, instead of the runtime's own, what a runtime begins in the body, and let *stop* end it.

    For who shares a runtime among callers that know nothing of each other: each has a thread and a body of its own.
    A *live* run puts each step into the ledger when it happens and not all at the end, so that others can follow it.
    """
    watching = None if observer is None else harmless_observer(observer)
    token = _CALLER.set(Caller(observer=watching, stop=stop or Stop(), live=live))
    try:
        yield
    finally:
        _CALLER.reset(token)


def caller_now(observer: Observer | None) -> Caller:
    """Return who calls now; a runtime that is not shared has its own *observer*, and nothing that ends its runs."""
    return _CALLER.get() or Caller(observer=observer, stop=Stop())


@contextmanager
def tree_ended_by(stop: Stop, trees: Trees, run: str) -> Iterator[None]:
    """Let *stop* end the tree that is resolved in the body, as somebody at another machine would."""
    from mayfly.promise import cancel

    tell: Callable[[str, Any], None] = trees.tell

    def end() -> None:
        with suppress(MayflyError):  # it has not begun, or it has ended
            cancel(trees.parts.ledger, run, by="its caller")

    def told(what: str, about: Any) -> None:
        # From here on the run is known to others: who said so before this was not heard.
        if what == "planned" and stop.cancelled:
            end()
        tell(what, about)

    trees.tell = told
    with stop.ending(end):
        yield


def harmless_observer(observer: Observer) -> Observer:
    """Return *observer*, which is told nothing more once it has failed: who watches does not decide how a run ends."""
    watching = True

    def tell(what: str, about: Any) -> None:
        nonlocal watching
        if watching:
            try:
                observer(what, about)
            except Exception:
                watching = False

    return tell
