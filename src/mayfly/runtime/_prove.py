"""Run stored proofs again: the tests of an agent in a fresh sandbox; of a tree, what proved each promise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    UNSET,
    Capability,
    InputError,
    Invocation,
    MayflyError,
    StoreError,
    Unset,
    parse_python,
)
from mayfly.forge import RunBegan, load_suite, proofs_made
from mayfly.gates import Profile, ProofMade, TestResult, find_entry
from mayfly.gates.stability import importable
from mayfly.library import Registry, ToolCapability
from mayfly.persona import Desk
from mayfly.promise import Promise, Saved, State, Tester, arguments_of, input_of, references, saved
from mayfly.runtime._trees_for import library_of
from mayfly.world import builtins

if TYPE_CHECKING:
    from mayfly.runtime._run import Runtime


@dataclass(frozen=True, kw_only=True)
class Reproved:
    """Say what came of running a proof again."""

    id: str
    strength: str
    source_hash: str
    results: tuple[TestResult, ...]

    @property
    def holds(self) -> bool:
        """Whether every test passed again, and there was at least one."""
        return bool(self.results) and all(result.passed for result in self.results)


def prove_again(runtime: Runtime, id: str) -> Reproved | TreeProof:
    """Run again what *id* rests on: the tests of a run or compilation, or every proof of a tree or one of its nodes."""
    run, _, node = id.partition("/")
    if run and runtime.parts.ledger.last(kind="promise.planned", subject=run) is not None:
        return prove_tree(runtime, run, node, lambda proof: _must_pass(rerun(runtime, proof)))
    return rerun(runtime, id)


def _must_pass(found: Reproved) -> None:
    failed = [result for result in found.results if not result.passed]
    if failed or not found.results:
        said = f"{failed[0].name}: {failed[0].error}" if failed else "it has no tests"
        raise StoreError(f"the tests of the agent do not pass again: {said}")


def rerun(runtime: Runtime, id: str) -> Reproved:
    """Run the tests of the agent that was proven under *id*."""
    made = find_proof(runtime, id)
    if made.suite_hash is None:
        raise InputError(
            f"{id} was made at tier ephemeral, which keeps neither source nor tests", fix="run it at tier memo"
        )
    ledger = runtime.parts.ledger
    source = ledger.get_blob(made.source_hash).decode("utf-8", "surrogatepass")
    suite = load_suite(runtime.parts, made.suite_hash)
    if suite is None:
        raise InputError(f"the tests of {id} held a secret, which is not kept", fix="run it again from the beginning")
    entry = find_entry(parse_python(source), made.entry, spread=made.spread)
    began = ledger.last(kind="run.began", subject=id)
    grants = began.data.grants if began is not None and isinstance(began.data, RunBegan) else ()
    imports = importable(Profile(imports=frozenset(made.imports), grants=grants))
    results = runtime.parts.prover_for(grants).rerun(source, entry, suite, imports=imports)
    return Reproved(id=id, strength=made.strength, source_hash=made.source_hash, results=tuple(results))


def find_proof(runtime: Runtime, id: str) -> ProofMade:
    """Return the proof recorded for *id*; a cached run rests on the proof of the run that made its agent."""
    ledger = runtime.parts.ledger
    for _, made in proofs_made(runtime.parts, run=id):
        return made
    for hash in {str(entry.payload["source_hash"]) for entry in ledger.read(kind="agent.cached", subject=id)}:
        for _, made in proofs_made(runtime.parts, source_hash=hash):
            return made
    if not ledger.count(subject=id):
        raise InputError(f"nothing is recorded under {id}", fix="see: mayfly log")
    raise StoreError(f"{id} has no proof: it ended before one was made", fix=f"see: mayfly why {id}")


CAPABILITY = "capability:"


class NotAgain(MayflyError):
    """A proof does not hold when it is run again, or cannot be run again."""

    code = "NOT_PROVEN"


@dataclass(frozen=True, kw_only=True)
class NodeProof:
    """Say of one promise whether its proof holds now, and where it does not, why."""

    node: str
    holds: bool
    description: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class TreeProof:
    """Say what came of running the proofs of a tree again, or of one promise with all below."""

    id: str
    nodes: tuple[NodeProof, ...]

    @property
    def holds(self) -> bool:
        """Whether every proof holds, and there was at least one."""
        return bool(self.nodes) and all(node.holds for node in self.nodes)


# Runs the tests of an agent again, by the id its proof is recorded under; raises where they do not pass.
Rerun = Callable[[str], None]


def prove_tree(runtime: Runtime, run: str, node: str, rerun: Rerun) -> TreeProof:
    """Run again what proved the promises of *run*, or *node* of it and those below."""
    found = saved(runtime.parts.ledger, run)
    asked = next((promise for promise in found.tree.walk() if promise.id == (node or "0")), None)
    if asked is None:
        raise InputError(f"run {run} has no promise {node}", fix=f"see: mayfly trace {run}")
    again = _Again(runtime, found, rerun)
    with ThreadPoolExecutor(1) as thread:  # whoever asks may be inside an event loop
        proofs = thread.submit(asyncio.run, again.below(asked)).result()
    return TreeProof(id=f"{run}/{node}" if node else run, nodes=tuple(proofs))


class _Again:
    """Prove the promises of one saved tree, children before their parents."""

    def __init__(self, runtime: Runtime, found: Saved, rerun: Rerun) -> None:
        self._runtime = runtime
        self._found = found
        self._rerun = rerun
        self._suites: dict[str, str] = {}
        self._registry = Registry(
            (*builtins(runtime.settings), *runtime._capabilities), library=library_of(runtime.parts, runtime.tools)
        )
        self._workspace = Path(str(found.options.get("workspace") or runtime._workspace))
        self._tester = Tester(runtime.parts.sandbox, seconds=runtime.settings.gates.test_timeout)
        self._inputs = PromiseInputs(found)
        self._desk: Desk | None = None

    async def below(self, asked: Promise[Any]) -> list[NodeProof]:
        """Return a line for every proven promise from *asked* down, and for *asked* itself in any case."""
        nodes = [promise for promise in asked.walk() if promise is asked or promise.state is State.RESOLVED]
        held: dict[str, NodeProof] = {}
        for promise in reversed(nodes):
            held[promise.id] = await self._node(promise, held)
        return [held[promise.id] for promise in nodes]

    async def _node(self, promise: Promise[Any], held: Mapping[str, NodeProof]) -> NodeProof:
        description = promise.proof.description if promise.proof else ""
        try:
            if promise.proof is None:
                raise NotAgain(f"it is not proven: {promise.reason or promise.state.value}")
            self._parts(promise, held)
            await self._evidence(promise)
        except MayflyError as error:
            return NodeProof(node=promise.id, holds=False, description=description, reason=error.message)
        return NodeProof(node=promise.id, holds=True, description=description)

    def _parts(self, promise: Promise[Any], held: Mapping[str, NodeProof]) -> None:
        """Refuse a parent of which a part does not hold; parts that it does not rest on have no proof at all."""
        for child in promise.children:
            proof = held.get(child.id)
            if proof is not None and not proof.holds:
                raise NotAgain(f"it rests on {child.id}, which does not hold")

    async def _evidence(self, promise: Promise[Any]) -> None:
        assert promise.proof is not None, "only what is proven is proven again"
        check = promise.proof.check
        if promise.proof.source:
            await self._tested(promise)
        elif check.startswith(CAPABILITY):
            await self._checked(promise, check.removeprefix(CAPABILITY))
        elif check == "agent":
            self._suite(promise.proof.id or f"{self._found.id}/{promise.id}")
        elif check.startswith("combined:") or check == "merge":
            self._whole(promise)
        else:
            raise NotAgain("nothing is recorded that could be run again")

    def _whole(self, promise: Promise[Any]) -> None:
        """Refuse a value that was combined of parts which are not proven; the ledger has it combined anew."""
        missing = [child.id for child in promise.children if child.state is not State.RESOLVED]
        if missing or not promise.children:
            raise NotAgain(f"it is combined of parts that are not proven: {', '.join(missing[:5]) or 'none'}")

    async def _tested(self, promise: Promise[Any]) -> None:
        assert promise.proof is not None, "only what is proven is tested"
        value, input = self._inputs.value(promise), self._inputs.input(promise)
        said = await self._tester.holds(promise.proof, value=value, input=input, context=promise.context)
        if not said.accepted:
            raise NotAgain(f"its test does not accept it: {said.reason}")

    def _suite(self, id: str) -> None:
        """Run the tests of an agent, once for all the promises that rest on the same proof."""
        if id not in self._suites:
            try:
                self._rerun(id)
                self._suites[id] = ""
            except MayflyError as error:
                self._suites[id] = error.message
        if self._suites[id]:
            raise NotAgain(self._suites[id])

    async def _checked(self, promise: Promise[Any], name: str) -> None:
        """Ask the capability's own test, which looks at the world as it is now."""
        if not promise.capability:
            self._tool(promise)
            return
        try:
            capability = self._registry.get(name, promise.version)
        except InputError as error:
            raise NotAgain(error.message) from None
        call = Invocation(
            arguments=arguments_of(promise, self._inputs.needed(promise), capability),
            context=promise.context,
            key=f"{self._found.id}/{promise.id}",
            workspace=self._workspace,
        )
        value = self._inputs.value(promise)
        self._permitted(capability, call)
        wrong = await capability.verify(call, value)
        if wrong:
            raise NotAgain(wrong)

    def _tool(self, promise: Promise[Any]) -> None:
        """Run the tests of the tool again that was found, or made, when the promise was kept."""
        assert promise.proof is not None, "only what is proven is proven again"
        name, version = ToolCapability.at(promise.proof.id or "")
        _, results = self._runtime.tools.verify(name, version)
        if not results or not all(one.passed for one in results):
            raise NotAgain(f"the tests of {name}, version {version}, do not pass")

    def _permitted(self, capability: Capability, call: Invocation) -> None:
        """Ask the rules of today where the test looks at what the capability was permitted to look at."""
        if capability.effect != "none" or not capability.reaches_out:
            return
        parts = self._runtime.parts
        parts.switch.check()
        if self._desk is None:
            self._desk = Desk(parts.settings, ledger=parts.ledger, workspace=self._workspace)
        try:
            asked = capability.asks(call)
        except Exception as error:
            raise NotAgain(f"what {capability.name} looked at cannot be said: {_words(error)}") from None
        for one in asked:
            said = self._desk.kernel().permitted(*one)
            if said.decision != "permit":
                why = "; ".join(said.because[:3]) or "no rule permits it"
                raise NotAgain(f"{one.action} {one.target[:500]} is not permitted now: {why}")


