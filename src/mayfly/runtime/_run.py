"""`Runtime`: the one place where the parts are put together. An intent goes in, a proven value or ground comes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mayfly.core import UNSET, Cost, MayflyError, Outcome, Settings, Tier, limit
from mayfly.runtime._caller import caller_now, harmless_observer, tree_ended_by
from mayfly.runtime._compile import compile_task
from mayfly.runtime._execute import Within
from mayfly.runtime._known import needs_input
from mayfly.runtime._parts import Parts
from mayfly.runtime._resolve import Asked, collapsed, keep, model_name, recorded_live, resolve_task
from mayfly.runtime._story import Story
from mayfly.runtime._task import checked_examples, make_task, size_of

if TYPE_CHECKING:
    from mayfly.core import Capability, Contract, Example, Unset
    from mayfly.forge import Signature
    from mayfly.gates import Suite
    from mayfly.promise import Promise
    from mayfly.runtime._compile import Compiled
    from mayfly.runtime._promotion import Promotion
    from mayfly.runtime._story import Observer
    from mayfly.runtime._task import BadLines, OnExhausted, Task
    from mayfly.runtime._tools import Tools
    from mayfly.runtime._tree import Trees
    from mayfly.store import Ledger

NO_EXAMPLES: tuple[Example, ...] = ()


class Runtime:
    """Write, gate, prove and run agents; a context manager that owns its sandbox, gates, models and ledger.

    `run` never raises for what a task, a model or a generated program does: it returns an `Outcome` that says so.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        observer: Observer | None = None,
        capabilities: Sequence[Capability] = (),
        workspace: Path | None = None,
        brief: bool = False,
    ) -> None:
        """Make a runtime; *capabilities*, such as functions of your own, serve trees besides the built-in ones.

        A *brief* one is for a single task: nothing is prepared for more.
        """
        self.settings = settings or Settings.load()
        self._workspace = workspace or Path.cwd()
        self.parts = Parts(self.settings, brief=brief, workspace=self._workspace)
        self._observer = None if observer is None else harmless_observer(observer)
        self._capabilities = tuple(capabilities)
        self._tools: Tools | None = None

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
        tier: Tier | str | None = None,
        imports: frozenset[str] | None = None,
        grants: Sequence[str] = (),
        accept_weak: bool = False,
        hints: Sequence[str] = (),
        record: Path | None = None,
        on_exhausted: OnExhausted = "ground",
        reading: str = "",
        bad_lines: BadLines = "ask",
        name: str = "",
        second: Path | Sequence[object] | None = None,
        contract: Contract | None = None,
        answers: Sequence[Example | Mapping[str, object]] = NO_EXAMPLES,
        never: Sequence[object] = (),
        demand_strong: bool = False,
    ) -> Outcome[Any]:
        """Do what *intent* says with *input*, or with the *lines* of a file of any size.

        The value is *ground* unless resolved. The synthesizer writes; where that is not enough, a *model*. *reading*
        chooses one of several; *bad_lines* says what lines not understood lead to; *name* is that of the input; a
        *second* one is joined by a column both have. *grants* open doors where rules allow them to the *tier* (memo, or
        authored). A *contract* was agreed on by hand; *answers* are what a person said to earlier questions, *never*
        inputs that cannot occur. What leaves something open resolves unless it is *demand_strong*.
        """
        tier = tier or (Tier.AUTHORED if grants else Tier.MEMO)
        plain = record is None and imports is None and second is None and not (reading or grants or contract)
        given: dict[str, Any] = {"input": input, "lines": lines, "examples": examples, "ground": ground}
        given |= {"context": context}
        said: dict[str, Any] = {"contract": contract, "answers": answers, "never": never, "reading": reading}
        said |= {"imports": imports, "name": name, "second": second, "bad_lines": bad_lines, "hints": tuple(hints)}
        said |= {"grants": tuple(grants)}
        if intent.strip() and plain and self._is_large(intent, input, lines, examples):
            chosen = {"tier": tier, "accept_weak": accept_weak, "hints": hints, "on_exhausted": on_exhausted}
            if outcome := self._as_tree(intent, given, {**chosen, "bad_lines": bad_lines}, model=model):
                return outcome
        story = self.story("r")

        def work() -> Outcome[Any]:
            task = make_task(intent, **given, **said, tier=Tier(tier), signature=None, settings=self.settings)
            self.check_grants(task, story)
            asked = self._asked(model, record=record, accept_weak=accept_weak, demand_strong=demand_strong)
            return resolve_task(self.parts, task, story, asked)

        with recorded_live(self.parts, story) if caller_now(None).live else nullcontext():
            return self._guarded(work, story, intent, ground, on_exhausted)

    async def arun(self, intent: str, **options: Any) -> Outcome[Any]:
        """Do what `run` does without blocking the event loop."""
        import asyncio

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
            return resolve_task(self.parts, task, story, self._asked(model, accept_weak=accept_weak))

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
        name = self.model_named(model)
        story.began(task, name)
        try:
            return compile_task(self.parts, task, story, model=name, suite=suite)
        finally:
            self.keep(story)

    def check_grants(self, task: Task, story: Story | None = None) -> None:
        """Raise a `Refusal` where the rules do not allow what *task* is granted; what is asked is told to *story*."""
        if task.profile.grants:
            # Imported where it is used: most runs hold no grants and need no rules.
            from mayfly.runtime._grants import check_grants

            check_grants(self.parts, self._workspace, task, story)

    def _is_large(self, intent: str, input: object | Unset, lines: str | Path | None, examples: Sequence[Any]) -> bool:
        """Whether a task may be more than one agent: it names nothing to work on, or a file worth splitting.

        Where one agent is known that needs something to work on, there is nothing to plan.
        """
        if lines is not None:
            return size_of(Path(lines)) >= self.settings.promise.split_from
        return input is UNSET and not examples and not needs_input(self.parts, intent=intent.strip())

    def _as_tree(
        self, intent: str, given: dict[str, Any], chosen: dict[str, Any], *, model: str | None
    ) -> Outcome[Any] | None:
        """Do a task that is a tree of several promises; None where one agent does it.

        What planning spends on a model comes out of the same limits as the rest of the run.
        """
        models = self.settings.models
        with limit(
            model_calls=models.calls,
            input_tokens=models.input_tokens,
            output_tokens=models.output_tokens,
            money=models.money,
        ) as pool:
            planned = self._planned(intent, model=model, **given)
            if planned is None:
                return None
            spent = Cost.of(pool.snapshot())
            return self._resolved(planned, spent=spent, model=model, **chosen)

    def _planned(self, intent: str, **given: Any) -> Promise[Any] | None:
        """Return the tree of a task that is one; None where one agent does it, or where the task is no task."""
        try:
            tree = self.plan(intent, **given)
        except MayflyError:
            return None
        leaves = [promise for promise in tree.walk() if not promise.children]
        work = leaves[0].work
        if len(leaves) > 1:
            return tree
        return None if leaves[0].unserved or (work is not None and work.kind == "compile") else tree

    def plan(
        self,
        intent: str,
        *,
        input: object | Unset = UNSET,
        lines: str | Path | None = None,
        examples: Sequence[Example | Mapping[str, object]] = NO_EXAMPLES,
        ground: Any = None,
        model: str | None = None,
        context: Mapping[str, object] | None = None,
    ) -> Promise[Any]:
        """Return the whole tree of promises that *intent* would take; nothing has run."""
        return self._trees(model, intent).plan(
            intent,
            input=input,
            lines=Path(lines) if lines is not None else None,
            examples=checked_examples(examples),
            ground=ground,
            model=self.model_named(model),
            context=context,
        )

    def resolve(
        self,
        promise: Promise[Any],
        *,
        model: str | None = None,
        tier: Tier | str = Tier.MEMO,
        accept_weak: bool = False,
        hints: Sequence[str] = (),
        on_exhausted: OnExhausted = "ground",
    ) -> Outcome[Any]:
        """Resolve a tree from its leaves up; every step is in the ledger, so that `resume` can go on after a crash."""
        return self._resolved(
            promise, model=model, tier=tier, accept_weak=accept_weak, hints=hints, on_exhausted=on_exhausted
        )

    def _resolved(
        self,
        promise: Promise[Any],
        *,
        model: str | None,
        tier: Tier | str,
        accept_weak: bool,
        hints: Sequence[str],
        on_exhausted: OnExhausted,
        spent: Cost | None = None,
        bad_lines: BadLines = "ask",
    ) -> Outcome[Any]:
        run = self.story("r").id
        try:
            trees = self._trees(model)
            options = trees.options(
                model=self.model_named(model), tier=Tier(tier).value, accept_weak=accept_weak, hints=tuple(hints)
            )
            trees.spent, trees.bad_lines = spent or Cost(), bad_lines
            with tree_ended_by(caller_now(None).stop, trees, run):
                outcome = trees.resolve(run, promise, options, by="hand" if spent is None else "plan")
        except MayflyError as error:
            if on_exhausted == "raise":
                raise
            return Outcome(status="collapsed", value=promise.ground, reason=str(error), id=run, code=error.code)
        return _unless_wanted(outcome, on_exhausted)

    def resume(
        self,
        id: str,
        *,
        hints: Sequence[str] = (),
        model: str | None = None,
        on_exhausted: OnExhausted = "ground",
    ) -> Outcome[Any]:
        """Go on with a run that ended early: what is proven is not done again, the rest has the *hints* in mind.

        With a *model*, that one is asked from now on.
        """
        trees = self._trees(model)
        with tree_ended_by(caller_now(None).stop, trees, id):
            return _unless_wanted(trees.resume(id, hints=tuple(hints), model=model), on_exhausted)

    def _trees(self, model: str | None, intent: str = "") -> Trees:
        # Imported where it is used: a single agent needs neither rules nor engines.
        from mayfly.runtime._trees_for import trees_for

        return trees_for(
            self, self._capabilities, self._workspace, self._teller(), model=self.model_named(model), intent=intent
        )

    def _teller(self) -> Observer:
        """Return what tells whoever calls now, from whatever thread."""
        return caller_now(self._observer).observer or (lambda what, about: None)

    def _asked(
        self, model: str | None, *, accept_weak: bool, record: Path | None = None, demand_strong: bool = False
    ) -> Asked:
        return Asked(
            model=self.model_named(model),
            accept_weak=accept_weak,
            demand_strong=demand_strong,
            record=record,
            within=Within(seconds=self.settings.sandbox.timeout),
        )

    def _guarded(
        self, work: Callable[[], Outcome[Any]], story: Story, intent: str, ground: Any, on_exhausted: OnExhausted
    ) -> Outcome[Any]:
        """Turn every way a run can fail into ground with the reason; only a wish of the caller lets it out."""
        try:
            outcome = work()
        except Exception as error:
            outcome = collapsed(error, story, self.parts, intent=intent, ground=ground)
            self.keep(story)
            if on_exhausted == "raise":
                raise
            return outcome
        self.keep(story)
        return outcome

    def keep(self, story: Story) -> None:
        """Put the story into the ledger; one that cannot be written is told to the observer and changes nothing."""
        keep(self.parts, story)

    @property
    def tools(self) -> Tools:
        """The library: versioned tools that every process of the store has."""
        if self._tools is None:
            # Imported where it is used: a run of its own needs no library.
            from mayfly.runtime._tools import Tools

            self._tools = Tools(self)
        return self._tools

    @property
    def promotion(self) -> Promotion:
        """Which programs ran often and well, who votes for them, and what is promoted."""
        return self.parts.promotion

    @property
    def ledger(self) -> Ledger:
        """The ledger that this runtime writes to."""
        return self.parts.ledger

    def story(self, letter: str) -> Story:
        """Begin the story of a run or of a compilation, with an id of its own."""
        caller = caller_now(self._observer)
        strategy = self.settings.market.strategy
        story = Story(f"{letter}-{os.urandom(4).hex()}", caller.observer, stop=caller.stop, strategy=strategy)
        story.tell("named", story.id)
        return story

    def model_named(self, name: str | None) -> str | None:
        """Return the model that is asked where *name* is said; None where there is none."""
        return model_name(self.settings, name)

    def close(self) -> None:
        """End every process and connection of this runtime."""
        self.parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _unless_wanted(outcome: Outcome[Any], on_exhausted: OnExhausted) -> Outcome[Any]:
    """Return the outcome; a caller who asked for it gets an exception in place of ground."""
    if on_exhausted == "raise":
        outcome.unwrap()
    return outcome
