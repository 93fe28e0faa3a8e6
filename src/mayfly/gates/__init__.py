"""Gates: what was written is admitted, sent back or refused, with the reason, the measured value and the fix."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.gates._annotations import Annotations, NotPlain, Schema, plain_value
    from mayfly.gates._entry import Entry, NoEntry, Parameter, adapted, find_entry
    from mayfly.gates._events import GateJudged, ProofMade
    from mayfly.gates._pipeline import Admission, Again, Demand, Gates, add_time, add_verdicts, gate_versions
    from mayfly.gates._profile import Profile
    from mayfly.gates._suppress import suppressions
    from mayfly.gates._syntax import check_syntax
    from mayfly.gates.judge import Criteria, Judge, Judgement
    from mayfly.gates.proof import (
        Disputed,
        ProofOptions,
        ProofReport,
        Prover,
        Rival,
        Suite,
        Test,
        TestResult,
        examples_in,
    )
    from mayfly.gates.proof import Question as RivalQuestion
    from mayfly.gates.stability import Metrics, StabilityReport, check_stability, is_stable
    from mayfly.gates.types import TypeGate, TypeOptions, TypeReport

__all__ = [
    "Admission",
    "Again",
    "Annotations",
    "Criteria",
    "Demand",
    "Disputed",
    "Entry",
    "GateJudged",
    "Gates",
    "Judge",
    "Judgement",
    "Metrics",
    "NoEntry",
    "NotPlain",
    "Parameter",
    "Profile",
    "ProofMade",
    "ProofOptions",
    "ProofReport",
    "Prover",
    "Rival",
    "RivalQuestion",
    "Schema",
    "StabilityReport",
    "Suite",
    "Test",
    "TestResult",
    "TypeGate",
    "TypeOptions",
    "TypeReport",
    "adapted",
    "add_time",
    "add_verdicts",
    "check_stability",
    "check_syntax",
    "examples_in",
    "find_entry",
    "gate_versions",
    "is_stable",
    "plain_value",
    "suppressions",
]

__getattr__ = lazily(
    __name__,
    {
        "_annotations": "Annotations NotPlain Schema plain_value",
        "_entry": "Entry NoEntry Parameter adapted find_entry",
        "_events": "GateJudged ProofMade",
        "_pipeline": "Admission Again Demand Gates add_time add_verdicts gate_versions",
        "_profile": "Profile",
        "_suppress": "suppressions",
        "_syntax": "check_syntax",
        "judge": "Criteria Judge Judgement",
        "proof": (
            "Disputed ProofOptions ProofReport Prover Rival Suite Test TestResult examples_in Question=RivalQuestion"
        ),
        "stability": "Metrics StabilityReport check_stability is_stable",
        "types": "TypeGate TypeOptions TypeReport",
    },
)
