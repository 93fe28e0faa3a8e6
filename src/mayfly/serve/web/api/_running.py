"""What is asked for over the API: the bodies of requests, and a task done while its client waits or on its own."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mayfly.core import UNSET, InputError, InputFile, Outcome, Stop, read_input_file
from mayfly.operations import outcome_data
from mayfly.serve.web._answer import ITEMS, JsonAnswer

if TYPE_CHECKING:
    from mayfly.serve.web._served import ServedRuntime
    from mayfly.store import Event

# Kinds of models that read files of this machine or speak to any address: those are for its settings to name.
_OWN = ("scripted:", "replay:", "http://", "https://")
_CANCELLED = "run.cancelled"
log = logging.getLogger("mayfly.serve")
Work = Callable[[], Outcome[Any]]


def check_model(served: ServedRuntime, name: str | None) -> str | None:
    """Return the model that a client names; one that is a file or an address has to be that of the settings."""
    if name and name.lower().startswith(_OWN) and name != served.runtime.settings.models.name:
        raise InputError("a model that is a file or an address is set at the server", fix="set MAYFLY_MODELS_NAME")
    return name


def options_of(served: ServedRuntime, order: RunOrder) -> dict[str, Any]:
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


def task_of(served: ServedRuntime, order: RunOrder) -> Work:
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
    return with_files(served, order, [path], options)


def with_files(served: ServedRuntime, order: RunOrder, paths: Sequence[Path], options: dict[str, Any]) -> Work:
    """Return what does a task with uploaded files, which are kept while the task may want them again.

    Several files are one table.
    """

    def work() -> Outcome[Any]:
        model = served.runtime.settings.models.name if options["model"] is None else options["model"]
        given = InputFile(lines=paths[0], more=tuple(paths[1:]), name=paths[0].name)
        if len(paths) == 1:
            given = read_input_file(paths[0], "the file", objects_as_lines=not model and not options["examples"])
        outcome = served.runtime.run(order.intent, **given.options(), **options)
        if outcome.resolved:
            for path in paths:
                served.uploads.drop(path)
        return outcome

    return work


async def run_for(served: ServedRuntime, request: Request, work: Work, *, wait: bool) -> JsonAnswer:
    """Do *work*: answer with its outcome, or with the id of the run as soon as it has one."""
    if wait:
        outcome = await served.workroom.do(request, lambda stop: work())
        return JsonAnswer(outcome_data(outcome, most=ITEMS))
    begun = await begin(served, work)
    if isinstance(begun, Outcome):
        return JsonAnswer(outcome_data(begun, most=ITEMS))
    return JsonAnswer({"id": begun, "status": "running"}, 202, {"Location": f"/api/runs/{begun}"})


async def begin(
    served: ServedRuntime, work: Work, also: Callable[[str, Any], None] = lambda what, about: None
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

    def __init__(self, served: ServedRuntime) -> None:
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


# Longer than any request: a page of text that was pasted in by mistake is not read word by word.
LONGEST_INTENT = 20_000
# Longer than any name of a person, a tool or a model.
LONGEST_NAME = 200
# Characters of a program, of its tests, or of rules.
LONGEST_SOURCE = 1_000_000

Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
Text = Annotated[str, StringConstraints(max_length=LONGEST_INTENT)]
Source = Annotated[str, StringConstraints(max_length=LONGEST_SOURCE)]


class RunBody(BaseModel):
    """A body in which every field is known: a word that is misspelled is an error and no silence."""

    model_config = ConfigDict(extra="forbid")


class ExampleGiven(RunBody):
    """One example: what goes in, and what comes out."""

    input: Any = Field(description="What goes in.")
    output: Any = Field(description="What has to come out.")


class RunOrder(RunBody):
    """A task: what to do, with what, and what to give where nothing is proven."""

    intent: Text = Field(min_length=1, description="What to do, in words.", examples=["count requests by status"])
    input: Any = Field(None, description="What to work on, as a value; leave it out where there is none.")
    lines: str | None = Field(None, description="What to work on, as lines of text; instead of input.")
    examples: list[ExampleGiven] = Field(default_factory=list, max_length=1000, description="Inputs and outputs.")
    ground: Any = Field(None, description="The value to give where nothing is proven.")
    model: Name | None = Field(None, description="The model to ask, such as openai:NAME; that of the settings if none.")
    reading: Text = Field("", description="How to read the request, in the words of an earlier answer.")
    bad_lines: Literal["ask", "skip", "stop"] = Field("ask", description="What lines not understood lead to.")
    tier: Literal["ephemeral", "memo"] = Field("memo", description="ephemeral keeps hashes only.")
    accept_weak: bool = Field(False, description="Run on a weak proof too.")
    demand_strong: bool = Field(False, description="Refuse a proof that leaves something open.")
    wait: bool = Field(
        True,
        description="Answer when it has ended, and end it when the client leaves; or answer 202 with its id at once, "
        "and go on.",
    )


class AnswerOrder(RunBody):
    """What a person says to a question or a call for help."""

    text: Text = Field(min_length=1, description="The answer: text, an offered number, yes, JSON, or 'cannot occur'.")
    model: Name | None = Field(None, description="The model to ask from now on.")
    again: bool = Field(False, description="Answer once more what somebody has answered already.")
    wait: bool = Field(True, description="Answer when the task has ended, or at once.")


class SettleOrder(RunBody):
    """What became of an effect that nobody could tell about."""

    verdict: Literal["done", "again", "failed"] = Field(description="done, to be sent again, or given up.")
    value: Any = Field(None, description="What an effect that is done gave.")
    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")


class WordOrder(RunBody):
    """A person's word: who says so, and why."""

    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")
    reason: Text = Field("", description="Why.")


