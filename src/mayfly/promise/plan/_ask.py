"""Ask a model for a plan, and take it as a stranger's: what is wrong with it is said, and never raised to the user."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files as resources
from string import Template
from typing import Literal

from mayfly.core import MayflyError, PromiseSettings
from mayfly.models import Model, Pool
from mayfly.promise.plan._draft import Draft

_LONGEST_NAME, _LONGEST_INTENT = 60, 2_000
_MOST_FILES = 40
_DEEPEST = 60


class Refused(MayflyError):
    """A plan that is not taken; *code* says why, and whether the promise itself falls with it."""

    code = "PLAN"

    def __init__(self, reason: str, code: str = "PLAN") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = code


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step as a model writes it."""

    name: str
    intent: str
    needs: list[str] = field(default_factory=list)
    kind: Literal["capability", "compile", "plan"] = "compile"
    capability: str = ""
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model is asked for."""

    steps: list[Step]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a model may know when it plans."""

    intent: str
    depth: int
    capabilities: Sequence[tuple[str, str]]
    files: Sequence[str] = ()


def ask(model: Model, question: Question, *, pool: Pool | None, settings: PromiseSettings) -> tuple[Draft, ...]:
    """Return the model's plan as drafts, or raise `Refused` with what is wrong with it."""
    system, user = _prompt()
    values = {
        "intent": _fenced(question.intent),
        "capabilities": _fenced("\n".join(f"{name}: {description}" for name, description in question.capabilities)),
        "files": _fenced("\n".join(json.dumps(name) for name in question.files[:_MOST_FILES])),
        "children": str(settings.max_children),
        "depth": str(settings.max_depth - question.depth),
    }
    try:
        answer = model.ask(
            "plan",
            Template(user).substitute(values),
            system=Template(system).safe_substitute(values),
            schema=Answer,
            pool=pool,
        )
        names = {name for name, _ in question.capabilities}
        return sift(answer.value, question.intent, capabilities=names, settings=settings)
    except Refused:
        raise
    except (MayflyError, RecursionError, ValueError) as error:
        raise Refused(f"{type(error).__name__}: {error}"[:500]) from None


def sift(answer: Answer, intent: str, *, capabilities: Iterable[str], settings: PromiseSettings) -> tuple[Draft, ...]:
    """Return the steps that can be taken over; a plan with nonsense in it is refused whole."""
    count = _count(answer.steps)
    if count > settings.max_nodes - 1:
        raise Refused(f"the plan has {count} steps, and a tree has at most {settings.max_nodes} nodes", "NODES")
    return _Sifting(intent, frozenset(capabilities)).level(answer.steps, 1)


def _count(steps: Sequence[Step]) -> int:
    waiting, count = list(steps), 0
    while waiting:
        step = waiting.pop()
        count += 1
        waiting += step.steps
    return count


class _Sifting:
    def __init__(self, intent: str, capabilities: frozenset[str]) -> None:
        self._intent = _same(intent)
        self._capabilities = capabilities

    def level(self, steps: Sequence[Step], depth: int) -> tuple[Draft, ...]:
        if not steps:
            raise Refused("the plan has no steps")
        if depth > _DEEPEST:
            raise Refused(f"the plan is deeper than {_DEEPEST} levels")
        names = [_name(step.name) for step in steps]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(names) < 1_000 else []
        if twice:
            raise Refused(f"two steps are called {twice[0]!r}")
        return tuple(self._step(step, frozenset(names), depth) for step in steps)

    def _step(self, step: Step, names: frozenset[str], depth: int) -> Draft:
        name, intent = _name(step.name), _line(step.intent)
        if not intent or len(step.intent) > _LONGEST_INTENT:
            raise Refused(f"the step {name!r} says {'too much' if intent else 'nothing'}")
        needs = tuple(dict.fromkeys(_name(other) for other in step.needs))
        missing = [other for other in needs if other not in names]
        if missing:
            raise Refused(f"the step {name!r} needs {missing[0]!r}, and there is no such step")
        # A step that only says again what was asked would be planned for ever.
        again = _same(intent) == self._intent
        return Draft(
            name=name,
            intent=intent,
            needs=needs,
            combine=_combine(step.steps),
            steps=self.level(step.steps, depth + 1) if step.steps else (),
            open=step.kind == "plan" and not step.steps and not again,
            note=self._note(step),
        )

    def _note(self, step: Step) -> str:
        named = _line(step.capability)[:_LONGEST_NAME]
        if step.kind != "capability" or named in self._capabilities:
            return ""
        return f"the plan names a capability {named!r}, which there is not"


def _combine(steps: Sequence[Step]) -> Literal["last", "record"]:
    return "last" if not steps or steps[-1].needs else "record"


def _name(text: str) -> str:
    name = _line(text)
    if not name or len(name) > _LONGEST_NAME:
        raise Refused(f"a step is called {name[:_LONGEST_NAME]!r}")
    return name


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _same(text: str) -> str:
    return _line(text).casefold().rstrip(".!")


def _fenced(text: str) -> str:
    """Mark *text* as data by a fence it cannot know and therefore cannot close."""
    mark = f"data-{secrets.token_hex(8)}"
    return f"<{mark}>\n{text}\n</{mark}>"


@cache
def _prompt() -> tuple[str, str]:
    text = resources(__package__).joinpath("plan.md").read_text(encoding="utf-8")
    system, _, user = text.partition("\n---\n")
    return system.strip(), user.strip()
