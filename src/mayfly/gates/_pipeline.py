"""The gates in their order: syntax, stability, judge, types, proof. A refusal spares the costlier ones.

Each gate is a function from one `Admission` to the next; the way goes on while its decision is an accept.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import Artifact, Proof, Verdict
from mayfly.gates import _syntax, judge, proof, stability, types
from mayfly.gates._entry import Entry, NoEntry, find_entry
from mayfly.gates._syntax import check_syntax

if TYPE_CHECKING:
    from mayfly.gates._profile import Profile
    from mayfly.gates.judge import Judge
    from mayfly.gates.proof import ProofReport, Prover, Rival, Suite
    from mayfly.gates.stability import Metrics
    from mayfly.gates.types import TypeGate, TypeReport

ORDER = ("syntax", "stability", "judge", "types", "proof")
PARTS = {"syntax": _syntax, "stability": stability, "judge": judge, "types": types, "proof": proof}

REMEMBERED = 128

Tell = Callable[[Verdict], None]


def gate_versions() -> dict[str, int]:
    """Return the version of each gate; what was admitted by another version is tried again."""
    return {name: PARTS[name].VERSION for name in ORDER}


@dataclass(frozen=True, kw_only=True)
class Admission:
    """Say whether an artifact was admitted, by which verdicts, and as which source after mechanical repairs."""

    decision: str
    artifact: Artifact
    verdicts: tuple[Verdict, ...]
    entry: Entry | None = None
    metrics: Metrics | None = None
    repairs: tuple[str, ...] = ()
    report: ProofReport | None = None
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def proof(self) -> Proof | None:
        """The summary of the proof, where it came to one."""
        return self.report.proof if self.report else None

    @classmethod
    def refused(cls, artifact: Artifact, verdict: Verdict) -> Admission:
        """Return the admission of something that no gate need look at."""
        return cls(decision=verdict.decision, artifact=artifact, verdicts=(verdict,))


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What is asked of the gates for one artifact."""

    profile: Profile
    tell: Tell
    intent: str = ""
    spread: bool | None = None
    last: bool = True
    any_entry: bool = False

    def decide(self, verdicts: Sequence[Verdict]) -> str:
        """Return the decision that follows; a revise verdict on the last attempt is only noted."""
        decisions = {verdict.decision for verdict in verdicts}
        if "reject" in decisions:
            return "reject"
        return "revise" if "revise" in decisions and not self.last else "accept"


class _Parsed(NamedTuple):
    """A source that the first gates have let through."""

    tree: ast.Module
    text: str


def _nobody(verdict: Verdict) -> None:
    """Listen to nothing."""


class Gates:
    """Admit artifacts. The parts are given: one judge, one type gate, one prover for all of them."""

    def __init__(
        self,
        *,
        judge: Judge,
        types: TypeGate,
        prover: Prover,
        prover_for: Callable[[tuple[str, ...]], Prover] | None = None,
    ) -> None:
        """Take the parts; *prover_for* gives the prover for programs that hold grants, which *prover* knows none of."""
        self._judge = judge
        self._types = types
        self._prover = prover
        self._prover_for = prover_for

    def admit(
        self,
        artifact: Artifact,
        *,
        profile: Profile,
        suite: Suite | None,
        intent: str = "",
        spread: bool | None = None,
        last: bool = True,
        any_entry: bool = False,
        rivals: Sequence[Rival] = (),
        tell: Tell = _nobody,
    ) -> Admission:
        """Try *artifact* at each gate in turn. Without a *suite* there is no proof: that is checking, not admitting.

        With *any_entry* the source need not have one entry, as for a file that somebody only wants to have checked.

        A revise verdict sends it back unless this is the *last* attempt; then it goes on with the verdict noted.
        """
        profile = profile.for_artifact(artifact)
        demand = Demand(profile=profile, tell=tell, intent=intent, spread=spread, last=last, any_entry=any_entry)
        admission, parsed = _static(Admission(decision="accept", artifact=artifact, verdicts=()), demand)
        if parsed is None:
            return admission
        # The judge mostly waits for ruff, and the types gate for its server: each in a process of its own.
        with self._types.ahead(artifact.source, packages="package" in profile.grants) as ahead:
            admission = _judged(admission, demand, self._judge, parsed)
        if admission.decision == "accept":
            admission = self._typed(admission, demand, ahead())
        if admission.decision == "accept" and suite is not None:
            admission = self._proven(admission, demand, suite, rivals)
        return admission

    def prove_again(
        self,
        admission: Admission,
        suite: Suite,
        *,
        profile: Profile,
        rivals: Sequence[Rival] = (),
        tell: Tell = _nobody,
    ) -> Admission:
        """Prove what was admitted with another suite or beside other rivals; what the other gates said stands."""
        demand = Demand(profile=profile.for_artifact(admission.artifact), tell=tell)
        verdicts = tuple(verdict for verdict in admission.verdicts if verdict.gate != "proof")
        before = replace(admission, verdicts=verdicts, decision=demand.decide(verdicts), report=None)
        return self._proven(before, demand, suite, rivals)

    def _typed(self, admission: Admission, demand: Demand, first: TypeReport | None) -> Admission:
        """Check types, and take a source that was repaired through the first gates again."""
        began, artifact = time.perf_counter(), admission.artifact
        packages = "package" in demand.profile.grants
        report, repaired = self._types.check_and_repair(artifact.source, packages=packages, first=first)
        admission = add_time(admission, "types", began, more=first.milliseconds if first is not None else 0.0)
        if repaired.source != artifact.source:
            repairs = (*admission.repairs, *repaired.repairs)
            artifact = replace(artifact, source=repaired.source)
            admission = replace(admission, artifact=artifact, repairs=repairs)
            if report.accepted:
                # What a tool has written is new source: it enters at the first gate again. Only annotations and imports
                # have changed, so what the judge said, perhaps for money, still stands.
                judged = tuple(verdict for verdict in admission.verdicts if verdict.gate == "judge")
                admission, parsed = _static(replace(admission, verdicts=judged), demand)
                if parsed is None:
                    return admission
        return add_verdicts(admission, demand, "types", report.verdicts)

    def _proven(self, admission: Admission, demand: Demand, suite: Suite, rivals: Sequence[Rival]) -> Admission:
        """Prove what has one entry; the rest is admitted as it is."""
        if admission.entry is None:
            return admission
        began, artifact, grants = time.perf_counter(), admission.artifact, demand.profile.grants
        prover = self._prover_for(grants) if grants and self._prover_for else self._prover
        report = prover.prove(
            artifact.source,
            admission.entry,
            suite,
            imports=_with_packages(stability.importable(demand.profile)),
            rivals=rivals,
            parts=_parts(artifact),
            foretold=_foretold(artifact),
            doubt=str(artifact.provenance.get("doubt", "")),
        )
        admission = add_time(replace(admission, report=report), "proof", began)
        return add_verdicts(admission, demand, "proof", report.verdicts)


