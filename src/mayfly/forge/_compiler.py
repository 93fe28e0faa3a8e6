"""`Compiler`: write and prove without running, or try code that somebody else has written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mayfly.core import Artifact, Contract, HelpNeeded, InputError, MayflyError, Order, Refusal, Verdict
from mayfly.forge._compile import compile_task
from mayfly.forge._contract import ContractWriter, contract_of
from mayfly.forge._question import ask_of_data, is_about_data
from mayfly.forge._request import CannotWrite, Request
from mayfly.forge._task import Task
from mayfly.forge._test_writer import TestWriter, given_in, hold_out
from mayfly.gates import Admission, Suite, Test

if TYPE_CHECKING:
    from mayfly.forge._known import Compiled
    from mayfly.forge._story import Story
    from mayfly.forge.languages import LanguageGates
    from mayfly.gates import Gates
    from mayfly.library import Workshop
    from mayfly.models import Model, ModelPool

# The intent of a program that is tried without one; nobody judges it by these words.
UNSAID = "check this program"


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """Compile orders with the parts of one runtime, which also says how a story begins and who may hold grants."""

    parts: Workshop
    begin_story: Callable[[], Story]
    check_grants: Callable[[Task, Story | None], None]

    def task(self, order: Order) -> Task:
        """Return the task of a compilation, for which the rules allow what is granted."""
        named = replace(order, model=self.parts.model_named(order.model))
        task = Task.of(named, self.parts.settings, box=lambda: self.parts.sandbox)
        self.check_grants(task, None)
        return task

    def write(self, order: Order, *, tests: str | None = None) -> tuple[Admission, Suite]:
        """Write, gate and prove; raise what stood in the way."""
        task = self.task(order)
        compiled = self.compile(task, suite=None if tests is None else suite_of(task, tests))
        if compiled.admission is None or compiled.suite is None:
            raise InputError("nothing was compiled")
        return compiled.admission, compiled.suite

    def compile(self, task: Task, *, suite: Suite | None = None) -> Compiled:
        """Write and prove for a task, of whatever signature; raise what stood in the way."""
        story = self.begin_story()
        story.began(task)
        try:
            return compile_task(self.parts, task, story, suite=suite)
        finally:
            story.keep(self.parts.ledger)

    def prepare(
        self, order: Order, *, tests: str | None = None, hide: bool = False, story: Story | None = None
    ) -> Trial:
        """Begin the story of a program that is tried outside of a compilation, and have its tests written.

        The *tests* that somebody gave stand behind the others. Where a writer is to follow, some examples are hidden.
        """
        task = self.task(order)
        story = story or self.begin_story()
        model = self.model_of(task)
        story.pool = self.parts.pool()
        story.began(task)
        shown, held_out = hold_out(order.examples) if hide else (order.examples, ())
        request = agreed_request(task, replace(request_for(task), examples=shown), model, story.pool)
        suite = TestWriter(model, story.pool).write(request, held_out=held_out, exact=False)
        given = () if tests is None else suite_of(task, tests).tests
        return Trial(
            task=task, story=story, model=model, request=request, suite=replace(suite, tests=(*suite.tests, *given))
        )

    def prove(
        self,
        order: Order,
        source: str,
        *,
        entry: str = "",
        tests: str | None = None,
        kept: Sequence[Test] = (),
        spread: bool | None = None,
        story: Story | None = None,
    ) -> tuple[Admission, Suite]:
        """Try *source* at every gate and prove it with the tests of the order; never raises for what the source is.

        Tests that were *kept* from before have to pass as well. The last of the suite are those, after those of
        *tests*. *spread* says whether an input is a list of arguments, where that does not follow from the source.
        """
        parts = self.parts
        parts.types.start()
        trial = self.prepare(order, tests=tests, story=story)
        suite = replace(trial.suite, tests=(*trial.suite.tests, *kept))
        intent = "" if order.intent == UNSAID else order.intent
        gates = parts.gates(trial.model, trial.story.pool)
        more = {"intent": intent, "spread": spread, "last": True}
        admission = trial.admit(gates, source, entry, suite, **more)
        trial.story.keep(parts.ledger)
        return admission, suite

    def agree(self, order: Order) -> Contract:
        """Return what would be agreed on before anything is written: from what is given, and by one call of a model."""
        task = self.task(order)
        return agreed_request(task, task.request(order.examples), self.model_of(task), self.parts.pool()).contract

    def model_of(self, task: Task) -> Model | None:
        """Open the model that is asked for *task*, where there is one."""
        return self.parts.model(task.order.model) if task.order.model else None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A program that is tried outside of a compilation: its task, who is asked, and the tests it has to pass."""

    task: Task
    story: Story
    model: Model | None
    request: Request
    suite: Suite

    def admit(self, gates: Gates | LanguageGates, source: str, entry: str, suite: Suite, **more: Any) -> Admission:
        """Try a source that was given at *gates*, and tell the story."""
        artifact = Artifact(kind="agent", source=source, entry=entry, author="given")
        self.story.watch("wrote", (1, artifact))
        admission = gates.admit(artifact, profile=self.task.profile, suite=suite, **more)
        self.story.watch("judged", admission)
        return admission


def agreed_request(task: Task, request: Request, model: Model | None, pool: ModelPool) -> Request:
    """Return the request with its contract: agreed on by hand, or concluded from what is given and with a model."""
    agreed = task.order.contract or ContractWriter(model, pool).write(request, contract_of(request))
    return replace(request, contract=agreed)


def request_for(task: Task) -> Request:
    """Return what tests are written from: where the task is a question about data, what that asks for as well."""
    request = task.request(task.order.examples)
    if not is_about_data(task):
        return request
    try:
        return replace(request, question=ask_of_data(task))
    except CannotWrite:
        return request


def suite_of(task: Task, tests: str) -> Suite:
    """Read the tests that somebody gave; a file without any is an error."""
    found = given_in(tests, [example.input for example in task.order.examples])
    return Suite(tests=tuple(found), author="given", samples=tuple(task.sample[:6]))


def verdicts_of(error: MayflyError) -> list[Verdict]:
    """Return what is known about why nothing was compiled, as verdicts."""
    if isinstance(error, Refusal):
        return [error.verdict]
    if isinstance(error, HelpNeeded):
        history = error.context.get("validation_history")
        told = [str(line) for line in history] if isinstance(history, list) else [error.last_error]
        return [Verdict(decision="reject", gate="forge", code=error.code, message=line) for line in told]
    return [Verdict(decision="reject", gate="forge", code=error.code, message=error.message, fix=error.fix)]
