"""`Runtime`: the one place where the parts are put together. An intent goes in, a proven value or ground comes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import Closing, Cost, InputError, MayflyError, Order, Outcome, Settings, limit
from mayfly.forge import Story, Task, TaskRun, Within, collapsed, needs_input, recorded_live, runs_on_parts
from mayfly.runtime._caller import caller_now, harmless_observer, tree_ended_by
from mayfly.runtime._parts import Parts

if TYPE_CHECKING:
    from mayfly.core import Capability, OnExhausted
    from mayfly.forge import AskSpread, Compiler, Observer, Signature
    from mayfly.library import Tools
    from mayfly.library.promotion import Promotion
    from mayfly.promise import Promise
    from mayfly.runtime._tree import Trees
    from mayfly.session import RunningSession
    from mayfly.store import Ledger


class Runtime(Closing):
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

    def run(self, intent: str | Order, **options: Any) -> Outcome[Any]:
        """Do what an order says; of an *intent* in words, the options are the other fields of `Order`.

        The value is the ground unless resolved. The synthesizer writes; where that is not enough, a model.
        """
        try:
            order = self._named(intent if isinstance(intent, Order) else Order.of(intent, **options))
        except InputError as error:
            return self._refused(error, str(intent), options)
        if self._is_large(order) and (outcome := self._as_tree(order)):
            return outcome
        return self._resolve(lambda: self._task(order), order)

    async def arun(self, intent: str, **options: Any) -> Outcome[Any]:
        """Do what `run` does without blocking the event loop."""
        import asyncio

        return await asyncio.to_thread(lambda: self.run(intent, **options))

    def call(self, signature: Signature, arguments: Sequence[object], **options: Any) -> Outcome[Any]:
        """Call a function that exists only as a signature: write and prove it first if that has not been done.

        The options are those of `run`.
        """
        try:
            task = self.function_task(signature, input=list(arguments), **options)
        except InputError as error:
            return self._refused(error, signature.doc or str(signature), options)
        return self._resolve(lambda: task, task.order)

    def function_task(self, signature: Signature, **options: Any) -> Task:
        """Return the task of writing a function."""
        order = Order.of(signature.doc or signature.name.replace("_", " "), **options)
        return Task.of(self._named(order), self.settings, signature=signature)

    def _resolve(self, make: Callable[[], Task], order: Order) -> Outcome[Any]:
        """Do a task with one agent; every way it can fail is an outcome."""
        story = self.story("r")

        def work() -> Outcome[Any]:
            task = make()
            self.check_grants(task, story)
            within = Within(seconds=self.settings.sandbox.timeout)
            return TaskRun(parts=self.parts, task=task, story=story, within=within, spread=self._spread()).resolve()

        return self._guarded(work, story, order)

    def _spread(self) -> AskSpread | None:
        """Return what asks about many files on the nodes of a cluster, where the settings name one."""
        if self.settings.promise.engine.strip() == "local":
            return None
        # Imported where it is used: a run on one machine needs no engines.
        from mayfly.runtime._spread import ask_spread

        return ask_spread

    def _refused(self, error: InputError, intent: str, options: Mapping[str, Any]) -> Outcome[Any]:
        """Give ground for what cannot be ordered, and keep that in the ledger like every other end."""

        def work() -> Outcome[Any]:
            raise error

        wanted = Order(intent=intent, ground=options.get("ground"), on_exhausted=options.get("on_exhausted", "ground"))
        return self._guarded(work, self.story("r"), wanted)

    def _guarded(self, work: Callable[[], Outcome[Any]], story: Story, order: Order) -> Outcome[Any]:
        """Turn every way a run can fail into ground with the reason; only a wish of the caller lets it out."""
        with recorded_live(self.parts, story) if caller_now(None).live else nullcontext():
            try:
                outcome = work()
            except Exception as error:
                outcome = collapsed(error, story, self.parts, intent=order.intent, ground=order.ground)
                story.keep(self.parts.ledger)
                if order.on_exhausted == "raise":
                    raise
                return outcome
            story.keep(self.parts.ledger)
            return outcome

    def _named(self, order: Order) -> Order:
        """Return the order with the model that is asked: that of the settings where none is named."""
        return replace(order, model=self.parts.model_named(order.model))

    @cached_property
    def compiler(self) -> Compiler:
        """What writes and proves without running."""
        # Imported where it is used: a known agent runs without what writes and proves.
        from mayfly.forge import Compiler

        return Compiler(parts=self.parts, begin_story=lambda: self.story("c"), check_grants=self.check_grants)

    def check_grants(self, task: Task, story: Story | None = None) -> None:
        """Raise a `Refusal` where the rules do not allow what *task* is granted; what is asked is told to *story*."""
        if task.profile.grants:
            # Imported where it is used: most runs hold no grants and need no rules.
            from mayfly.runtime._grants import check_grants

            check_grants(self.parts, self._workspace, task, story)

    def _is_large(self, order: Order) -> bool:
        """Whether a task may be more than one agent: it names nothing to work on, or a file worth splitting.

        Where one agent is known that needs something to work on, there is nothing to plan.
        """
        if order.record or order.imports is not None or order.second is not None:
            return False
        if order.reading or order.grants or order.contract:
            return False
        if order.lines is not None:
            return runs_on_parts(order, self.settings, lambda: self.parts.sandbox)
        return order.has_nothing and not order.examples and not needs_input(self.parts, intent=order.intent)

    def _task(self, order: Order) -> Task:
        return Task.of(order, self.settings, box=lambda: self.parts.sandbox)

    def _as_tree(self, order: Order) -> Outcome[Any] | None:
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
            planned = self._planned(order)
            return None if planned is None else self._resolved(planned, order, spent=Cost.of(pool.snapshot()))

    def _planned(self, order: Order) -> Promise[Any] | None:
        """Return the tree of a task that is one; None where one agent does it, or where the task is no task."""
        try:
            tree = self._trees(order.model, order.intent).plan(order)
        except MayflyError:
            return None
        leaves = [promise for promise in tree.walk() if not promise.children]
        work = leaves[0].work
        if len(leaves) > 1:
            return tree
        return None if leaves[0].unserved or (work is not None and work.kind == "compile") else tree

    def plan(self, intent: str | Order, **options: Any) -> Promise[Any]:
        """Return the whole tree of promises that an order would take; nothing has run."""
        order = self._named(intent if isinstance(intent, Order) else Order.of(intent, **options))
        return self._trees(order.model, order.intent).plan(order)

    def resolve(self, promise: Promise[Any], **options: Any) -> Outcome[Any]:
        """Resolve a tree from its leaves up; every step is in the ledger, so that `resume` can go on after a crash.

        The options are those of `run`, as far as they are about the whole tree.
        """
        return self._resolved(promise, self._named(Order.of(promise.intent, **options)))

    def _resolved(self, promise: Promise[Any], order: Order, *, spent: Cost | None = None) -> Outcome[Any]:
        run = self.story("r").id
        try:
            trees = self._trees(order.model)
            trees.spent = spent or Cost()
            with tree_ended_by(caller_now(None).stop, trees, run):
                outcome = trees.resolve(run, promise, order, by="hand" if spent is None else "plan")
        except MayflyError as error:
            if order.on_exhausted == "raise":
                raise
            return Outcome(status="collapsed", value=promise.ground, reason=str(error), id=run, code=error.code)
        return _unless_wanted(outcome, order.on_exhausted)

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
        trees = self._trees(self.parts.model_named(model))
        with tree_ended_by(caller_now(None).stop, trees, id):
            return _unless_wanted(trees.resume(id, hints=tuple(hints), model=model), on_exhausted)

    def _trees(self, model: str | None, intent: str = "") -> Trees:
        # Imported where it is used: a single agent needs neither rules nor engines.
        from mayfly.runtime._trees_for import trees_for

        return trees_for(
            self.parts,
            self.tools,
            self._capabilities,
            workspace=self._workspace,
            tell=self._teller(),
            model=model,
            open_session=self._open_session,
            intent=intent,
        )

    def _open_session(self, workspace: Path, model: str, id: str) -> RunningSession:
        """Open a session for a leaf that is one, with a runtime of its own."""
        from mayfly.session import RunningSession

        return RunningSession(Runtime(self.settings, workspace=workspace), workspace=workspace, model=model, id=id)

    def _teller(self) -> Observer:
        """Return what tells whoever calls now, from whatever thread."""
        return caller_now(self._observer).observer or (lambda what, about: None)

    @cached_property
    def tools(self) -> Tools:
        """The library: versioned tools that every process of the store has."""
        # Imported where it is used: a run of its own needs no library.
        from mayfly.forge import ToolMaker
        from mayfly.library import Tools
        from mayfly.promise.fit import does_of

        return Tools(self.parts, ToolMaker(self.compiler, does_of=does_of), reserved=self._builtin_names)

    def _builtin_names(self) -> frozenset[str]:
        """Return the names of what the project itself consists of, and those that the rules know."""
        from mayfly.world import builtins

        return frozenset({one.name for one in builtins(self.settings)} | self.parts.desk.personas.actions)

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
        return self.parts.model_named(name) or None

    def close(self) -> None:
        """End every process and connection of this runtime."""
        self.parts.close()


def _unless_wanted(outcome: Outcome[Any], on_exhausted: OnExhausted) -> Outcome[Any]:
    """Return the outcome; a caller who asked for it gets an exception in place of ground."""
    if on_exhausted == "raise":
        outcome.unwrap()
    return outcome
