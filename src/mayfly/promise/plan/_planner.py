"""`Planner`: an intent becomes a whole tree of promises before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from mayfly.core import UNSET, Example, MayflyError, PromiseSettings
from mayfly.language import Lexicon
from mayfly.library import Registry
from mayfly.models import Model, Pool
from mayfly.policy import Snapshot
from mayfly.promise._job import Part
from mayfly.promise._promise import Combine, Promise, Service
from mayfly.promise._reality import Kind, Reality
from mayfly.promise.plan._ask import Question, Refused, ask
from mayfly.promise.plan._cover import covered
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._files import Files
from mayfly.promise.plan._grow import Tree, collapse
from mayfly.promise.plan._ladder import rung
from mayfly.promise.plan._perceived import Perceived
from mayfly.promise.plan._rules import Asked, Planned, PlanRules, said_verb
from mayfly.promise.plan._sequence import sequence
from mayfly.promise.plan._serve import GROUND, Server
from mayfly.promise.plan._slots import LONGEST_INTENT, alone, slots_of, takes_result
from mayfly.promise.plan._spread import spread
from mayfly.promise.plan._understand import understand

FATAL = ("CYCLE", "CHILDREN", "NODES")
_WHOLE = "whole"


class Desk(Protocol):
    """Where the rules in force and the verbs they know are found."""

    @property
    def snapshot(self) -> Snapshot:
        """The rules in force now."""
        ...

    @property
    def lexicon(self) -> Lexicon:
        """The verbs of those rules."""
        ...


class Planner:
    """Plan by rules, or by a model where it serves that; run nothing and write nothing.

    *known* gives the hash of an agent that is proven for an intent, *parts* cuts a large file of lines.
    """

    def __init__(
        self,
        *,
        desk: Desk,
        registry: Registry,
        settings: PromiseSettings,
        workspace: Path,
        known: Callable[[str], str | None] = lambda intent: None,
        model: Model | None = None,
        pool: Pool | None = None,
        parts: Callable[[Path], list[Part]] | None = None,
    ) -> None:
        self._desk = desk
        self._settings = settings
        self._workspace = workspace
        self._pool = pool
        self._parts = parts
        self._known = known
        self._model = model if model is not None and model.serves("plan") else None
        self._server = Server(registry, known, model, settings)
        self._rules = PlanRules(lambda: desk.snapshot.program())

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
        request = _Request(self, root, lines)
        try:
            request.plan()
        except Refused as refused:
            collapse(root, refused.reason, refused.kind)
        except MayflyError as error:
            collapse(root, f"no plan could be made: {error}", error.code)
        return root


class _Request:
    """One plan in the making."""

    def __init__(self, planner: Planner, root: Promise[Any], lines: Path | None) -> None:
        self._planner = planner
        self._settings = planner._settings
        self._server = planner._server
        self._root = root
        self._lines = lines
        self._files = Files(planner._workspace)
        self._told: dict[str, dict[str, str]] = {}
        self._given = bool(root.examples) or lines is not None or root.argument is not UNSET
        self._tree = Tree(
            planner._server,
            planner._settings,
            given=self._given,
            expand=self._expand,
            argument=lambda name, intent: planner._rules.argument(name, self._slots(intent)),
            requires=planner._rules.requires,
        )

    def plan(self) -> None:
        """Judge the root, then give it what serves it: ground, a capability, parts of a file, or steps."""
        root = self._root
        whole = Draft(name=_WHOLE, intent=root.intent, by_example=True)
        served = self._server.judge(whole, 0, root.context)
        root.reality = served.reality
        if served.service == GROUND:
            root.service = GROUND
        elif self._is_large():
            self._split()
        elif served.service is not None and not root.examples and self._lines is None:
            root.service = served.service
            if root.argument is UNSET:
                root.argument = self._planner._rules.argument(served.service.name, self._slots(root.intent))
        elif rung(1, self._settings) == "ground":
            root.service = self._server.writer(whole, given=self._given)
            root.argument = self._data() if self._lines is not None else root.argument
        else:
            self._steps(root)

    def _steps(self, root: Promise[Any]) -> None:
        perceived = self._perceive(root.intent)
        if perceived.refusals and not self._given:
            root.reality = Reality(kind=Kind.CHAOTIC, confidence=0.9, reasoning="it only says what not to do")
            root.service = GROUND
            return
        bound = [one.intent.constraint for one in perceived.intents if one.intent.constraint != "none"]
        if bound:
            root.context = {**root.context, "constraint": "; ".join(dict.fromkeys(bound))}
        plans, note = self._by_rules(root.intent, perceived, depth=0)
        if all(plan.plan == _WHOLE for plan in plans):
            step = Draft(name="compile", intent=root.intent, by_example=True)
            self._tree.grow(root, (step,), "last")
            self._hand_down(root)
            return
        drafts, combine = _joined(root.intent, perceived, plans)
        self._tree.note(root, note)
        if self._planner._known(root.intent) is None:
            drafts, combine = self._by_model(root, drafts, combine)
        self._tree.grow(root, drafts, combine)

    def _hand_down(self, root: Promise[Any]) -> None:
        """Give the data to the one leaf that works on it."""
        for leaf in root.children:
            leaf.argument = root.argument if self._lines is None else self._data()
            leaf.examples, leaf.ground = root.examples, root.ground

    def _data(self) -> object:
        assert self._lines is not None
        return {"path": str(self._lines), "start": 0, "stop": self._size()}

    def _by_rules(self, text: str, perceived: Perceived, *, depth: int) -> tuple[list[Planned], str]:
        """Return the plan of the rules for each intent; rules that cannot be asked leave one step, with the reason."""
        came = {
            "lines": self._lines is not None,
            "examples": bool(self._root.examples),
            "input": self._root.argument is not UNSET,
        }
        given = [name for name, there in came.items() if there and depth == 0]
        asked = self._asked(text, perceived)
        settings = self._settings
        try:
            room = settings.max_depth - depth - (len(asked) > 1)
            plans = self._planner._rules.plan(asked, given=given, depth=room, most=settings.max_nodes)
        except MayflyError as error:
            step = Draft(name="do", intent=text, by_example=True)
            return [Planned(plan="", steps=(step,), combine="last")] * len(asked), f"the plan rules failed: {error}"
        whole = (Draft(name="do", intent=text, by_example=True),)
        plans = [plan if plan.steps else replace(plan, steps=whole) for plan in plans]
        return [self._complete(one, plan) for one, plan in zip(asked, plans, strict=True)], perceived.ask or ""

    def _complete(self, asked: Asked, planned: Planned) -> Planned:
        """Return the plan of the rules for one request so that nothing of the request is left out of it."""
        text = asked.slots["intent"]
        if planned.plan == _WHOLE:
            return planned
        intent = asked.perception.intent
        # What was added so that "it" can be understood is no word of the request.
        said = intent.text if text == alone(intent) else text
        return spread(text, self._server.capability) or covered(
            planned, text, said=said, bound=intent.constraint, served=self._server.is_capable
        )

    def _asked(self, text: str, perceived: Perceived) -> list[Asked]:
        """Return each request with what it tells; "count the lines" is about the file of the request before it."""
        after = sequence(text, perceived.intents)
        asked: list[Asked] = []
        told: dict[str, str] = {}
        for one, needs in zip(perceived.intents, after, strict=True):
            slots = slots_of(one.intent, self._files, one.clause) | ({"before": "before"} if needs else {})
            if len(perceived.intents) == 1:
                # Nothing of a single request is lost: conditions and reasons stand beside its verb.
                slots["intent"] = " ".join(text.split())[:LONGEST_INTENT]
            told = {**told, **slots}
            self._told.setdefault(alone(one.intent), told)
            self._told.setdefault(one.intent.text, told)
            asked.append(Asked(one, slots))
        return asked

    def _by_model(
        self, node: Promise[Any], drafts: Sequence[Draft], combine: Combine
    ) -> tuple[Sequence[Draft], Combine]:
        """Return the model's plan where one may be asked for and is any good, otherwise the one at hand."""
        model = self._planner._model
        if model is None or rung(node.depth, self._settings) != "full":
            return drafts, combine
        question = Question(
            intent=node.intent,
            depth=node.depth,
            capabilities=self._server.capabilities,
            files=self._fitting(node.intent),
        )
        try:
            steps = ask(model, question, pool=self._planner._pool, settings=self._settings)
        except Refused as refused:
            if refused.kind in FATAL:
                raise
            self._tree.note(node, f"the plan of {model.name} was not taken: {refused.reason}; planned by rules")
            return drafts, combine
        return steps, "last" if steps[-1].needs or len(steps) == 1 else "record"

    def _expand(self, node: Promise[Any]) -> tuple[Sequence[Draft], Combine]:
        """Plan a step that a model left open: by the model once more near the root, deeper down by rules alone."""
        perceived = self._perceive(node.intent)
        plans, _ = self._by_rules(node.intent, perceived, depth=node.depth)
        drafts, combine = _joined(node.intent, perceived, plans)
        return self._by_model(node, drafts, combine)

    def _fitting(self, intent: str) -> list[str]:
        """Return the files whose names hold a word of the intent."""
        said = {word.lower() for word in intent.replace("/", " ").split() if len(word) > 3}
        return [name for name in self._files.names if any(word.strip(".,") in name.lower() for word in said)]

    def _slots(self, text: str) -> dict[str, str]:
        return self._told.get(text) or slots_of(self._perceive(text).intents[0].intent, self._files)

    def _perceive(self, text: str) -> Perceived:
        return understand(text, self._planner._desk.lexicon)

    def _size(self) -> int:
        try:
            return self._lines.stat().st_size if self._lines is not None else 0
        except OSError as error:
            raise Refused(f"{self._lines} cannot be read: {error.strerror}", "INPUT") from None

    def _is_large(self) -> bool:
        large = self._lines is not None and self._size() >= self._settings.split_from
        return large and self._planner._parts is not None and rung(1, self._settings) != "ground"

    def _split(self) -> None:
        """Let one agent be written and run on every part of the file."""
        root, parts = self._root, self._planner._parts
        assert self._lines is not None
        assert parts is not None
        found = parts(self._lines)
        writer = Draft(name="agent", intent=root.intent, by_example=True)
        named = self._server.writer(writer, given=True)
        if len(found) + 2 > self._settings.max_nodes:
            raise Refused(f"{len(found)} parts are more than {self._settings.max_nodes} nodes", "NODES")
        root.service, root.combine = Service(kind="children"), "merge"
        agent: Promise[Any] = Promise(root.intent, ground=None, name="agent", examples=root.examples)
        agent.argument = {"path": str(self._lines), "start": 0, "stop": self._size()}
        agent.service = Service(kind="write", name="" if named.kind == "agent" else named.name)
        agent.reality = self._server.judge(writer, 1).reality
        root.add(agent)
        reality = Reality(
            kind=Kind.PROBABILISTIC,
            confidence=0.6,
            reasoning="one part of the file, for the agent that is written once",
        )
        for number, part in enumerate(found, 1):
            argument = {"path": part.path, "start": part.start, "stop": part.stop}
            root.add(
                Promise(
                    root.intent,
                    ground=None,
                    name=f"part{number}",
                    needs=("agent",),
                    argument=argument,
                    service=Service(kind="agent"),
                    reality=reality,
                )
            )


def _joined(text: str, perceived: Perceived, plans: Sequence[Planned]) -> tuple[Sequence[Draft], Combine]:
    """Return the steps of one request, or one step with a plan of its own for each of several."""
    if len(plans) == 1:
        return plans[0].steps, plans[0].combine
    intents = [one.intent for one in perceived.intents]
    names: list[str] = []
    for intent in intents:
        verb = said_verb(intent) or intent.verb
        names.append(verb if verb not in names else f"{verb}{len(names) + 1}")
    after = sequence(text, perceived.intents)
    for place, plan in enumerate(plans):
        if place and plan.follows and not after[place]:
            after[place] = (place - 1,)
    drafts = tuple(
        Draft(
            name=name,
            intent=f"{one.clause}, {alone(intent)}" if one.clause else alone(intent),
            needs=tuple(names[place] for place in needs),
            takes=not needs or takes_result(intent),
            combine=plan.combine,
            steps=tuple(replace(step, fed=step.fed or bool(needs)) for step in plan.steps),
        )
        for name, one, intent, needs, plan in zip(names, perceived.intents, intents, after, plans, strict=True)
    )
    chained = all(number - 1 in needs for number, needs in enumerate(after) if number)
    return drafts, "last" if chained else "record"
