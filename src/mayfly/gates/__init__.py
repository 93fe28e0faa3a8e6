"""Gates: what was written is admitted, sent back or refused, with the reason, the measured value and the fix."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.gates._annotations import Annotations as Annotations
    from mayfly.gates._annotations import NotPlain as NotPlain
    from mayfly.gates._annotations import Schema as Schema
    from mayfly.gates._annotations import plain_value as plain_value
    from mayfly.gates._entry import Entry as Entry
    from mayfly.gates._entry import NoEntry as NoEntry
    from mayfly.gates._entry import Parameter as Parameter
    from mayfly.gates._entry import adapted as adapted
    from mayfly.gates._entry import find_entry as find_entry
    from mayfly.gates._entry import with_files as with_files
    from mayfly.gates._events import GateJudged as GateJudged
    from mayfly.gates._events import ProofMade as ProofMade
    from mayfly.gates._pipeline import Admission as Admission
    from mayfly.gates._pipeline import Again as Again
    from mayfly.gates._pipeline import Demand as Demand
    from mayfly.gates._pipeline import Gates as Gates
    from mayfly.gates._pipeline import add_time as add_time
    from mayfly.gates._pipeline import add_verdicts as add_verdicts
    from mayfly.gates._pipeline import gate_versions as gate_versions
    from mayfly.gates._profile import Profile as Profile
    from mayfly.gates._suppress import suppressions as suppressions
    from mayfly.gates._syntax import check_syntax as check_syntax
    from mayfly.gates.judge import Criteria as Criteria
    from mayfly.gates.judge import Judge as Judge
    from mayfly.gates.judge import Judgement as Judgement
    from mayfly.gates.proof import Disputed as Disputed
    from mayfly.gates.proof import ProofOptions as ProofOptions
    from mayfly.gates.proof import ProofReport as ProofReport
    from mayfly.gates.proof import Prover as Prover
    from mayfly.gates.proof import Rival as Rival
    from mayfly.gates.proof import RivalQuestion as RivalQuestion
    from mayfly.gates.proof import Suite as Suite
    from mayfly.gates.proof import Test as Test
    from mayfly.gates.proof import TestResult as TestResult
    from mayfly.gates.proof import examples_in as examples_in
    from mayfly.gates.stability import Metrics as Metrics
    from mayfly.gates.stability import StabilityReport as StabilityReport
    from mayfly.gates.stability import check_stability as check_stability
    from mayfly.gates.stability import is_stable as is_stable
    from mayfly.gates.types import TypeGate as TypeGate
    from mayfly.gates.types import TypeOptions as TypeOptions
    from mayfly.gates.types import TypeReport as TypeReport

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