class ResumeOrder(RunBody):
    """Go on with a run that was stopped."""

    hints: list[Text] = Field(default_factory=list, max_length=20, description="What the writers should know.")
    model: Name | None = Field(None, description="The model to ask from now on.")
    wait: bool = Field(True, description="Answer when it has ended, or at once.")


class ChatOrder(RunBody):
    """A new conversation in the directory that the server works in."""

    model: Name | None = Field(None, description="The model to talk to; that of the settings if none.")


class SayOrder(RunBody):
    """What a person says in a conversation."""

    text: Text = Field(min_length=1, description="What is wanted.")
    wait: bool = Field(False, description="Answer when the turn has ended, or at once.")


class UndoOrder(RunBody):
    """Which change to take back."""

    id: Name | None = Field(None, description="The change; the last one if none is named.")


class CallOrder(RunBody):
    """A call of a tool."""

    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments by name, as its schema says.")
    version: int = Field(0, ge=0, le=2**31, description="A version; the one that serves if 0.")
    seconds: float | None = Field(None, gt=0, le=3600, description="How long it may take.")


class ToolOrderGiven(RunBody):
    """A tool to be made, or made anew: in words, by examples, or with its source."""

    intent: Text = Field("", description="What it does, in words.")
    name: Name = Field("", description="What it is called; after its function or the intent if empty.")
    summary: Text = Field("", description="What is listed; its docstring if empty.")
    source: Source | None = Field(None, description="Python to take instead of having it written.")
    examples: list[ExampleGiven] = Field(default_factory=list, max_length=1000, description="Inputs and outputs.")
    tests: Source | None = Field(None, description="Python with test functions, or JSON cases.")
    grants: list[Name] | None = Field(None, max_length=50, description="What it may reach, such as net:HOST; or none.")
    model: Name | None = Field(None, description="The model to ask.")
    accept_weak: bool = Field(False, description="Keep what only its own examples speak for.")
    seconds: float | None = Field(None, gt=0, le=3600, description="How long a call may take.")
    by: Name | None = Field(None, description="Who hands it in; whoever the server runs as if none.")


class ToolUpdate(ToolOrderGiven):
    """The next version of a tool."""

    replace_tests: bool = Field(False, description="The tests of the old version hold no more.")


class RollbackOrder(RunBody):
    """Let an earlier version serve."""

    to: int | None = Field(None, ge=1, le=2**31, description="Which one; the one before if none.")
    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")


class PermitOrder(RunBody):
    """A question to the rules: may this be done?"""

    action: Name = Field(min_length=1, description="What would be done, such as file_write.")
    target: Text = Field(description="What it would be done to: a path, an address, a command.")
    payload: Source = Field("", description="What would be written or sent.")
    persona: Name | None = Field(None, description="Who acts; its tools and policies apply.")
    tier: Literal["ephemeral", "memo", "authored", "promoted", "builtin"] | None = Field(None, description="Its tier.")
    why: bool = Field(True, description="Say by which rules, as trees.")


class RulesGiven(RunBody):
    """A changed rule file."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]{1,60}\.mg$", description="A shipped file's name takes its place.")
    text: Source = Field(description="The rules.")


class SimulateOrder(RunBody):
    """Rules to be tried on what was decided before; nothing is put into force."""

    files: list[RulesGiven] = Field(min_length=1, max_length=20, description="The changed files.")
    last: int = Field(200, ge=1, le=5000, description="How many recorded decisions and intents to try.")
