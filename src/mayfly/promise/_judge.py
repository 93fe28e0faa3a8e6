"""`Contradict` finds whether a result goes against what is known, `Judge` weighs what several testers say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mayfly.core import Agent, InputError, same, shipped_table, shown
from mayfly.gates.judge import REJECT_RATE, Decision, decide, pass_rate

FAILURES = 3
LOGICAL, EQUALITY, TESTED, PRAGMATIC = 1.0, 0.9, 0.8, 0.7
_WORD = re.compile(r"[\w']+")
_LONGEST_TEXT = 2000
_MOST_KEYS = 1000


@dataclass(frozen=True, kw_only=True)
class ValueClaim:
    """A result, and what is already held to be true of the same thing."""

    value: object
    known: tuple[object, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Say which detector found something, how grave it is from 0 to 1, and what."""

    detector: str
    severity: float
    text: str


# Answers what is wrong with the pair, or an empty text; the order of the two must not matter.
Detect = Callable[[object, object], str]


@dataclass(frozen=True, kw_only=True)
class Detector:
    """One way to contradict. *alone* ones are asked about the value itself, also where nothing is known."""

    name: str
    severity: float
    detect: Detect
    alone: bool = False


@dataclass(frozen=True, kw_only=True)
class Contradicted:
    """What was found, gravest first, and the detectors that were left out because they kept failing."""

    found: tuple[Contradiction, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def severity(self) -> float:
        """How grave the gravest is; 0 where nothing contradicts."""
        return max((one.severity for one in self.found), default=0.0)


class Contradict(Agent[ValueClaim, Contradicted]):
    """Try every detector on a claim; one that fails three times in a row is not asked again."""

    def __init__(self, detectors: Sequence[Detector] | None = None, *, failures: int = FAILURES) -> None:
        self._detectors = DETECTORS if detectors is None else tuple(detectors)
        if len({detector.name for detector in self._detectors}) != len(self._detectors):
            raise InputError("two detectors have the same name")
        self._limit = failures
        self._failed = dict.fromkeys((detector.name for detector in self._detectors), 0)

    async def invoke(self, input: ValueClaim) -> Contradicted:
        """Return what goes against *input*."""
        return self.contradict(input)

    def contradict(self, claim: ValueClaim) -> Contradicted:
        """Return what goes against *claim*."""
        found: list[Contradiction] = []
        for detector in self._detectors:
            if self._failed[detector.name] < self._limit:
                found += self._ask(detector, claim)
        skipped = tuple(name for name, failed in self._failed.items() if failed >= self._limit)
        return Contradicted(found=tuple(sorted(found, key=lambda one: -one.severity)), skipped=skipped)

    def _ask(self, detector: Detector, claim: ValueClaim) -> list[Contradiction]:
        try:
            known = [None] if detector.alone else claim.known
            texts = [detector.detect(fact, claim.value) for fact in known]
        except Exception:
            self._failed[detector.name] += 1
            return []
        self._failed[detector.name] = 0
        return [
            Contradiction(detector=detector.name, severity=detector.severity, text=str(text)) for text in texts if text
        ]


def attempt(test: Callable[[object], object], *, name: str = "test", severity: float = TESTED) -> Detector:
    """Make a detector of a test: whatever it does not answer with exactly True contradicts the value."""

    def detect(_: object, value: object) -> str:
        try:
            answer = test(value)
        except Exception as error:
            return f"the test raised {type(error).__name__}"
        return "" if answer is True else f"the test answered {shown(answer, 60)}, not True"

    return Detector(name=name, severity=severity, detect=detect, alone=True)


def logical(one: object, other: object) -> str:
    """Say where one is the negation of the other: True and False, a text and the same with a "not"."""
    return next((text for path, a, b in _pairs(one, other) if (text := _negated(path, a, b))), "")


def equality(one: object, other: object) -> str:
    """Say where two values, or the fields two records share, differ."""
    differing = (
        f"{path}{shown(b, 60)} where {shown(a, 60)} is known" for path, a, b in _pairs(one, other) if not same(a, b)
    )
    return next(differing, "")


def pragmatic(one: object, other: object) -> str:
    """Say where two texts that speak of the same advise opposite things."""
    return next((text for path, a, b in _pairs(one, other) if (text := _opposed(path, a, b))), "")


DETECTORS = (
    Detector(name="logical", severity=LOGICAL, detect=logical),
    Detector(name="equality", severity=EQUALITY, detect=equality),
    Detector(name="pragmatic", severity=PRAGMATIC, detect=pragmatic),
)


def _pairs(one: object, other: object) -> Iterator[tuple[str, object, object]]:
    """Yield what can be compared: the two themselves, or the fields that both records have."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        shared = [key for key in list(one)[:_MOST_KEYS] if key in other]
        yield from ((f"{shown(key, 60)}: ", one[key], other[key]) for key in shared)
    else:
        yield "", one, other


def _negated(path: str, one: object, other: object) -> str:
    if isinstance(one, bool) and isinstance(other, bool):
        return "" if one is other else f"{path}{other} where {one} is known"
    mine, theirs = _words(one), _words(other)
    if not mine or not theirs:
        return ""
    negations, ignored = _word_set("negation", "words"), _word_set("negation", "ignored")
    denied = [word in negations for word in mine].count(True), [word in negations for word in theirs].count(True)
    rest = [[word for word in words if word not in negations | ignored] for words in (mine, theirs)]
    opposite = bool(rest[0]) and rest[0] == rest[1] and (denied[0] - denied[1]) % 2 == 1
    return f"{path}{shown(other, 60)} denies {shown(one, 60)}" if opposite else ""


def _opposed(path: str, one: object, other: object) -> str:
    mine, theirs = _words(one), _words(other)
    if not mine or not theirs or mine == theirs:
        return ""
    ignored = _word_set("negation", "ignored")
    only, others = set(mine) - set(theirs), set(theirs) - set(mine)
    pair = next(((a, b) for a in sorted(only) for b in sorted(others) if b in _opposites().get(a, ())), None)
    if pair is None:
        return ""
    # Advice on two different things is no contradiction: apart from the pair, the two must speak of the same.
    rest = [set(words) - ignored - set(pair) for words in (mine, theirs)]
    speaking = rest[0] == rest[1] or (rest[0] <= rest[1] and bool(rest[0])) or (rest[1] <= rest[0] and bool(rest[1]))
    return f"{path}{shown(other, 60)} is the opposite of {shown(one, 60)}" if speaking else ""


def _words(value: object) -> list[str]:
    return _WORD.findall(value[:_LONGEST_TEXT].lower()) if isinstance(value, str) else []


@cache
def _table() -> dict[str, dict[str, object]]:
    return shipped_table(Path(__file__).with_name("contradict.toml"))


@cache
def _word_set(section: str, key: str) -> frozenset[str]:
    return frozenset(str(_table()[section][key]).split())


@cache
def _opposites() -> dict[str, set[str]]:
    pairs = _table()["opposites"]["pairs"]
    found: dict[str, set[str]] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        one, other = str(pair).split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


@dataclass(frozen=True, kw_only=True)
class PromiseOpinion:
    """The word of one who tested: passed or not, how sure from 0 to 1, and why."""

    passed: bool
    confidence: float = 1.0
    reason: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.passed, bool):
            raise InputError(f"passed must be True or False, not {type(self.passed).__name__}")
        if not (isinstance(self.confidence, (int, float)) and 0 <= self.confidence <= 1):
            raise InputError(f"confidence must be from 0 to 1, not {self.confidence!r}")


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The decision, the part of all confidence that passed, and the reasons of those that did not."""

    decision: Decision
    rate: float
    reasons: tuple[str, ...] = ()


class OpinionJudge(Agent[Sequence[PromiseOpinion], Judged]):
    """Weigh opinions: all pass, accept; too little of the confidence passes, reject; otherwise revise.

    Where nobody was asked nothing is accepted.
    """

    def __init__(self, *, reject: float = REJECT_RATE) -> None:
        self._reject = reject

    async def invoke(self, input: Sequence[PromiseOpinion]) -> Judged:
        """Return what follows from *input*."""
        return self.judge(input)

    def judge(self, opinions: Sequence[PromiseOpinion]) -> Judged:
        """Return what follows from *opinions*."""
        if not opinions:
            return Judged(decision="reject", rate=0.0, reasons=("nobody was asked",))
        passes = [(opinion.passed, float(opinion.confidence)) for opinion in opinions]
        reasons = tuple(opinion.reason or opinion.name or "failed" for opinion in opinions if not opinion.passed)
        return Judged(decision=decide(passes, reject=self._reject), rate=pass_rate(passes), reasons=reasons)
