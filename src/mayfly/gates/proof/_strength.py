"""Who speaks for a program, what is open, and what strength that gives: the one place where this is decided."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mayfly.core import (
    UNSET,
    Example,
    OpenPoint,
    Strength,
    Verdict,
    Witness,
    WitnessKind,
    missing_class,
    parse_python,
    same,
    shown,
    sorts_into_classes,
)
from mayfly.gates.proof._domain import Given
from mayfly.gates.proof._program import OUT_OF, Answer, Program
from mayfly.gates.proof._run_tests import Ran, passed_by_constant
from mayfly.gates.proof._test_source import Case
from mayfly.gates.proof._trials import Fate, Outcome, Uncaught
from mayfly.gates.proof._values import GATE, SHOWN, RivalQuestion, Suite, Survivor
from mayfly.sandbox import Sandbox

# How many outputs somebody who guesses chooses from, where the output is no yes or no and nothing empty.
_MANY = 10
_CHECK = 4
# Whoever guesses passes with at most this chance; more of it, and passing says nothing.
LUCK = 0.1
_OF: dict[str, WitnessKind] = {
    "held-out": "held-out",
    "intent": "tests",
    "check": "tests",
    "function": "tests",
    "reading": "reading",
}


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """Who speaks for a program and what is open, with what was seen of both."""

    witnesses: tuple[Witness, ...] = ()
    open: tuple[OpenPoint, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    question: RivalQuestion | None = None

    @property
    def strength(self) -> Strength:
        """The strength that DESIGN's table gives; classes with too few examples leave every witness in doubt."""
        if not self.witnesses or any(point.kind == "classes" for point in self.open):
            return "weak"
        return "tested" if self.open else "strong"

    def describe(self) -> Verdict:
        """Return the verdict that says how strong the proof is, what it rests on and what would make it stronger."""
        told = "; ".join(map(str, self.witnesses)) or "only what its author was shown speaks for it"
        if self.open:
            told += "; open: " + "; ".join(map(str, self.open))
        fix = None
        if self.strength == "weak":
            fix = "add examples (of three or more some are held out), tests (--tests), or a model that writes tests"
        if self.strength != "strong" and self.question is not None:
            fix = f"answer: {self.question.text}"
        return Verdict(decision="accept", gate=GATE, code=self.strength.upper(), message=told, fix=fix)


def assess(
    sandbox: Sandbox,
    program: Program,
    suite: Suite,
    ran: Ran,
    outcome: Outcome,
    *,
    agreeing: int,
    foretold: int,
    doubt: str,
) -> Assessment:
    """Weigh what the tests and trials gave; a rival has to agree on so many inputs as *agreeing* to be a witness."""
    given, more = outcome.inputs, outcome.tried.more
    survivors = _survivors(outcome)
    crash = _find_crash(program.source, ran.cases, given, more)
    witnesses = []
    if foretold:
        told = f"{foretold} of your examples foretold without being shown"
        witnesses.append(Witness(kind="held-out", author="examples", count=foretold, what=told))
    witnesses += witnesses_among(sandbox, program, ran.cases, suite)
    witnesses += _agreeing_rivals(outcome, agreeing)
    points = [*_words_point(witnesses, by_search=foretold > 0), *_rival_points(outcome)]
    if not any(witness.kind == "rival" for witness in witnesses):
        # A rival that agrees everywhere settles what mistakes leave open.
        points += _mistake_point(survivors)
    if crash is not None:
        said = f"it fails on {shown(crash[0].input, 80)}: {crash[1].error}"
        points.append(OpenPoint(kind="failure", author="domain", count=1, what=said))
    if odd := _find_surprise(ran.cases, given, more):
        said = f"it gives another kind of result than the tests: {odd}"
        points.append(OpenPoint(kind="result", author="domain", count=1, what=said))
    if lacking := _class_doubt(ran.cases, witnesses, doubt):
        points.append(OpenPoint(kind="classes", author="examples", count=1, what=lacking))
    name = program.entry.name
    return Assessment(
        witnesses=tuple(witnesses),
        open=tuple(points),
        survivors=survivors,
        # A rival program first; a mistake that survives is the next best.
        question=_question_of(outcome.uncaught_rivals, name) or _question_of(outcome.uncaught_mutants, name),
    )


def _agreeing_rivals(outcome: Outcome, agreeing: int) -> Iterator[Witness]:
    """Yield the rivals that answer as the program does, to every test and on enough inputs of the domain."""
    answered = sum(answer.ok for answer in outcome.tried.more)
    if answered < agreeing:
        return
    fates = outcome.tried.fates
    for at, rival in enumerate(outcome.variants.rivals, len(outcome.variants.mutants)):
        fate = fates[at] if at < len(fates) else Fate(skipped=True)
        caught = outcome.caught.get(at, False)
        if fate.skipped or caught or fate.broken or fate.changed or fate.disagrees:
            continue
        told = f"a second program agrees on {answered} inputs"
        yield Witness(kind="rival", author=rival.author, count=answered, what=told)


