"""What a proof ends in: plain data, to be stored in the ledger and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from mayfly.core import UNSET, Proof, Unset, Verdict
from mayfly.gates.proof._run_tests import TestResult
from mayfly.gates.proof._suite import Test


@dataclass(frozen=True, kw_only=True)
class Survivor:
    """A wrong program that passes every test: its change, and why the tests do not see it."""

    line: int
    change: str
    kind: str
    reached: bool = True
    input: str = ""
    answers: tuple[str, str] = ("", "")

    def describe(self) -> str:
        """Say it in one line."""
        if not self.reached:
            return f"line {self.line} is reached by no test"
        told = f"; for {self.input} it gives {self.answers[1]}, not {self.answers[0]}" if self.input else ""
        return f"line {self.line}: {self.change}{told}"


@dataclass(frozen=True, kw_only=True)
class Question:
    """Ask for the output that the tests leave open, with the answers that rival programs give."""

    input: object
    answers: tuple[object, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class Disputed:
    """A test from the intent that a program fails, with what the program gives; UNSET where it gives nothing."""

    test: Test
    gave: object | Unset = UNSET


@dataclass(frozen=True, kw_only=True)
class AdversaryReport:
    """Count what large inputs ended in; what happened beyond reasonable sizes is only noted."""

    inputs: int = 0
    errors: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProofReport:
    """Hold everything a proof found; *open* are inputs on which a program that passes every test answers otherwise.

    *disputed* are the tests that were written from the intent and that the program fails: either may be wrong.
    """

    proof: Proof
    verdicts: tuple[Verdict, ...] = ()
    results: tuple[TestResult, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    unreached: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    question: Question | None = None
    open: tuple[object, ...] = ()
    disputed: tuple[Disputed, ...] = ()
    adversary: AdversaryReport = AdversaryReport()
    milliseconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Whether no verdict rejects."""
        return all(verdict.decision != "reject" for verdict in self.verdicts)

    def to_json(self) -> Mapping[str, object]:
        """Return everything as plain data."""
        return asdict(self)
