"""Trees put to work: planned by the rules in force or a model, resolved by the engine of the settings, resumable."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mayfly.core import (
    ConflictError,
    Cost,
    InputError,
    MayflyError,
    Order,
    Outcome,
    Pool,
    Proof,
    Tier,
    canonical_json,
    current_pool,
    is_plain_text,
    was_hidden,
)
from mayfly.forge import Collapse, RunBegan, check_account, run_ended, runs_on_parts, versions_of
from mayfly.library import Registry
from mayfly.persona import Desk
from mayfly.promise import (
    Options,
    Planned,
    Planner,
    Promise,
    RunResumed,
    Saved,
    ToolSupply,
    Work,
    about_store,
    check_shape,
    saved,
    spent_json,
    to_json,
)
from mayfly.promise.split import parts_of
from mayfly.runtime._drive import Drive, check_files, kept_options

if TYPE_CHECKING:
    from mayfly.core import BadLines
    from mayfly.runtime._parts import Parts
    from mayfly.store import Claim, Ledger

T = TypeVar("T")


@dataclass(kw_only=True)
class Trees:
    """Plan, resolve and resume trees with the parts of one runtime."""

    parts: Parts
    tell: Callable[[str, Any], None]
    workspace: Path
    registry: Registry
    supply: ToolSupply
    # What planning took; it belongs to the cost of the run that comes of it.
    spent: Cost = field(default_factory=Cost)
    # What lines that are not understood lead to.
    bad_lines: BadLines = "ask"

    def plan(self, order: Order) -> Promise[Any]:
        """Return the whole tree of an order; nothing has run."""
        if order.more or (order.lines is not None and not is_plain_text(order.lines)):
            raise InputError(
                "what is planned is for one file of plain text", fix="ask about any other with: mayfly run"
            )
        settings = self.parts.settings
        split = runs_on_parts(order, settings, lambda: self.parts.sandbox)
        planner = Planner(
            desk=self._desk(),
            registry=self.registry,
            model=self.parts.model(order.model) if order.model else None,
            known=self._known,
            pool=self.parts.pool(),
            settings=settings.promise,
            workspace=self.workspace,
            parts=partial(parts_of, settings=settings) if split else None,
        )
        return planner.plan(
            order.intent,
            ground=order.ground,
            context=order.context,
            argument=order.input,
            lines=order.lines,
            examples=order.examples,
        )

    def _known(self, intent: str) -> str | None:
        """Return the agent that was proven for the same words."""
        found = [agent for _, agent in self.parts.memo.entries() if agent.intent == intent]
        return found[0].artifact.hash if len(found) == 1 else None

    def _desk(self) -> Desk:
        return Desk(self.parts.settings, ledger=self.parts.ledger, workspace=self.workspace)

    def _options(self, order: Order) -> Options:
        """Return what holds for the leaves of one run."""
        settings = self.parts.settings
        return Options(
            model=order.model or None,
            tier=order.tier.value,
            accept_weak=order.accept_weak,
            hints=order.hints,
            versions=versions_of(self.parts),
            workspace=self.workspace,
            seconds=settings.sandbox.timeout,
            parallel=settings.promise.parallel,
            reuse=settings.library.ttl,
        )

    def resolve(self, run: str, root: Promise[Any], order: Order, *, by: str = "hand") -> Outcome[Any]:
        """Resolve a planned tree as run *run*."""
        if root.state.value != "pending":
            raise InputError(f"this tree is {root.state} already", fix="plan it again, or resume its run")
        check_shape(root)
        options, self.bad_lines = self._options(order), order.bad_lines
        began = RunBegan(
            intent=root.intent[:2000],
            tier=options.tier,
            depth=root.depth,
            model=options.model,
            examples=len(root.examples),
            input="a tree",
            strategy=self.parts.settings.market.strategy,
        )
        ledger = self.parts.ledger
        nodes = list(root.walk())
        planned = Planned(
            intent=root.intent[:2000],
            tree=ledger.put_blob(_text(ledger.secrets.data(to_json(root)))),
            nodes=len(nodes),
            by=by,
            seq=0,
            options={**kept_options(options, nodes), "bad_lines": self.bad_lines},
            cost=spent_json(self.spent),
        )
        with ledger.claim(run, recording=[began, planned]) as claim:
            self.tell("planned", root)
            return self._finish(run, root, options, claim, None)

    def resume(self, run: str, *, hints: tuple[str, ...] = (), model: str | None = None) -> Outcome[Any]:
        """Go on with a run: what is proven stays, everything else is tried again, with the *hints* in mind.

        A *model* takes the place of the one the run began with, and does what nobody could do without one.
        """
        ledger = self.parts.ledger
        known = ledger.run(run)
        # Nothing is claimed for a look at what has its answer, nor for what never was.
        if (known is None or known.status == "resolved") and (ended := self._answered(saved(ledger, run))):
            return ended
        with ledger.claim(run) as claim:
            # Read after the claim: from then on nobody else adds to it.
            found = saved(ledger, run)
            if ended := self._answered(found):
                return ended
            if was_hidden(found.plan):
                raise InputError(
                    f"run {run} was asked with a secret, which is not kept", fix="run it again from the beginning"
                )
            kept = found.options
            check_files(kept.get("files", {}))
            self.workspace = Path(kept["workspace"])
            root = found.fresh()
            again = Order(
                intent=root.intent,
                model=model or kept["model"],
                tier=Tier(kept["tier"]),
                accept_weak=bool(kept["accept_weak"]),
                hints=(*kept["hints"], *hints),
            )
            stay = sum(promise.state.value == "resolved" for promise in root.walk())
            resumed = RunResumed(by=_who(), proven=len(found.values), kept=stay)
            ledger.fenced(claim.fence).append(resumed, subject=run)
            for promise in root.walk() if model else ():
                if promise.unserved:
                    promise.unserved, promise.work = "", Work(kind="compile", name=model or "")
            self.tell("planned", root)
            return self._finish(run, root, self._options(again), claim, found)

    def _answered(self, found: Saved) -> Outcome[Any] | None:
        """Return the answer that a run has by now; None where it has none."""
        self.bad_lines = found.options.get("bad_lines", "ask")
        return self._outcome(found.id, found.tree, found.cost, cached=True) if found.answered else None

    def _finish(
        self, run: str, root: Promise[Any], options: Options, claim: Claim, before: Saved | None
    ) -> Outcome[Any]:
        began = time.monotonic()
        pool = self._pool(before)
        drive = Drive(
            parts=self.parts,
            tell=self.tell,
            registry=self.registry,
            supply=self.supply,
            workspace=self.workspace,
            run=run,
            root=root,
            options=options,
            claim=claim,
            pool=pool,
            before=before,
        )
        trouble: MayflyError | None = None
        try:
            in_a_loop(drive.work)
        except MayflyError as error:
            trouble = error
        except BaseExceptionGroup as group:
            trouble = next((error for error in _flat(group) if isinstance(error, MayflyError)), None)
            if trouble is None:
                raise
        cost = replace(self.spent + Cost.of(pool.snapshot()), seconds=round(time.monotonic() - began, 6))
        outcome = self._outcome(run, root, cost, trouble=trouble)
        # Of a run that another has, or whose steps could not all be written, this is not the end: it is interrupted.
        if trouble is None or not (isinstance(trouble, ConflictError) or about_store(trouble)):
            try:
                self._record(outcome, root, self.parts.ledger.fenced(claim.fence))
            except ConflictError as lost:
                outcome = self._outcome(run, root, cost, trouble=lost)
        self.tell("ended", outcome)
        return outcome

    def _pool(self, before: Saved | None) -> Pool:
        settings = self.parts.settings
        models, promise = settings.models, settings.promise
        return Pool(
            parent=current_pool(),
            used=dict(before.used) if before else {},
            model_calls=models.calls,
            input_tokens=models.input_tokens,
            output_tokens=models.output_tokens,
            money=models.money,
            seconds=promise.seconds,
            sandbox_seconds=promise.sandbox_seconds,
            nodes=promise.max_nodes,
        )

    def _outcome(
        self,
        run: str,
        root: Promise[Any],
        cost: Cost,
        *,
        trouble: MayflyError | None = None,
        cached: bool = False,
    ) -> Outcome[Any]:
        resolved = root.state == "resolved" and trouble is None
        proof, account = root.proof, root.account
        if resolved and account is not None:
            try:
                check_account(account, self.bad_lines, root.value)
            except Collapse as refused:
                # The value is kept for whoever is asked whether it will do.
                about: dict[str, Any] = {**refused.about, "reading": _reading(root), "code": refused.code}
                reason = refused.reason
                return Outcome(status="collapsed", value=root.ground, reason=reason, id=run, cost=cost, **about)
        return Outcome(
            status="resolved" if resolved else "failed" if root.state == "failed" else "collapsed",
            value=root.value if resolved else root.ground,
            reason=str(trouble) if trouble else (proof.description if resolved and proof else _reason(run, root)),
            id=run,
            proof=Proof(strength=proof.strength, id=run) if resolved and proof else None,
            cost=cost,
            cached=cached,
            code=trouble.code if trouble else root.code,
            reading=_reading(root),
            account=account,
        )

    def _record(self, outcome: Outcome[Any], root: Promise[Any], ledger: Ledger) -> None:
        event = run_ended(outcome, intent=root.intent, depth=root.depth)
        try:
            ledger.append(event, subject=outcome.id)
        except ConflictError:
            raise
        except MayflyError as error:
            self.tell("unrecorded", str(error))


def _reading(root: Promise[Any]) -> str:
    """Return how the words were read, which the leaf knows that wrote the agent for all parts."""
    how = root.children[0].value if root.combine == "merge" and root.children else None
    return str(how.get("reading") or "") if isinstance(how, dict) else ""


def in_a_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, also where the caller is inside an event loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    context = copy_context()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(context.run, asyncio.run, work()).result()


def _reason(run: str, root: Promise[Any]) -> str:
    """Return why the root gave its ground, and where a leaf needs help how to give it."""
    asking = [promise for promise in root.walk() if promise.code == "HELP" and not promise.children]
    if not asking:
        return root.reason
    return f'{root.reason}; to help: mayfly answer h-{run.removeprefix("r-")}/{asking[0].id} "…"'


def _flat(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _flat(error)
        else:
            yield error


def _text(tree: object) -> bytes:
    try:
        return canonical_json(tree).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a tree of promises is plain data, and this one is not: {error}") from None


def _who() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
