"""The judge: is the code tasteful, ethical and joyful? Small judges say so, and a model where there is one.

All pass: accept. Too few pass, or somebody would be harmed: reject. Anything else goes back with the reasons.
"""

from __future__ import annotations

import ast
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mayfly.core import Cost, Verdict, content_hash
from mayfly.gates.judge._criteria import REJECT_RATE, Criteria, Criterion, Decision, decide, pass_rate
from mayfly.gates.judge._dead import dead_code
from mayfly.gates.judge._ethics import ethics
from mayfly.gates.judge._model import JudgeModel, NoOpinion, Opinion, ask_model
from mayfly.gates.judge._signal import ETHICAL, Signal
from mayfly.gates.judge._taste import joy, taste
from mayfly.gates.stability import scan

GATE = "judge"
PASS_SCORE = 0.5
REMEMBERED = 256
_SHOWN = 4


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Hold the decision, the score from 0 to 1, the verdicts to act on, what each small judge said, and the cost."""

    decision: Decision
    score: float
    verdicts: tuple[Verdict, ...]
    signals: tuple[Signal, ...]
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class _Opinion:
    """What all small judges together say on one criterion."""

    criterion: Criterion
    score: float
    failed: tuple[Signal, ...]

    @property
    def passed(self) -> bool:
        return self.score >= PASS_SCORE

    @property
    def confidence(self) -> float:
        """Full where the score is clear, half where it could go either way."""
        return 0.5 + abs(self.score - PASS_SCORE)


class Judge:
    """Judge sources by *criteria*, with *model* if there is one, and remember what was judged."""

    def __init__(self, criteria: Criteria, model: JudgeModel | None = None, *, reject: float = REJECT_RATE) -> None:
        self._reject = reject
        self.criteria = criteria
        self._model = model
        self._remembered: OrderedDict[tuple[str, ...], Judgement] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, tree: ast.Module, text: str, *, intent: str = "", grants: tuple[str, ...] = ()) -> Judgement:
        """Return what is to be said of *text*; the same question is not worked on twice."""
        key = (content_hash(text), self.criteria.version, intent, *grants)
        with self._lock:
            known = self._remembered.get(key)
            if known is not None:
                self._remembered.move_to_end(key)
                return replace(known, cost=Cost())
        found, lasting = self._judge(tree, text, intent, grants)
        if lasting:
            with self._lock:
                self._remembered[key] = found
                while len(self._remembered) > REMEMBERED:
                    self._remembered.popitem(last=False)
        return found

    def _judge(self, tree: ast.Module, text: str, intent: str, grants: tuple[str, ...]) -> tuple[Judgement, bool]:
        """Judge, and say whether the judgement would be the same the next time."""
        signals = small_judges(tree, text, intent, grants)
        plain = self._weigh(signals)
        if self._model is None or not _serves(self._model) or any(signal.hard for signal in signals):
            return plain, True
        try:
            asked = ask_model(self._model, text, self.criteria, intent=intent, grants=grants)
        except NoOpinion as error:
            message = f"judged without the model: {error}"
            note = Verdict(decision="accept", gate=GATE, code="MODEL_UNAVAILABLE", message=message)
            return replace(plain, verdicts=(*plain.verdicts, note), cost=error.cost), False
        return replace(_combine(plain, asked.opinion, self.criteria), cost=asked.cost), True

    def _weigh(self, signals: tuple[Signal, ...]) -> Judgement:
        opinions = [_opinion(criterion, signals) for criterion in self.criteria.items]
        weights = [opinion.criterion.weight * opinion.confidence for opinion in opinions]
        total = sum(weights) or 1.0
        rate = pass_rate(zip((opinion.passed for opinion in opinions), weights, strict=True))
        score = sum(weight * opinion.score for weight, opinion in zip(weights, opinions, strict=True)) / total
        counting = [(opinion, weight) for opinion, weight in zip(opinions, weights, strict=True) if weight > 0]
        failed = [opinion for opinion, _ in counting if not opinion.passed]
        decision = decide([(opinion.passed, weight) for opinion, weight in counting], reject=self._reject)
        decision = "reject" if any(signal.hard for signal in signals) else decision
        verdicts = (*_hard(signals), *(_verdict(opinion, refused=rate < self._reject) for opinion in failed))
        return Judgement(decision=decision, score=round(score, 3), verdicts=verdicts, signals=signals)


def small_judges(tree: ast.Module, text: str, intent: str, grants: tuple[str, ...]) -> tuple[Signal, ...]:
    """Return what each small judge says; none of them needs a model."""
    try:
        found = scan(tree)
        return (
            *taste(tree, text, found),
            *dead_code(found),
            *ethics(text, intent, grants, found),
            *joy(tree, intent, found),
        )
    except RecursionError:
        reasons = ("the code is nested too deeply to be judged",)
        return (Signal(name="nesting", criterion=ETHICAL, passed=False, penalty=1.0, reasons=reasons, hard=True),)


def _opinion(criterion: Criterion, signals: tuple[Signal, ...]) -> _Opinion:
    failed = tuple(signal for signal in signals if signal.criterion == criterion.name and not signal.passed)
    score = max(0.0, 1.0 - sum(signal.penalty for signal in failed))
    return _Opinion(criterion=criterion, score=round(score, 3), failed=failed)


def _hard(signals: tuple[Signal, ...]) -> Iterator[Verdict]:
    for signal in signals:
        if signal.hard:
            yield Verdict(
                decision="reject",
                gate=GATE,
                code=signal.name.upper(),
                message=f"{signal.criterion}: {signal.reasons[0]}",
                line=signal.line,
                fix="remove it" if signal.name != "exfiltration" else "ask for a grant, or send nothing",
            )


def _verdict(opinion: _Opinion, *, refused: bool) -> Verdict:
    failed = sorted(opinion.failed, key=lambda signal: -signal.penalty)
    reasons = [reason for signal in failed for reason in signal.reasons[:2]]
    more = f" (and {len(reasons) - _SHOWN} more)" if len(reasons) > _SHOWN else ""
    return Verdict(
        decision="reject" if refused else "revise",
        gate=GATE,
        code=opinion.criterion.name.upper(),
        message=f"{opinion.criterion.name}: {'; '.join(reasons[:_SHOWN])}{more}",
        measured=opinion.score,
        limit=PASS_SCORE,
        line=failed[0].line if failed else None,
        fix=f"mend what is named, so that: {opinion.criterion.text}",
    )


def _serves(model: JudgeModel) -> bool:
    """Whether the model answers this purpose at all; one that does not say so does."""
    serves = getattr(model, "serves", None)
    return bool(serves("judge")) if callable(serves) else True


def _combine(plain: Judgement, opinion: Opinion, criteria: Criteria) -> Judgement:
    """Let the model decide on taste and joy; what harms somebody is not for it to allow."""
    scores = [(criteria.weight(name), min(1.0, max(0.0, score))) for name, score in opinion.scores.items()]
    total = sum(weight for weight, _ in scores)
    score = sum(weight * score for weight, score in scores) / total if total else plain.score
    kept = tuple(v for v in plain.verdicts if v.code == ETHICAL.upper() or opinion.decision != "accept")
    said = () if opinion.decision == "accept" else (_said(opinion),)
    if opinion.decision == "reject":
        decision: Decision = "reject"
    else:
        decision = "revise" if kept or said else "accept"
    verdicts = (*said, *(_softened(verdict) for verdict in kept))
    return replace(plain, verdicts=verdicts, decision=decision, score=round((score + plain.score) / 2, 3))


def _said(opinion: Opinion) -> Verdict:
    reasons = "; ".join(opinion.reasons[:_SHOWN]) or "no reason given"
    fix = "mend what is named" if opinion.decision == "revise" else "write it differently"
    return Verdict(decision=opinion.decision, gate=GATE, code="MODEL", message=f"judge: {reasons}", fix=fix)


def _softened(verdict: Verdict) -> Verdict:
    """Return *verdict* as one to be mended: where a model looked, only the model and harm refuse."""
    return replace(verdict, decision="revise")