class Again:
    """Try only syntax and stability: what is loaded from a store was admitted by all gates before.

    The same source under the same limits is looked at once.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, Profile], Admission] = {}

    def check(self, artifact: Artifact, *, profile: Profile) -> Admission:
        """Say whether *artifact* would still be admitted by these two."""
        profile = profile.for_artifact(artifact)
        key = (artifact.hash, artifact.entry, profile)
        if key not in self._seen:
            begun = Admission(decision="accept", artifact=artifact, verdicts=())
            admission, _ = _static(begun, Demand(profile=profile, tell=_nobody))
            while len(self._seen) >= REMEMBERED:
                self._seen.pop(next(iter(self._seen)), None)
            self._seen[key] = admission
        return self._seen[key]


def add_verdicts(
    admission: Admission,
    demand: Demand,
    gate: str,
    verdicts: Sequence[Verdict],
    *,
    accepted: str = "",
    measured: float | None = None,
) -> Admission:
    """Return an admission with what *gate* said of it, which is an accept where it said nothing."""
    ok = Verdict(decision="accept", gate=gate, code="OK", message=accepted or f"{gate} ok", measured=measured)
    said = verdicts or (ok,)
    for verdict in said:
        demand.tell(verdict)
    together = (*admission.verdicts, *said)
    return replace(admission, verdicts=together, decision=demand.decide(together))


def add_time(admission: Admission, gate: str, began: float, *, more: float = 0.0) -> Admission:
    """Return an admission with the time since *began*, and *more* of it, under the name of a gate."""
    took = admission.milliseconds.get(gate, 0.0) + (time.perf_counter() - began) * 1000 + more
    return replace(admission, milliseconds={**admission.milliseconds, gate: round(took, 3)})


def _static(admission: Admission, demand: Demand) -> tuple[Admission, _Parsed | None]:
    """Take an artifact through syntax and stability; nothing is parsed where one of them stops it."""
    began, artifact = time.perf_counter(), admission.artifact
    parsed = check_syntax(artifact.source, limit=demand.profile.source)
    admission = add_verdicts(add_time(admission, "syntax", began), demand, "syntax", parsed.verdicts)
    if admission.decision != "accept" or parsed.tree is None:
        return admission, None
    try:
        admission = replace(admission, entry=find_entry(parsed.tree, artifact.entry, spread=demand.spread))
    except NoEntry as error:
        if not demand.any_entry:
            return add_verdicts(admission, demand, "syntax", [_no_entry(str(error))]), None
    began = time.perf_counter()
    found = stability.check_stability(parsed.tree, parsed.text, demand.profile)
    admission = replace(add_time(admission, "stability", began), metrics=found.metrics)
    complexity = found.metrics.cyclomatic
    told = f"complexity {complexity}/{demand.profile.max_complexity}"
    admission = add_verdicts(admission, demand, "stability", found.verdicts, accepted=told, measured=complexity)
    return admission, _Parsed(parsed.tree, parsed.text) if admission.decision == "accept" else None


def _judged(admission: Admission, demand: Demand, judge: Judge, parsed: _Parsed) -> Admission:
    began = time.perf_counter()
    found = judge.judge(parsed.tree, parsed.text, intent=demand.intent, grants=demand.profile.grants)
    told = f"score {found.score:g}"
    return add_verdicts(
        add_time(admission, "judge", began), demand, "judge", found.verdicts, accepted=told, measured=found.score
    )


def _with_packages(imports: frozenset[str] | None) -> frozenset[str] | None:
    """Add the packages that parts lie in: the importer for many variants at once tells modules by their first name."""
    return None if imports is None else imports | {name.partition(".")[0] for name in imports}


def _parts(artifact: Artifact) -> tuple[str, ...]:
    """Return what an architect of ours copied from its own library; what a model says of its answer is not asked."""
    named = artifact.provenance.get("parts", ())
    return tuple(str(name) for name in named) if isinstance(named, (list, tuple)) else ()


def _foretold(artifact: Artifact) -> int:
    """Return how many examples the search for a program foretold; a model's answer has no such field."""
    number = artifact.provenance.get("foretold", 0)
    return number if isinstance(number, int) else 0


def _no_entry(message: str) -> Verdict:
    return Verdict(
        decision="reject",
        gate="syntax",
        code="NO_ENTRY",
        message=message,
        fix="define exactly one class with a method invoke(self, input), or the function that was asked for",
    )