def _words_point(witnesses: Sequence[Witness], *, by_search: bool) -> Iterator[OpenPoint]:
    if {witness.kind for witness in witnesses} == {"held-out"} and not by_search:
        # Whoever writes for an intent gets such examples right in many wrong ways: they show the middle of it.
        said = "only examples speak for it: nothing was tested that follows from the words"
        yield OpenPoint(kind="words", author="intent", count=1, what=said)


def _rival_points(outcome: Outcome) -> Iterator[OpenPoint]:
    """Yield each rival that passes every test and gives something else on an input that can occur."""
    for at, telling in outcome.uncaught_rivals:
        if telling is not None:
            told = shown(telling.other.value, 80) if telling.other.ok else telling.other.error
            said = f"a second program gives {told} for {shown(telling.given.input, 80)}, not {shown(telling.mine, 80)}"
            author = outcome.variants.rivals[at - len(outcome.variants.mutants)].author
            yield OpenPoint(kind="rival", author=author, count=1, what=said)


def _mistake_point(survivors: Sequence[Survivor]) -> Iterator[OpenPoint]:
    telling = [one for one in survivors if one.input]
    if telling:
        others = f" (and {len(telling) - 1} more)" if len(telling) > 1 else ""
        said = f"a mistake would not be noticed: {telling[0].describe()}{others}"
        yield OpenPoint(kind="mistake", author="mutants", count=len(telling), what=said)


def _survivors(outcome: Outcome) -> tuple[Survivor, ...]:
    """Describe the mistakes that no test catches, the most telling first."""
    found = []
    for at, telling in outcome.uncaught_mutants:
        mutant = outcome.variants.mutants[at]
        reached = mutant.line not in outcome.tried.known - outcome.tried.reached
        survivor = Survivor(line=mutant.line, change=mutant.change, kind=mutant.kind, reached=reached)
        if telling is not None:
            other = shown(telling.other.value) if telling.other.ok else telling.other.error
            answers = (shown(telling.mine), other)
            survivor = replace(survivor, input=shown(telling.given.input), answers=answers)
        found.append(survivor)
    return tuple(sorted(found, key=lambda one: (not one.input, one.reached, one.line)))


def _question_of(uncaught: Sequence[Uncaught], name: str) -> RivalQuestion | None:
    """Return the question whose answer would tell the program from the most telling of the variants."""
    found = [one.telling for one in uncaught if one.telling is not None and one.telling.other.ok]
    if not found:
        return None
    _, given, mine, other = min(found, key=lambda one: (one.given.size, one.place))
    text = f"what should {name}({shown(given.input)}) give: {shown(mine)} or {shown(other.value)}?"
    return RivalQuestion(input=given.input, answers=(mine, other.value), text=text)


def _find_crash(
    source: str, cases: Sequence[Case], given: Sequence[Given], answers: Sequence[Answer]
) -> tuple[Given, Answer] | None:
    """Return the simplest input of the domain on which the program fails without having meant to, and how it failed.

    An error that the program raises by a `raise` of its own is its answer, and so is one that a test expects somewhere.
    Running out of time or stack counts only where the input is no larger than the examples.
    """
    raised = _raising_lines(source)
    expected = {case.test.raises for case in cases if case.test.raises}
    for one, answer in zip(given, answers, strict=False):
        if answer.ok or answer.errors[0] in ("skipped", "NotData") or answer.line in raised:
            continue
        if set(answer.errors) & expected:
            continue
        if one.inside or not set(answer.errors) & OUT_OF:
            return one, answer
    return None


