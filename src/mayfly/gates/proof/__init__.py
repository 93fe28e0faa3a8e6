"""The proof gate: run the tests where they cannot be cheated, and measure what passing them is worth."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.gates.proof._asked import prove_by_asking
    from mayfly.gates.proof._examples_in_text import examples_in
    from mayfly.gates.proof._options import ProofOptions
    from mayfly.gates.proof._prover import Prover
    from mayfly.gates.proof._report import Disputed, ProofReport, Question
    from mayfly.gates.proof._rivals import Rival
    from mayfly.gates.proof._run_tests import TestResult
    from mayfly.gates.proof._run_tests_ask import Answer, Program, ask
    from mayfly.gates.proof._run_tests_ask import read as read_answer
    from mayfly.gates.proof._suite import Suite, Test

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 3

__all__ = [
    "VERSION",
    "Answer",
    "Disputed",
    "Program",
    "ProofOptions",
    "ProofReport",
    "Prover",
    "Question",
    "Rival",
    "Suite",
    "Test",
    "TestResult",
    "ask",
    "examples_in",
    "prove_by_asking",
    "read_answer",
]

__getattr__ = lazily(
    __name__,
    {
        "_asked": "prove_by_asking",
        "_examples_in_text": "examples_in",
        "_options": "ProofOptions",
        "_prover": "Prover",
        "_report": "Disputed ProofReport Question",
        "_rivals": "Rival",
        "_run_tests": "TestResult",
        "_run_tests_ask": "Answer Program ask read=read_answer",
        "_suite": "Suite Test",
    },
)
