"""Who speaks for a program, what is open, and what strength that gives: the one place where this is decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.core import (
    UNSET,
    Example,
    OpenPoint,
    Strength,
    Witness,
    WitnessKind,
    missing_class,
    same,
    sorts_into_classes,
)
from mayfly.gates.proof._doubts import luck
from mayfly.gates.proof._empty import passed_by
from mayfly.gates.proof._run_tests import Case
from mayfly.gates.proof._run_tests_ask import Program
from mayfly.gates.proof._suite import SHOWN, Suite
from mayfly.sandbox import Sandbox

# Whoever guesses passes with at most this chance; more of it, and passing says nothing.
LUCK = 0.1
_OF: dict[str, WitnessKind] = {
    "held-out": "held-out",
    "intent": "tests",
    "check": "tests",
    "function": "tests",
    "reading": "reading",
}


def strength_of(witnesses: Sequence[Witness], open_: Sequence[OpenPoint]) -> Strength:
    """Return the strength that DESIGN's table gives; classes with too few examples leave every witness in doubt."""
    if not witnesses or any(point.kind == "classes" for point in open_):
        return "weak"
    return "tested" if open_ else "strong"


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
        yield Witness(kind="answer", author="person", count=answered, what=_told("answer", answered))
    own = [case for case in cases if case.test.kind in _OF]
    if not own or luck(own, program.source) > LUCK:
        return
    if passed_by(
        sandbox, program, own, [value for at, value in enumerate(shown_outputs) if _is_new(at, shown_outputs)]
    ):
        return
    for kind in dict.fromkeys(_OF[case.test.kind] for case in own):
        count = sum(_OF[case.test.kind] == kind for case in own)
        yield Witness(kind=kind, author=_author(kind, suite), count=count, what=_told(kind, count))


def class_doubt(cases: Sequence[Case], witnesses: Sequence[Witness], doubt: str) -> str:
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


def _told(kind: WitnessKind, count: int) -> str:
    several = count != 1
    if kind == "held-out":
        return f"{count} of your examples held out"
    if kind == "reading":
        return "an independent reading of the same lines agrees"
    if kind == "answer":
        return f"{count} answer{'s' if several else ''} of yours"
    return f"{count} test{'s' if several else ''} from the intent"
