"""`Planner`: an intent becomes a whole tree of promises before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mayfly.core import UNSET, Example, MayflyError
from mayfly.language import Lexicon
from mayfly.models import ModelPool
from mayfly.promise._classify import LONGEST, judge, out_of_budget
from mayfly.promise._job import Part
from mayfly.promise._limits import MORE_NODES
from mayfly.promise._promise import Combine, IntentKind, Promise, Reality, Work
from mayfly.promise.fit import FitReading, known_lexicon, read_request, verbs_of, with_verbs
from mayfly.promise.plan._ask import PlanQuestion, PlanRefused, ask
from mayfly.promise.plan._draft import BY_EXAMPLE, Draft, rung
from mayfly.promise.plan._grow import Means, Tree, collapse, note_reason
from mayfly.promise.plan._slots import Files
from mayfly.promise.plan._steps import Steps

if TYPE_CHECKING:
    from mayfly.policy import Snapshot

FATAL = ("CYCLE", "CHILDREN", "NODES")


class PlanDesk(Protocol):
    """Where the rules in force and the verbs they know are found."""

    @property
    def snapshot(self) -> Snapshot:
        """The rules in force now."""
        ...

    @property
    def lexicon(self) -> Lexicon:
        """The verbs of those rules."""
        ...


@dataclass(kw_only=True)
class Planner(Means):
    """Plan by rules, or by a model where it serves that; run nothing and write nothing; *parts* cuts a large file."""

    desk: PlanDesk
    workspace: Path
    pool: ModelPool | None = None
    parts: Callable[[Path], list[Part]] | None = None

    def plan(
        self,
        intent: str,
        *,
        ground: object,
        context: Mapping[str, object] | None = None,
        argument: object = UNSET,
        lines: Path | None = None,
        examples: tuple[Example, ...] = (),
    ) -> Promise[Any]:
        """Return the complete tree for *intent*; what cannot be planned is a promise that ends in its ground."""
        root: Promise[Any] = Promise(
            intent, ground=ground, context=dict(context or {}), argument=argument, examples=examples
        )
        try:
            _Plan(self, root, lines).make()
        except PlanRefused as refused:
            collapse(root, refused.reason, refused.kind)
        except MayflyError as error:
            collapse(root, f"no plan could be made: {error}", error.code)
        return root


class _Plan(Tree):
    """One plan in the making."""

    def __init__(self, planner: Planner, root: Promise[Any], lines: Path | None) -> None:
        super().__init__(planner, given=bool(root.examples) or lines is not None or root.argument is not UNSET)
        self._planner = planner
        self._root = root
        self._lines = lines
        self._files = Files(planner.workspace)
        self._asks = planner.model if planner.model is not None and planner.model.serves("plan") else None

    @cached_property
    def _lexicon(self) -> Lexicon:
        try:
            return with_verbs(self._planner.desk.lexicon, verbs_of(self.registry))
        except MayflyError:
            # Rules that cannot be asked leave the verbs of capabilities; the steps say what is wrong with the rules.
            return known_lexicon()

    def read(self, text: str) -> FitReading:
        """Read a text by the verbs of rules and capabilities."""
        return read_request(text[:LONGEST], self._lexicon, self._files.is_directory)

    def make(self) -> None:
        """Judge the root, then give it what keeps it: nothing, a capability, parts of a file, or steps."""
        root, settings = self._root, self.settings
        spent = out_of_budget(0, root.context, max_depth=settings.max_depth, threshold=settings.chaos_threshold)
        if spent:
            root.reality = spent
            return
        reading = self.read(root.intent)
        root.reality = judge(reading, root.context, ())
        if root.reality.kind is IntentKind.CHAOTIC:
            self._ask_anyway(reading)
        elif self._is_large():
            self._split()
        elif not reading.said and reading.request.refusals and not self.given:
            root.reality = Reality(kind=IntentKind.CHAOTIC, confidence=0.9, reasoning="it only says what not to do")
        else:
            self._plan(reading)

    def _ask_anyway(self, reading: FitReading) -> None:
        """Let a model plan what the rules see no end of; what it leaves open stays ground."""
        root = self._root
        if self._asks is None or not reading.text.strip():
            return
        chaotic = root.reality
        try:
            drafts = ask(self._asks, self._question(root), pool=self._planner.pool, settings=self.settings)
        except PlanRefused:
            return
        served = [draft for draft in drafts if self._is_bounded(draft)]
        if len(served) == len(drafts):
            assert chaotic is not None, "it was judged before"
            told = f"{self._asks.name} sees an end where the rules do not ({chaotic.reasoning})"
            root.reality = Reality(kind=IntentKind.PROBABILISTIC, confidence=0.5, reasoning=told)
            self.grow(root, drafts, _combine(drafts))

    def _is_bounded(self, draft: Draft) -> bool:
        return judge(self.read(draft.intent), {}, ()).kind is not IntentKind.CHAOTIC and all(
            map(self._is_bounded, draft.steps)
        )

    def _plan(self, reading: FitReading) -> None:
        root = self._root
        bound = [said.clause.constraint for said in reading.said if said.clause.constraint != "none"]
        if bound:
            root.context = {**root.context, "constraint": "; ".join(dict.fromkeys(bound))}
        steps = self._steps(reading, given=root.argument)
        drafts: Sequence[Draft]
        drafts, combine = steps.draft(depth=0)
        several = bool(root.context.get("requires_multiple_steps") or root.context.get("subtasks"))
        if len(drafts) == 1 and drafts[0].capability and not root.examples and self._lines is None and not several:
            self.fulfil(root, drafts[0])
            return
        if rung(1, self.settings) == "ground":
            self.write(root, Draft(name="whole", intent=root.intent, by_example=True))
            root.argument = self._data() if self._lines is not None else root.argument
            return
        if len(drafts) == 1 and drafts[0].intent == root.intent and not drafts[0].steps and self.given:
            self.grow(root, drafts, "last")
            self._hand_down()
            return
        for note in dict.fromkeys(steps.notes):
            note_reason(root, note)
        if root.intent and not self._is_served(drafts) and self._planner.known(root.intent) is None:
            drafts, combine = self._by_model(root, drafts, combine)
        self.grow(root, drafts, combine)

    def _steps(self, reading: FitReading, *, given: object = UNSET) -> Steps:
        root = self._root
        came = {"lines": self._lines is not None, "examples": bool(root.examples), "input": root.argument is not UNSET}
        return Steps(
            reading=reading,
            registry=self.registry,
            program=lambda: self._planner.desk.snapshot.program(),
            files=self._files,
            settings=self.settings,
            given=given,
            came=[name for name, there in came.items() if there],
        )

    def _is_served(self, drafts: Sequence[Draft]) -> bool:
        """Say whether capabilities do all of it, so that there is nothing to ask a model for."""
        return all(
            draft.capability or (draft.steps and self._is_served(draft.steps)) or draft.template is not None
            for draft in drafts
        )

    def _hand_down(self) -> None:
        """Give the data to the one leaf that works on it."""
        root = self._root
        for leaf in root.children:
            leaf.argument = root.argument if self._lines is None else self._data()
            leaf.examples, leaf.ground = root.examples, root.ground

    def _data(self) -> object:
        assert self._lines is not None, "who asks has looked"
        return {"path": str(self._lines), "start": 0, "stop": self._size()}

    def _by_model(
        self, node: Promise[Any], drafts: Sequence[Draft], combine: Combine
    ) -> tuple[Sequence[Draft], Combine]:
        """Return the model's plan where one may be asked for and is any good, otherwise the one at hand."""
        model = self._asks
        if model is None or rung(node.depth, self.settings) != "full":
            return drafts, combine
        try:
            steps = ask(model, self._question(node), pool=self._planner.pool, settings=self.settings)
        except PlanRefused as refused:
            if refused.kind in FATAL:
                raise
            note_reason(node, f"the plan of {model.name} was not taken: {refused.reason}; planned by rules")
            return drafts, combine
        return steps, _combine(steps)

    def _question(self, node: Promise[Any]) -> PlanQuestion:
        above = [one for one in self._root.walk() if one is not node and node.id.startswith(f"{one.id}.")]
        beside = {child.name: child for one in above for child in one.children} if above else {}
        sample = self._root.argument
        if sample is UNSET and self._lines is not None:
            sample = _first_lines(self._lines)
        return PlanQuestion(
            intent=node.intent,
            depth=node.depth,
            capabilities=list(self.registry),
            files=self._fitting(node.intent),
            parents=[one.intent for one in above],
            needs={name: beside[name].intent for name in node.needs if name in beside},
            sample=sample,
        )

    def expand(self, node: Promise[Any]) -> tuple[Sequence[Draft], Combine]:
        """Plan a step that a model left open: by the model once more near the root, deeper down by rules alone."""
        drafts, combine = self._steps(self.read(node.intent)).draft(depth=node.depth)
        return (drafts, combine) if self._is_served(drafts) else self._by_model(node, drafts, combine)

    def _fitting(self, intent: str) -> list[str]:
        """Return the files whose names hold a word of the intent."""
        said = {word.lower() for word in intent.replace("/", " ").split() if len(word) > 3}
        return [name for name in self._files.names if any(word.strip(".,") in name.lower() for word in said)]

    def _size(self) -> int:
        try:
            return self._lines.stat().st_size if self._lines is not None else 0
        except OSError as error:
            raise PlanRefused(f"{self._lines} cannot be read: {error.strerror}", "INPUT") from None

    def _is_large(self) -> bool:
        large = self._lines is not None and self._size() >= self.settings.split_from
        return large and self._planner.parts is not None and rung(1, self.settings) != "ground"

    def _split(self) -> None:
        """Let one agent be written and run on every part of the file."""
        root, parts = self._root, self._planner.parts
        assert self._lines is not None
        assert parts is not None
        found = parts(self._lines)
        if len(found) + 2 > self.settings.max_nodes:
            told = f"{len(found)} parts are more than {self.settings.max_nodes} nodes; {MORE_NODES}"
            raise PlanRefused(told, "NODES")
        root.combine = "merge"
        agent: Promise[Any] = Promise(root.intent, ground=None, name="agent", examples=root.examples)
        agent.argument = self._data()
        known = self._planner.known(root.intent)
        agent.work = Work(kind="write", name="" if known else self._planner.writer or BY_EXAMPLE)
        agent.reality = judge(self.read(root.intent), {}, ())
        root.add(agent)
        told = "one part of the file, for the agent that is written once"
        reality = Reality(kind=IntentKind.PROBABILISTIC, confidence=0.6, reasoning=told)
        for number, part in enumerate(found, 1):
            one: Promise[Any] = Promise(root.intent, ground=None, name=f"part{number}", needs=("agent",))
            one.argument, one.work, one.reality = asdict(part), Work(kind="run"), reality
            root.add(one)


def _combine(drafts: Sequence[Draft]) -> Combine:
    return "last" if drafts[-1].needs or len(drafts) == 1 else "record"


def _first_lines(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(2_000)
    except OSError:
        return ""
