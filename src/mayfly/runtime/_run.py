"""`Runtime`: the one place where the parts are put together. An intent goes in, a proven value or ground comes out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mayfly.core import UNSET, Example, InputError, MayflyError, Outcome, Settings, Tier, Unset
from mayfly.forge import Signature
from mayfly.gates import Suite
from mayfly.runtime._collapse import Collapse, collapse_of
from mayfly.runtime._compile import Compiled, compile_task, find_again
from mayfly.runtime._execute import Ran, execute
from mayfly.runtime._parts import Parts
from mayfly.runtime._story import Observer, Story
from mayfly.runtime._task import OnExhausted, Task, make_task

NO_EXAMPLES: tuple[Example, ...] = ()


class Runtime:
    """Write, gate, prove and run agents; a context manager that owns its sandbox, gates, models and ledger.

    `run` never raises for what a task, a model or a generated program does: it returns an `Outcome` that says so.
    """

    def __init__(self, settings: Settings | None = None, *, observer: Observer | None = None) -> None:
        self.settings = settings or Settings.load()
        self.parts = Parts(self.settings)
        self._observer = observer

    def run(
        self,
        intent: str,
        *,
        input: object | Unset = UNSET,
        lines: str | Path | None = None,
        examples: Sequence[Example | Mapping[str, object]] = NO_EXAMPLES,
        ground: Any = None,
        model: str | None = None,
        context: Mapping[str, object] | None = None,
        tier: Tier | str = Tier.MEMO,
        imports: frozenset[str] | None = None,
        accept_weak: bool = False,
        hints: Sequence[str] = (),
        record: Path | None = None,
        on_exhausted: OnExhausted = "ground",
    ) -> Outcome[Any]:
        """Do what *intent* says with *input*, or with the *lines* of a file of any size.

        The value is *ground* unless the outcome is resolved. With a *model* (or one in the settings) that model writes;
        without one the program is synthesized from *examples*, the input and the words of the intent.
        """
        story = self.story("r")

        def work() -> Outcome[Any]:
            task = make_task(
                intent,
                input=input,
                lines=lines,
                examples=examples,
                ground=ground,
                context=context,
                tier=Tier(tier),
                imports=imports,
                hints=tuple(hints),
                signature=None,
                settings=self.settings,
            )
            return self._resolve(task, story, model=model, record=record, accept_weak=accept_weak)

        return self._guarded(work, story, intent, ground, on_exhausted)

    async def arun(self, intent: str, **options: Any) -> Outcome[Any]:
        """Do what `run` does without blocking the event loop."""
        return await asyncio.to_thread(lambda: self.run(intent, **options))

    def call(
        self,
        signature: Signature,
        arguments: Sequence[object],
        *,
        examples: Sequence[Example],
        ground: Any,
        model: str | None = None,
        accept_weak: bool = False,
        on_exhausted: OnExhausted = "ground",
    ) -> Outcome[Any]:
        """Call a function that exists only as a signature: write and prove it first if that has not been done."""
        story = self.story("r")

        def work() -> Outcome[Any]:
            task = self.function_task(signature, examples, input=list(arguments), ground=ground)
            return self._resolve(task, story, model=model, record=None, accept_weak=accept_weak)

        return self._guarded(work, story, signature.doc or str(signature), ground, on_exhausted)

    def function_task(
        self, signature: Signature, examples: Sequence[Example], *, input: object | Unset = UNSET, ground: Any = None
    ) -> Task:
        """Return the task of writing a function."""
        return make_task(
            signature.doc or signature.name.replace("_", " "),
            input=input,
            lines=None,
            examples=examples,
            ground=ground,
            context=None,
            tier=Tier.MEMO,
            imports=None,
            hints=(),
            signature=signature,
            settings=self.settings,
        )

    def compile(self, task: Task, *, model: str | None = None, suite: Suite | None = None) -> Compiled:
        """Write and prove without running; raises what stood in the way."""
        story = self.story("c")
        name = self._model(model)
        story.began(task, name)
        try:
            return compile_task(self.parts, task, story, model=name, suite=suite)
        finally:
            self.keep(story)

    def _resolve(
        self, task: Task, story: Story, *, model: str | None, record: Path | None, accept_weak: bool
    ) -> Outcome[Any]:
        name = self._model(model)
        story.began(task, name)
        found = find_again(self.parts, task, story, model=name)
        compiled = found or compile_task(self.parts, task, story, model=name, record=record)
        if compiled.proof.strength != "strong" and not accept_weak:
            raise Collapse.weak(compiled)
        if task.input is UNSET and task.lines is None and (task.examples or task.signature):
            raise InputError("there is no input to run it on", fix="add --input FILE; to only write it: mayfly compile")
        ran = self._execute(task, compiled, story)
        if not ran.result.ok:
            raise Collapse.ran(ran.result)
        if found is None:
            compiled.remember(self.parts, task, story)
        return self._resolved(compiled, ran, story, cached=found is not None)

    def _execute(self, task: Task, compiled: Compiled, story: Story) -> Ran:
        # Only what was proven before is called again in a worker that is kept for it.
        pinned = compiled.repeat
        seconds = self.settings.sandbox.timeout
        ran = execute(self.parts.sandbox, compiled.artifact, compiled.entry, task, seconds=seconds, pinned=pinned)
        story.executed(compiled.artifact, ran)
        return ran

    def _resolved(self, compiled: Compiled, ran: Ran, story: Story, *, cached: bool) -> Outcome[Any]:
        reason = f"{'cached, ' if cached else ''}proof {compiled.proof.strength}"
        outcome = Outcome(
            status="resolved",
            value=ran.value,
            reason=reason,
            id=story.id,
            proof=compiled.proof,
            cost=story.cost(),
            cached=cached,
            source_hash=compiled.artifact.hash,
        )
        story.resolved(outcome, kept=compiled.kept)
        return outcome

    def _guarded(
        self, work: Callable[[], Outcome[Any]], story: Story, intent: str, ground: Any, on_exhausted: OnExhausted
    ) -> Outcome[Any]:
        """Turn every way a run can fail into ground with the reason; only a wish of the caller lets it out."""
        try:
            outcome = work()
        except Exception as error:
            collapse = collapse_of(error)
            outcome = Outcome(
                status="collapsed" if isinstance(error, (MayflyError, Collapse)) else "failed",
                value=ground,
                reason=collapse.reason,
                id=story.id,
                proof=collapse.proof,
                cost=story.cost(),
                question=collapse.question,
                source_hash=collapse.source_hash,
                code=collapse.code,
            )
            if collapse.asked is not None:
                story.tell("question", collapse.asked)
            story.collapsed(outcome, intent, error, self.parts)
            self.keep(story)
            if on_exhausted == "raise":
                raise
            return outcome
        self.keep(story)
        return outcome

    def keep(self, story: Story) -> None:
        """Put the story into the ledger; one that cannot be written is told to the observer and changes nothing."""
        try:
            self.parts.ledger.append_many(story.take(), subject=story.id)
        except MayflyError as error:
            story.tell("unrecorded", str(error))

    def story(self, letter: str) -> Story:
        """Begin the story of a run or of a compilation, with an id of its own."""
        return Story(f"{letter}-{secrets.token_hex(4)}", self._observer)

    def _model(self, name: str | None) -> str | None:
        return (self.settings.models.name if name is None else name) or None

    def close(self) -> None:
        """End every process and connection of this runtime."""
        self.parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