def _raising_lines(source: str) -> set[int]:
    return {
        line
        for node in ast.walk(parse_python(source))
        if isinstance(node, (ast.Raise, ast.Assert))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _find_surprise(cases: Sequence[Case], given: Sequence[Given], answers: Sequence[Answer]) -> str:
    """Return an input of the domain whose result is of no type that any test expects, or an empty text."""
    expected = [case.test.expected for case in cases if case.test.expected is not UNSET]
    if not expected or len(expected) < len(cases):
        return ""
    kinds = set(map(_outermost, expected))
    # True and false are numbers to Python, too.
    kinds |= {"bool"} if "number" in kinds else set()
    for one, answer in zip(given, answers, strict=False):
        if answer.ok and _outermost(answer.value) not in kinds:
            return f"{shown(one.input, 80)} gives {shown(answer.value, 80)}"
    return ""


def _outermost(value: object) -> str:
    """Return the outermost type alone, whole numbers as numbers: examples show few of the types inside."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def _luck(cases: Sequence[Case], source: str) -> float:
    """Return how likely somebody passes who guesses each output: a yes or no is a coin, and so is an empty result.

    A text that stands in the source itself is a label, one of as many as the tests show, and at least two. What a
    check lets through is not known; it counts a little more than a coin.
    """
    texts = {case.test.expected for case in cases if isinstance(case.test.expected, str)}
    labels = {text for text in texts if repr(text) in source or f'"{text}"' in source}
    chance = 1.0
    for case in cases:
        if case.replay:
            answers = [answer["ok"] for answer in case.replay.answers if "ok" in answer]
            chance /= math.prod(_choices(answer, labels) for answer in answers) or 1
        elif case.test.raises:
            chance /= 2
        else:
            chance /= _CHECK if case.test.expected is UNSET else _choices(case.test.expected, labels)
    return chance


def _choices(value: object, labels: set[str]) -> int:
    """Return among how many outputs somebody would choose who knows no more than their kind."""
    if isinstance(value, bool) or not value:
        return 2
    return max(2, len(labels)) if isinstance(value, str) and value in labels else _MANY


def witnesses_among(sandbox: Sandbox, program: Program, cases: Sequence[Case], suite: Suite) -> Iterator[Witness]:
    """Yield those whose tests the program passed, one for each kind; what anybody would pass earns nothing.

    That is what a constant passes that its author could have put there (an output that was shown, an empty value, the
    input itself), and what somebody who guesses passes too often.
    """
    shown_outputs = [
        case.test.expected for case in cases if case.test.kind in SHOWN and case.test.expected is not UNSET
    ]
    answered = sum(case.test.kind == "answer" for case in cases)
    if answered:
        # Who was asked about just this input knew what he said.
        yield Witness(kind="answer", author="person", count=answered, what=_describe_witness("answer", answered))
    own = [case for case in cases if case.test.kind in _OF]
    if not own or _luck(own, program.source) > LUCK:
        return
    if passed_by_constant(
        sandbox, program, own, [value for at, value in enumerate(shown_outputs) if _is_new(at, shown_outputs)]
    ):
        return
    for kind in dict.fromkeys(_OF[case.test.kind] for case in own):
        count = sum(_OF[case.test.kind] == kind for case in own)
        yield Witness(kind=kind, author=_author(kind, suite), count=count, what=_describe_witness(kind, count))


def _class_doubt(cases: Sequence[Case], witnesses: Sequence[Witness], doubt: str) -> str:
    """Return why examples that sort their inputs into classes are too few; an empty text where they are enough.

    Every class has to have two, tests from the intent included. The search for a program says whether the examples
    settle it: *doubt* is why not. For programs of another author only tests from the intent or a reading do.
    """
    known = [case for case in cases if case.test.expected is not UNSET]
    shown = [_example(case) for case in known if case.test.kind in (*SHOWN, "held-out", "answer")]
    if doubt or not sorts_into_classes(shown):
        return doubt
    missing = missing_class(
        shown, [*(_example(case) for case in known if case.test.kind == "intent"), *_replayed(cases)]
    )
    by_search = any(one.kind == "held-out" and one.author == "examples" for one in witnesses)
    if missing or by_search or any(one.kind in ("tests", "reading") for one in witnesses):
        return missing
    return "examples alone do not tell these classes apart: add more of each (--examples), or a model that writes tests"


def _example(case: Case) -> Example:
    return Example(input=case.test.input, output=case.test.expected)


def _replayed(cases: Sequence[Case]) -> Iterator[Example]:
    """Yield what the calls of test functions gave: a function that passed speaks for each of them."""
    answers = (answer for case in cases if case.replay for answer in case.replay.answers)
    return (Example(input=None, output=answer["ok"]) for answer in answers if "ok" in answer)


def _is_new(at: int, values: Sequence[object]) -> bool:
    return not any(same(values[at], earlier) for earlier in values[:at])


def _author(kind: WitnessKind, suite: Suite) -> str:
    return suite.author or "request" if kind == "tests" else "person"


def _describe_witness(kind: WitnessKind, count: int) -> str:
    several = count != 1
    if kind == "held-out":
        return f"{count} of your examples held out"
    if kind == "reading":
        return "an independent reading of the same lines agrees"
    if kind == "answer":
        return f"{count} answer{'s' if several else ''} of yours"
    return f"{count} test{'s' if several else ''} from the intent"
