"""Resolve a tree backwards: leaves first, each value accepted with its proof only, parents from proven children."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    UNSET,
    InputError,
    LimitError,
    content_hash,
    shown,
)
from mayfly.promise._combine import CannotCombine, combine, combined
from mayfly.promise._data import bind, reason_key
from mayfly.promise._events import Began, Collapsed, Failed, Grown, Proven, Resolved
from mayfly.promise._history import spent_json
from mayfly.promise._job import Part, part_of
from mayfly.promise._judge import Contradict, OpinionJudge, PromiseOpinion, ValueClaim, attempt
from mayfly.promise._leaves import Leaves
from mayfly.promise._limits import TreeLimits, check_shape
from mayfly.promise._promise import Children, Evidence, IntentKind, Promise, State
from mayfly.promise._promise_json import make_each, to_json
from mayfly.promise._values import (
    Chaotic,
    LeafEnded,
    Unkept,
    Unserved,
    Untrue,
    Value,
    end,
    evidence_of_parts,
    how_to_serve,
    input_of,
    why_not,
)
from mayfly.store import as_payload

if TYPE_CHECKING:
    from mayfly.promise._tester import Tester

Watch = Callable[[Promise[Any]], None]
Merge = Callable[[str, Sequence[object], Sequence[Part]], object]


@dataclass(kw_only=True)
class Resolver:
    """Turn a planned tree into values. Nothing that a leaf, a test or a model does leaves `resolve` as an exception.

    What comes as resolved was proven in an earlier attempt at the same run: it is neither run nor recorded again.
    """

    leaves: Leaves
    value_tester: Tester
    merge: Merge
    limits: TreeLimits
    watch: Watch = lambda promise: None

    def __post_init__(self) -> None:
        self.journal, self.pool = self.leaves.journal, self.leaves.pool

    async def resolve(self, root: Promise[Any]) -> None:
        """Resolve the whole tree; afterwards the root has ended, and the ledger knows how."""
        for promise in root.walk():
            if promise.state is State.RESOLVED:
                self._tell(promise)
        try:
            async with asyncio.timeout(self.pool.seconds_left()):
                if not self._admitted(root):
                    self._ended(root)
                elif self._doomed(root):
                    await self._refuse(root)
                else:
                    await self._node(root, {})
        except TimeoutError:
            self.give_up(root, "the wall-clock time of the tree is used up", "BUDGET")
        await self.journal.settled()

    def _admitted(self, root: Promise[Any]) -> bool:
        """Refuse a tree that is over a limit as a whole, before anything of it runs."""
        try:
            if not root.state.ended:
                self.limits.admit(root)
        except LimitError as error:
            end(root, error)
            return False
        return True

    def _doomed(self, promise: Promise[Any]) -> bool:
        """Whether a promise cannot be kept whatever happens, since one that it is made of cannot."""
        if promise.kept:
            return False
        reality = promise.reality
        chaotic = reality is not None and reality.kind is IntentKind.CHAOTIC
        ground = promise.state.ended or bool(promise.unserved) or chaotic
        needed = [child for child in promise.children if not child.optional]
        needed += [promise.template] if promise.template is not None else []
        return ground or any(self._doomed(child) for child in needed)

    async def _refuse(self, promise: Promise[Any]) -> None:
        """Give the ground along the way to what cannot be kept, and spend nothing on all the rest."""
        for child in promise.children:
            if self._doomed(child):
                await self._refuse(child)
        first = next((one for one in promise.children if one.state.ended and not one.kept), None)
        hopeless = promise.template is not None and not promise.children and self._doomed(promise.template)
        if hopeless and promise.template is not None:
            self._collapse(promise, f"{promise.template.intent[:200]}: {why_not(promise.template)}", "UNSERVED")
        elif first is None:
            await self._node(promise, {})
        else:
            self._collapse(promise, str(Unkept(first)), first.code or "CHILD")

    def give_up(self, root: Promise[Any], reason: str, code: str) -> None:
        """Give the ground of everything that has not ended, leaves first, and record it."""
        for promise in reversed(list(root.walk())):
            if not promise.state.ended:
                self._collapse(promise, reason, code, cut_off=promise.state is State.RESOLVING)

    def _collapse(self, promise: Promise[Any], reason: str, code: str, *, cut_off: bool = False) -> None:
        promise.collapse(reason, code)
        self._ended(promise, cut_off=cut_off)

    async def _node(self, promise: Promise[Any], needed: Mapping[str, object]) -> None:
        """Resolve one promise; *needed* holds the proven values of the siblings it needs, by name."""
        if promise.state.ended:
            if promise.state is not State.RESOLVED:
                self._ended(promise)
            return
        began = time.monotonic()
        value = Value()
        try:
            self._admit(promise)
            if promise.template is not None and not promise.children:
                await self._make_each(promise, needed)
            promise.begin()
            self.journal.note(Began(node=promise.id, by=promise.by, seq=self.journal.next()))
            self._tell(promise)
            value = await self._work(promise, needed)
            promise.resolve(value.value, await self._prove(promise, needed, value))
            promise.account = value.account
        except Exception as error:
            end(promise, error)
            if isinstance(error, LeafEnded):
                value = Value(cost=error.done.cost, sandbox_seconds=error.done.sandbox_seconds)
        value.seconds = time.monotonic() - began
        await self._keep(promise, value)

    def _admit(self, promise: Promise[Any]) -> None:
        """Refuse at once what is not worth a try: nothing is spent on it."""
        self.pool.check()
        reality = promise.reality
        if promise.unserved:
            raise Unserved(promise.unserved, fix=how_to_serve(promise.intent))
        if reality is not None and reality.kind is IntentKind.CHAOTIC:
            raise Chaotic(reality.reasoning)

    async def _make_each(self, promise: Promise[Any], needed: Mapping[str, object]) -> None:
        """Make the children that could not be planned before the list they are made for was known."""
        items = bind(promise.each, needed)
        if not isinstance(items, Sequence) or isinstance(items, str):
            raise InputError(f"it is to be done for each of several, and what it needs gave {shown(items, 60)}")
        await self._grow(promise, len(items), lambda: make_each(promise, items))

    async def _hand_in(self, promise: Promise[Any], more: Children) -> None:
        """Take in the children that the work at a promise came to; whoever resumes the run finds them planned."""

        def take_in() -> None:
            promise.grow(more)
            for child in promise.children:
                check_shape(child)
            promise.order()  # before they are recorded: children in a circle would be found by every resume

        await self._grow(promise, len(more.children), take_in)

    async def _grow(self, promise: Promise[Any], count: int, take_in: Callable[[], None]) -> None:
        """Let a promise have *count* children and record them; where they are over a limit, none of them runs."""
        self.limits.check_children(count)
        counted = self.limits.measure(promise)
        take_in()
        try:
            self.limits.admit(promise, counted=counted)
        except LimitError:
            promise.children.clear()
            raise
        tree = await self.journal.keep_tree([to_json(child) for child in promise.children])
        seq = self.journal.next()
        self.journal.note(Grown(node=promise.id, tree=tree, nodes=count, seq=seq, combine=promise.combine))

    async def _work(self, promise: Promise[Any], needed: Mapping[str, object]) -> Value:
        if promise.children or promise.template is not None:
            return await self._children(promise, needed)
        if promise.capability or (promise.work is not None and promise.work.kind == "make"):
            value = await self.leaves.capability(promise, needed)
            if not isinstance(value.value, Children):
                return value
            await self._hand_in(promise, value.value)
            return await self._children(promise, needed)
        if promise.examples and promise.work is not None and promise.work.kind == "compile":
            found = await self.leaves.by_tool(promise, needed)
            if found is not None:
                return found
        return await self.leaves.job(promise, needed)

    async def _children(self, promise: Promise[Any], needed: Mapping[str, object]) -> Value:
        order = promise.order()
        siblings = {child.name: child for child in promise.children}
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for child in order:
                    waits = [tasks[name] for name in (*child.needs, *child.after)]
                    tasks[child.name] = group.create_task(self._child(promise, child, siblings, waits, needed))
        except ExceptionGroup as several:
            # Only what concerns all of them comes up here, such as a ledger that cannot be written: one is enough.
            raise several.exceptions[0] from None
        if promise.combine == "merge":
            return await self._merged(promise)
        for child in promise.children:
            if not child.kept:
                raise Unkept(child)
        if promise.combine == "compiled":
            parts = {child.name: child.value for child in promise.children}
            return await self.leaves.job(promise, {}, argument=parts)
        names = [child.name for child in promise.children]
        value = combine(promise.combined, names, [child.value for child in promise.children])
        return Value(value=value, derived=True, evidence=evidence_of_parts(promise))

    async def _child(
        self,
        parent: Promise[Any],
        child: Promise[Any],
        siblings: Mapping[str, Promise[Any]],
        waits: Sequence[asyncio.Task[None]],
        needed: Mapping[str, object],
    ) -> None:
        """Resolve one child when those it needs are proven; the first ones get what their parent was given."""
        for task in waits:
            await task
        for name in (*child.needs, *child.after):
            if not siblings[name].kept:
                self._skip(child, siblings[name])
                return
        if parent.combine == "merge" and child.needs:
            how = siblings[child.needs[0]].value
            if isinstance(how, dict) and how.get("merge") is None:
                self._collapse(child, f"not split: {how.get('reason') or 'parts cannot be joined'}", "WHOLE")
                return
        inputs = {name: siblings[name].value for name in child.needs}
        if child.argument is not UNSET:
            inputs |= {reason_key(name): siblings[name].reason for name in child.needs}
        # By its name an argument may also refer to what the parent was given.
        await self._node(child, (inputs or needed) if child.argument is UNSET else {**needed, **inputs})

    def _skip(self, child: Promise[Any], other: Promise[Any]) -> None:
        """Give the ground of one that needs, or comes after, what was not kept."""
        if not child.state.ended:
            why = "it needs" if other.name in child.needs else "it comes after"
            child.collapse(f"{why} {other.intent[:200]}: {other.reason}", other.code or "CHILD")
        self._ended(child)

    async def _merged(self, promise: Promise[Any]) -> Value:
        """Join the results of parts in the way that was proven for them, or run on the whole where none was."""
        writer, parts = promise.children[0], promise.children[1:]
        how = writer.value
        if writer.state is not State.RESOLVED or not isinstance(how, dict):
            raise Unkept(writer)
        if how.get("merge") is None:
            return await self.leaves.whole(promise, parts, how)
        for child in parts:
            if child.state is not State.RESOLVED:
                raise Unkept(child)
        places = [place for child in parts if (place := part_of(child))]
        try:
            values = [child.value for child in parts]
            value = await asyncio.to_thread(self.merge, str(how["merge"]), values, places)
        except CannotCombine:
            return await self.leaves.whole(promise, parts, how)
        # Parts that lie on disk are in the ledger one by one, and are joined again where that is needed.
        large = hasattr(value, "texts")
        key = "" if large else content_hash(f"{self.journal.run}/{promise.id} {how['merge']}")
        said = writer.proof
        evidence = Evidence(
            description=f"{len(parts)} parts, joined by {how['merge']} as proven with the agent",
            confidence=said.confidence if said else 0.5,
            check="merge",
            strength=said.strength if said else "weak",
            id=said.id if said else None,
        )
        return Value(value=value, derived=large, key=key, evidence=evidence)

    async def _prove(self, promise: Promise[Any], needed: Mapping[str, object], value: Value) -> Evidence:
        """Return the evidence that accepts the value; what is not accepted raises `Untrue`."""
        evidence = value.evidence
        if value.derived and promise.combine != "merge":
            names = [child.name for child in promise.children]
            values = [child.value for child in promise.children]
            as_planned = attempt(lambda found: combined(promise.combined, names, values, found), name="combined")
            if Contradict((as_planned,)).contradict(ValueClaim(value=value.value)).found:
                raise Untrue("the parts were not combined as planned")
        if promise.test or evidence is None:
            input = input_of(promise, needed)
            evidence = self.value_tester.choose(promise, input)
            said = await self.value_tester.holds(evidence, value=value.value, input=input, context=promise.context)
            opinion = PromiseOpinion(passed=said.accepted, confidence=evidence.confidence, reason=said.reason)
            judged = OpinionJudge().judge((opinion,))
            if judged.decision != "accept":
                raise Untrue(f"its test does not accept it: {'; '.join(judged.reasons)}")
            evidence = said.evidence
        if evidence.strength == "none":
            raise Untrue(f"nothing proves it: {evidence.description}")
        if evidence.strength not in ("strong", "tested") and promise.test and not self.leaves.options.accept_weak:
            raise Untrue(
                f"the proof is {evidence.strength}: {evidence.description}; accept weak proofs (--accept-weak)"
            )
        return evidence

    async def _keep(self, promise: Promise[Any], value: Value) -> None:
        """Record how the promise ended; a proven value, what proves it and what belongs to it go in one piece."""
        if promise.state is not State.RESOLVED or promise.proof is None:
            self._ended(promise, value)
            return
        events: list[Any] = [(event, self.journal.run) for event in value.events]
        key = "" if value.derived else value.key
        if key and self.journal.ledger.secrets.holds(value.value):
            key = ""  # what looks like a secret is never kept: whoever needs it again has it made again
        evidence = promise.proof.to_json()
        if key and not value.again:
            try:
                inline, blob = await self.journal.keep(value.value)
            except (LimitError, TypeError, ValueError, RecursionError):
                key = ""
            else:
                proven = Proven(
                    run=self.journal.run,
                    node=promise.id,
                    value=inline,
                    blob=blob,
                    evidence=evidence,
                    account=as_payload(value.account),
                )
                events.append((proven, key))
        resolved = Resolved(
            node=promise.id,
            key=key,
            seq=self.journal.next(),
            evidence=evidence,
            seconds=round(value.seconds, 6),
            again=value.again,
            cost=spent_json(value.cost, sandbox_seconds=value.sandbox_seconds),
        )
        self.journal.note(*events, resolved)
        self._tell(promise)

    def _ended(self, promise: Promise[Any], value: Value | None = None, *, cut_off: bool = False) -> None:
        """Record that a promise ended in ground, and what was spent on the way."""
        value = value or Value()
        common: dict[str, Any] = {
            "node": promise.id,
            "intent": promise.intent[:2000],
            "depth": promise.depth,
            "code": promise.code,
            "ground_value": as_payload(promise.ground),
            "seq": self.journal.next(),
            "cost": spent_json(value.cost, sandbox_seconds=value.sandbox_seconds),
        }
        if promise.state is State.COLLAPSED:
            self.journal.note(Collapsed(reason=promise.reason, cut_off=cut_off, **common))
        elif promise.state is State.FAILED:
            self.journal.note(Failed(error=promise.error, **common))
        self._tell(promise)

    def _tell(self, promise: Promise[Any]) -> None:
        try:
            self.watch(promise)
        except Exception:  # whoever watches does not decide how a run ends
            self.watch = lambda promise: None
