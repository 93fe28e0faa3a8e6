"""Settle what tests leave open: where somebody knows the right answer, ask there instead of asking a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mayfly.gates import Admission, Gates, Profile, ProofReport, Suite, Test

Oracle = Callable[[object], object]


class Silent(Exception):
    """An oracle does not know the answer; one that raises `ValueError` knows that there is none."""


ROUNDS = 4
MOST_LINES = 8
MOST_ODD = 40
_PIECE = re.compile(r"[\w.:-]+")


def settled(
    gates: Gates, admission: Admission, suite: Suite, oracle: Oracle, profile: Profile
) -> tuple[Admission, Suite]:
    """Prove again with the answers to what was left open, until nothing is or nothing more can be said.

    Where the program and the oracle read an odd input differently, which of them is right is for neither to say: that
    input stays open, and the program is not refused for it.
    """
    for round_ in range(ROUNDS):
        report = admission.report
        if report is None or report.proof.strength == "strong":
            break
        inputs = [*report.open, *(_odd(suite) if report.unreached and not round_ else ())]
        more = list(_answered(inputs, oracle, len(suite.tests)))
        agreed = _agreed(gates, admission, suite, more, profile) if more else None
        if agreed is None:
            break
        admission, suite = agreed
    return admission, suite


def _agreed(
    gates: Gates, admission: Admission, suite: Suite, more: list[Test], profile: Profile
) -> tuple[Admission, Suite] | None:
    """Prove with *more* tests, leaving out those on which the two readings differ."""
    for _ in range(2):
        wider = replace(suite, tests=(*suite.tests, *more))
        again = gates.prove_again(admission, wider, profile=profile)
        if again.decision == "accept":
            return again, wider
        failed = _failed(again.report)
        more = [test for test in more if test.name not in failed]
        if not failed or not more:
            return None
    return None


def _failed(report: ProofReport | None) -> set[str]:
    return {result.name for result in report.results if not result.passed} if report else set()


def _odd(suite: Suite) -> list[object]:
    """Return lines of the sample in which one piece is something else, each behind the first line."""
    lines = _lines(suite, 3)
    odd = [
        line[: piece.start()] + other + line[piece.end() :]
        for line in lines[1:]
        for piece in _PIECE.finditer(line)
        for other in ("?", "", re.sub(r"\d", "9", piece[0]))
        if other != piece[0]
    ]
    step = max(1, len(odd) // MOST_ODD)
    return [[lines[0], line] for line in odd[::step][:MOST_ODD]]


def _lines(suite: Suite, most: int) -> list[str]:
    items = (item for test in suite.tests if isinstance(test.input, list) for item in test.input)
    lines = dict.fromkeys(item for item in items if isinstance(item, str) and item.isprintable() and item.strip())
    return list(lines)[:: max(1, len(lines) // most)][:most]


def _answered(inputs: Sequence[object], oracle: Oracle, known: int, *, name: str = "settled") -> Iterator[Test]:
    for number, input in enumerate(inputs, known + 1):
        try:
            expected = oracle(input)
        except ValueError:
            yield Test(name=f"{name} {number}", kind="example", input=input, raises="ValueError", confidence=0.9)
        except (Silent, TypeError, KeyError, ArithmeticError):
            continue
        else:
            yield Test(name=f"{name} {number}", kind="example", input=input, expected=expected, confidence=0.9)