class PromiseInputs:
    """Rebuild what each promise of a saved tree worked on and what it gave; what was not kept is `NotAgain`."""

    def __init__(self, found: Saved) -> None:
        self._found = found
        self._given: dict[str, dict[str, Promise[Any]]] = {found.tree.id: {}}
        for parent in found.tree.walk():
            siblings = {child.name: child for child in parent.children}
            above = self._given[parent.id]
            for child in parent.children:
                needed = {name: siblings[name] for name in child.needs}
                # The first ones of a group work on what the group was given.
                self._given[child.id] = (needed or above) if child.argument is UNSET else {**above, **needed}

    def needed(self, promise: Promise[Any]) -> dict[str, object]:
        """Return the values that *promise* was given, by the names under which it refers to them."""
        wanted = set(references(promise.argument)) if promise.argument is not UNSET else None
        given = self._given[promise.id].items()
        return {name: self.value(other) for name, other in given if wanted is None or name in wanted}

    def input(self, promise: Promise[Any]) -> object | Unset:
        """Return what *promise* worked on: its argument, one value, a record of several, or nothing."""
        return input_of(promise, self.needed(promise))

    def value(self, promise: Promise[Any]) -> object:
        """Return the value that was proven."""
        if not self._found.has_value(promise):
            raise NotAgain(f"the value of {promise.id} was not kept")
        return promise.value


def _words(error: Exception) -> str:
    return error.message if isinstance(error, MayflyError) else f"{type(error).__name__}: {error}"
