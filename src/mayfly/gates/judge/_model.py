"""Ask a model for its opinion of a source, which is shown to it as data behind a fence it cannot close."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, get_args

from mayfly.core import Cost, content_hash
from mayfly.gates.judge._criteria import Criteria
from mayfly.models import object_in

Choice = Literal["accept", "revise", "reject"]
_WORDS: dict[str, Choice] = {
    **{choice: choice for choice in get_args(Choice)},
    "accepted": "accept",
    "approve": "accept",
    "approved": "accept",
    "pass": "accept",
    "rejected": "reject",
    "deny": "reject",
    "fail": "reject",
    "revision": "revise",
    "needs revision": "revise",
}
_SAID = re.compile(r"\b(accept|revise|reject)(?:ed|d)?\b", re.IGNORECASE)
_LONGEST_REASON = 400


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What a model is asked for: its decision, a score for each criterion, and its reasons."""

    decision: Choice
    scores: dict[str, float] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    reason: str = ""


class HasValue(Protocol):
    """An answer that was read into the type that was asked for."""

    @property
    def value(self) -> object:
        """The value."""
        ...


class JudgeModel(Protocol):
    """Whatever can be asked for an `Opinion`."""

    def ask(self, purpose: Literal["judge"], prompt: str, *, system: str, schema: type[Opinion]) -> HasValue:
        """Answer *prompt*, reading the answer as *schema*."""
        ...


class NoOpinion(Exception):
    """The model gave no opinion; the message says why, and `cost` what was spent all the same."""

    def __init__(self, message: str, cost: Cost | None = None) -> None:
        super().__init__(message)
        self.cost = cost or Cost()


class Asked(NamedTuple):
    """An opinion, and what it cost to get it."""

    opinion: Opinion
    cost: Cost


def ask_model(model: JudgeModel, text: str, criteria: Criteria, *, intent: str, grants: tuple[str, ...]) -> Asked:
    """Return the model's opinion of *text*; whatever goes wrong is `NoOpinion`."""
    # No text holds its own hash, so that it cannot close the fence; and the same text is asked about in the same words.
    fence = f"fence-{content_hash(text)[:24]}"
    questions = "\n".join(f"- {item.name}: {item.text}" for item in criteria.items)
    system = _template().format(fence=fence, criteria=questions, grants=", ".join(grants) or "nothing")
    prompt = f"{fence}-task\n{intent or 'not known'}\n{fence}-task\n\n{fence}\n{text}\n{fence}\n"
    cost = Cost()
    try:
        answer = model.ask("judge", prompt, system=system, schema=Opinion)
        cost = _cost(answer)
        return Asked(_as_opinion(answer.value), cost)
    except NoOpinion as error:
        error.cost = cost
        raise
    # Whatever a model library raises, code is still judged: by what can be seen without a model.
    except Exception as error:
        said = getattr(error, "text", "")
        found = _loosely(said) if isinstance(said, str) and said else None
        if found is None:
            raise NoOpinion(f"{type(error).__name__}: {error}"[:_LONGEST_REASON], _cost(error)) from error
        return Asked(found, _cost(error))


def _cost(answer: object) -> Cost:
    found = getattr(answer, "cost", None)
    return found if isinstance(found, Cost) else Cost()


@cache
def _template() -> str:
    return (Path(__file__).parent / "prompts" / "judge.md").read_text(encoding="utf-8")


def _as_opinion(value: object) -> Opinion:
    if isinstance(value, Opinion):
        return replace(value, reasons=[*value.reasons, value.reason]) if value.reason else value
    found = _loosely(value) if isinstance(value, str) else _from_table(value)
    if found is None:
        raise NoOpinion("the answer holds no decision")
    return found


def _loosely(text: str) -> Opinion | None:
    """Read an answer that is not quite what was asked for: JSON of another shape, or a sentence with the word in it."""
    found = _from_table(object_in(text))
    if found is not None:
        return found
    words = {word.lower() for word in _SAID.findall(text)}
    if len(words) != 1:
        return None
    return Opinion(decision=_WORDS[words.pop()], reasons=[text.strip()[:_LONGEST_REASON]])


def _from_table(value: object) -> Opinion | None:
    if not isinstance(value, Mapping):
        return None
    said = next((value[key] for key in ("decision", "verdict", "judgment", "judgement") if key in value), None)
    accepted = next((value[key] for key in ("accepted", "accept", "passed") if key in value), None)
    decision = _WORDS.get(str(said).strip().lower()) if said is not None else None
    if decision is None and isinstance(accepted, bool):
        decision = "accept" if accepted else "reject"
    if decision is None:
        return None
    reasons: object = next(
        (value[key] for key in ("reasons", "reason", "reasoning", "explanation") if key in value), []
    )
    listed = [str(reason) for reason in (reasons if isinstance(reasons, list) else [reasons])]
    scores = value.get("scores")
    numbers = {str(k): float(v) for k, v in scores.items() if _is_number(v)} if isinstance(scores, Mapping) else {}
    return Opinion(decision=decision, scores=numbers, reasons=listed)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
