"""Ask a model for a plan, and take it as a stranger's: what is wrong with it is said, and never raised to the user."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mayfly.core import UNSET, Capability, MayflyError, PromiseSettings, SecretFields
from mayfly.models import Model, ModelPool, Prompt, fenced
from mayfly.promise._data import ITEM, RESULT, references
from mayfly.promise._limits import MORE_NODES
from mayfly.promise.plan._draft import Draft

_LONGEST_NAME, _LONGEST_INTENT, _LONGEST_SAMPLE = 60, 2_000, 2_000
_MOST_FILES = 40
_DEEPEST = 60


class PlanRefused(MayflyError):
    """A plan that is not taken; *code* says why, and whether the promise itself falls with it."""

    code = "PLAN"

    def __init__(self, reason: str, code: str = "PLAN") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = code


@dataclass(frozen=True, kw_only=True)
class PlanStep:
    """One step as a model writes it."""

    name: str
    intent: str
    needs: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    kind: Literal["capability", "compile", "plan"] = "compile"
    capability: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    each: str = ""
    steps: list[PlanStep] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class PlanAnswer:
    """What a model is asked for."""

    steps: list[PlanStep]


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """What a model may know when it plans: what it is part of, what it may use, and a sample of the data."""

    intent: str
    depth: int
    capabilities: Sequence[Capability]
    files: Sequence[str] = ()
    parents: Sequence[str] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    sample: object = UNSET


def ask(
    model: Model, question: PlanQuestion, *, pool: ModelPool | None, settings: PromiseSettings
) -> tuple[Draft, ...]:
    """Return the model's plan as drafts, or raise `Refused` with what is wrong with it."""
    fields = SecretFields()
    sample = "" if question.sample is UNSET else _shown(fields.data(question.sample))
    prompt = Prompt.load(Path(__file__).with_name("plan.md")).fill(
        intent=fenced(fields.text(question.intent)),
        capabilities=fenced("\n".join(map(_described, question.capabilities))),
        files=fenced("\n".join(json.dumps(name) for name in question.files[:_MOST_FILES])),
        parents=fenced(fields.text("\n".join(question.parents))),
        needs=fenced(fields.text("\n".join(f"{name}: {told}" for name, told in question.needs.items()))),
        sample=fenced(sample),
        children=str(settings.max_children),
        depth=str(settings.max_depth - question.depth),
    )
    try:
        answer = model.ask("plan", prompt.user, system=prompt.system, schema=PlanAnswer, pool=pool)
        return sift(answer.value, question.intent, outer=question.needs, settings=settings)
    except PlanRefused:
        raise
    except (MayflyError, RecursionError, ValueError) as error:
        raise PlanRefused(f"{type(error).__name__}: {error}"[:500]) from None


def _described(capability: Capability) -> str:
    told = {"name": capability.name, "summary": capability.summary, "input": capability.input_schema}
    return json.dumps({**told, "output": capability.output_schema, "effect": capability.effect}, ensure_ascii=False)


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[:_LONGEST_SAMPLE]


def sift(
    answer: PlanAnswer, intent: str, *, outer: Mapping[str, str] | None = None, settings: PromiseSettings
) -> tuple[Draft, ...]:
    """Return the steps that can be taken over; a plan with nonsense in it is refused whole."""
    count = _count(answer.steps)
    if count > settings.max_nodes - 1:
        most = settings.max_nodes
        raise PlanRefused(f"the plan has {count} steps, and a tree has at most {most} nodes; {MORE_NODES}", "NODES")
    return _Sifting(intent, frozenset(outer or ())).level(answer.steps, 1)


def _count(steps: Sequence[PlanStep]) -> int:
    waiting, count = list(steps), 0
    while waiting:
        step = waiting.pop()
        count += 1
        waiting += step.steps
    return count


class _Sifting:
    def __init__(self, intent: str, outer: frozenset[str]) -> None:
        self._intent = _same(intent)
        self._outer = outer

    def level(self, steps: Sequence[PlanStep], depth: int) -> tuple[Draft, ...]:
        if not steps:
            raise PlanRefused("the plan has no steps")
        if depth > _DEEPEST:
            raise PlanRefused(f"the plan is deeper than {_DEEPEST} levels")
        names = [_name(step.name) for step in steps]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(names) < 1_000 else []
        if twice:
            raise PlanRefused(f"two steps are called {twice[0]!r}")
        return tuple(self._step(step, frozenset(names), depth) for step in steps)

    def _step(self, step: PlanStep, names: frozenset[str], depth: int) -> Draft:
        name, intent = _name(step.name), _line(step.intent)
        if not intent or len(step.intent) > _LONGEST_INTENT:
            raise PlanRefused(f"the step {name!r} says {'too much' if intent else 'nothing'}")
        arguments = _referring(step.arguments)
        each = _line(step.each)
        named = [*step.needs, *references(arguments), *([each] if each else [])]
        needs = self._known(name, named, names)
        after = tuple(other for other in self._known(name, step.after, names) if other not in needs)
        capability = _line(step.capability)[:_LONGEST_NAME]
        draft = Draft(
            name=name,
            intent=intent,
            needs=needs,
            after=after,
            combine="last" if not step.steps or step.steps[-1].needs else "record",
            capability=capability,
            argument=arguments if capability else UNSET,
            steps=self.level(step.steps, depth + 1) if step.steps else (),
            # A step that only says again what was asked would be planned for ever.
            open=step.kind == "plan" and not step.steps and not capability and _same(intent) != self._intent,
        )
        if not each:
            return draft
        one = Draft(name="each", intent=intent, capability=capability, argument=draft.argument)
        return Draft(name=name, intent=intent, needs=needs, after=after, each={RESULT: each}, template=one, combine="")

    def _known(self, name: str, others: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(_name(other) for other in others))
        missing = [other for other in found if other not in names | self._outer]
        if missing:
            raise PlanRefused(f"the step {name!r} needs {missing[0]!r}, and there is no such step")
        return tuple(other for other in found if other in names)


def _referring(value: Any) -> Any:
    """Return arguments with `{"result_of": step}` and `{"item": …}` as a promise has them."""
    if isinstance(value, dict):
        if isinstance(value.get("result_of"), str) and set(value) <= {"result_of", "at"}:
            return {RESULT: value["result_of"], **({"at": value["at"]} if value.get("at") else {})}
        if "item" in value and set(value) <= {"item", "at"}:
            return {**ITEM, **({"at": value["at"]} if value.get("at") else {})}
        return {str(key): _referring(one) for key, one in value.items()}
    return [_referring(one) for one in value] if isinstance(value, list) else value


def _name(text: str) -> str:
    name = _line(text)
    if not name or len(name) > _LONGEST_NAME:
        raise PlanRefused(f"a step is called {name[:_LONGEST_NAME]!r}")
    return name


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _same(text: str) -> str:
    return _line(text).casefold().rstrip(".!")
