"""The proof gate: run the tests where they cannot be cheated, and measure what passing them is worth."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.gates.proof._examples_in_text import examples_in as examples_in
    from mayfly.gates.proof._program import Answer as Answer
    from mayfly.gates.proof._program import Program as Program
    from mayfly.gates.proof._program import ask as ask
    from mayfly.gates.proof._program import read_answer as read_answer
    from mayfly.gates.proof._prover import Prover as Prover
    from mayfly.gates.proof._prover import prove_by_asking as prove_by_asking
    from mayfly.gates.proof._values import Disputed as Disputed
    from mayfly.gates.proof._values import ProofOptions as ProofOptions
    from mayfly.gates.proof._values import ProofReport as ProofReport
    from mayfly.gates.proof._values import RivalQuestion as RivalQuestion
    from mayfly.gates.proof._values import Suite as Suite
    from mayfly.gates.proof._values import Test as Test
    from mayfly.gates.proof._values import TestResult as TestResult
    from mayfly.gates.proof._variants import Rival as Rival

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 3

__all__ = ["VERSION", *public_names(__name__)]
__getattr__ = lazily(__name__)
