"""Do a task for a client: while it waits, or on its own, followed in the ledger step by step."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Request

from mayfly.core import UNSET, InputError, Outcome, Stop, read_input_file
from mayfly.operations import outcome_data
from mayfly.serve.web._answer import ITEMS, Answer

if TYPE_CHECKING:
    from mayfly.serve.web._served import Served
    from mayfly.serve.web.api._orders import RunOrder
    from mayfly.store import Event

# Kinds of models that read files of this machine or speak to any address: those are for its settings to name.
_OWN = ("scripted:", "replay:", "http://", "https://")
_CANCELLED = "run.cancelled"
log = logging.getLogger("mayfly.serve")
Work = Callable[[], Outcome[Any]]


def check_model(served: Served, name: str | None) -> str | None:
    """Return the model that a client names; one that is a file or an address has to be that of the settings."""
    if name and name.lower().startswith(_OWN) and name != served.runtime.settings.models.name:
        raise InputError("a model that is a file or an address is set at the server", fix="set MAYFLY_MODELS_NAME")
    return name


def options_of(served: Served, order: RunOrder) -> dict[str, Any]:
    """Return a task as `Runtime.run` takes it, but for its input."""
    # A reading that was chosen leaves nothing for a model to decide.
    model = "" if order.reading else check_model(served, order.model)
    return {
        "examples": [one.model_dump() for one in order.examples],
        "ground": order.ground,
        "model": model,
        "reading": order.reading,
        "bad_lines": order.bad_lines,
        "tier": order.tier,
        "accept_weak": order.accept_weak,
        "demand_strong": order.demand_strong,
    }


def task_of(served: Served, order: RunOrder) -> Work:
    """Return what does a task whose input is in the request itself."""
    if "input" in order.model_fields_set and order.lines is not None:
        raise InputError("input and lines are two inputs", fix="give one of them")
    options = options_of(served, order)
    if order.lines is None:
        given = order.input if "input" in order.model_fields_set else UNSET
        return lambda: served.runtime.run(order.intent, input=given, **options)
    with tempfile.TemporaryFile() as file:
        file.write(order.lines.encode("utf-8", "replace"))
        file.seek(0)
        path = served.uploads.keep("lines.txt", file)
    return with_file(served, order, path, options)


def with_file(served: Served, order: RunOrder, path: Path, options: dict[str, Any]) -> Work:
    """Return what does a task with an uploaded file, which is kept while the task may want it again."""

    def work() -> Outcome[Any]:
        model = served.runtime.settings.models.name if options["model"] is None else options["model"]
        given = read_input_file(path, "the file", objects_as_lines=not model and not options["examples"])
        outcome = served.runtime.run(order.intent, input=given.value, lines=given.lines, name=given.name, **options)
        if outcome.resolved:
            served.uploads.drop(path)
        return outcome

    return work


async def run_for(served: Served, request: Request, work: Work, *, wait: bool) -> Answer:
    """Do *work*: answer with its outcome, or with the id of the run as soon as it has one."""
    if wait:
        outcome = await served.workroom.do(request, lambda stop: work())
        return Answer(outcome_data(outcome, most=ITEMS))
    begun = await begin(served, work)
    if isinstance(begun, Outcome):
        return Answer(outcome_data(begun, most=ITEMS))
    return Answer({"id": begun, "status": "running"}, 202, {"Location": f"/api/runs/{begun}"})


async def begin(
    served: Served, work: Work, also: Callable[[str, Any], None] = lambda what, about: None
) -> str | Outcome[Any]:
    """Begin *work*, which goes on by itself; return the id of its run as soon as it has one, or how it ended before.

    *also* is told what the work tells.
    """
    begun = Begun(served)

    def told(what: str, about: Any) -> None:
        begun.told(what, about)
        also(what, about)

    task = served.workroom.begin(begun.doing(work), stop=begun.stop, observer=told, live=True)
    either: set[asyncio.Future[Any]] = {task, begun.known}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if not begun.known.done():
        return await task
    task.add_done_callback(_noted)
    return begun.known.result()


class Begun:
    """A task that goes on by itself: what it is called, and what ends it."""

    def __init__(self, served: Served) -> None:
        self.stop = Stop()
        self._served = served
        self._loop = asyncio.get_running_loop()
        self.known: asyncio.Future[str] = self._loop.create_future()
        self._name = ""
        self._watching = ExitStack()

    def doing(self, work: Work) -> Callable[[Stop], Outcome[Any]]:
        """Return *work* as a thread does it."""

        def done(stop: Stop) -> Outcome[Any]:
            with self._watching:
                return work()

        return done

    def told(self, what: str, about: Any) -> None:
        """Hear from the task: first what it is called, then that others can find it under that name."""
        if what == "named" and not self._name:
            self._name = str(about)
        elif what in ("began", "planned") and self._name:
            # Whoever cancels a run, in whatever process, says so in the ledger.
            self._watching.enter_context(self._served.feed.watching(self._name, self._hear))
            self._loop.call_soon_threadsafe(self._make_known)

    def _hear(self, event: Event) -> None:
        if event.kind == _CANCELLED:
            self.stop.cancel()

    def _make_known(self) -> None:
        if not self.known.done():
            self.known.set_result(self._name)


def _noted(task: asyncio.Future[Outcome[Any]]) -> None:
    """Note in the log what nobody waits to hear."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("a run that nobody waited for ended with %s: %s", type(error).__name__, error)
