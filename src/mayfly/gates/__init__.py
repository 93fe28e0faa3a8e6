"""Gates: what was written is admitted, sent back or refused, with the reason, the measured value and the fix."""

from mayfly.gates._entry import Entry, NoEntry, Parameter, adapted, find_entry
from mayfly.gates._events import GateJudged, ProofMade
from mayfly.gates._examples_in_text import examples_in
from mayfly.gates._judge import Judge, Judgement
from mayfly.gates._judge_criteria import Criteria
from mayfly.gates._pipeline import Admission, Gates, gate_versions
from mayfly.gates._profile import Profile
from mayfly.gates._proof import Prover
from mayfly.gates._proof_options import ProofOptions
from mayfly.gates._proof_report import ProofReport
from mayfly.gates._proof_report import Question as RivalQuestion
from mayfly.gates._run_tests import TestResult
from mayfly.gates._stability import Metrics, StabilityReport, check_stability, is_stable
from mayfly.gates._suite import Suite, Test
from mayfly.gates._syntax import check_syntax
from mayfly.gates._type_server import TypeOptions
from mayfly.gates._types import TypeGate, TypeReport

__all__ = [
    "Admission",
    "Criteria",
    "Entry",
    "GateJudged",
    "Gates",
    "Judge",
    "Judgement",
    "Metrics",
    "NoEntry",
    "Parameter",
    "Profile",
    "ProofMade",
    "ProofOptions",
    "ProofReport",
    "Prover",
    "RivalQuestion",
    "StabilityReport",
    "Suite",
    "Test",
    "TestResult",
    "TypeGate",
    "TypeOptions",
    "TypeReport",
    "adapted",
    "check_stability",
    "check_syntax",
    "examples_in",
    "find_entry",
    "gate_versions",
    "is_stable",
]
