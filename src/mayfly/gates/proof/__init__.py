"""The proof gate: run the tests where they cannot be cheated, and measure what passing them is worth."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.gates.proof._examples_in_text import examples_in
    from mayfly.gates.proof._program import Answer, Program, ask
    from mayfly.gates.proof._program import read as read_answer
    from mayfly.gates.proof._prover import Prover, prove_by_asking
    from mayfly.gates.proof._values import Disputed, ProofOptions, ProofReport, Question, Suite, Test, TestResult
    from mayfly.gates.proof._variants import Rival

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
        "_examples_in_text": "examples_in",
        "_program": "Answer Program ask read=read_answer",
        "_prover": "Prover prove_by_asking",
        "_values": "Disputed ProofOptions ProofReport Question Suite Test TestResult",
        "_variants": "Rival",
    },
)
