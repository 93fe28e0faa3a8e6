"""The gates in their order: syntax, stability, judge, types, proof. Whoever refuses spares the costlier ones."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import Artifact, Example, Proof, Verdict
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


@dataclass(kw_only=True)
class _Case:
    """One artifact on its way through the gates."""

    artifact: Artifact
    profile: Profile
    intent: str
    spread: bool | None
    last: bool
    tell: Tell
    any_entry: bool = False
    verdicts: list[Verdict] = field(default_factory=list)
    repairs: tuple[str, ...] = ()
    entry: Entry | None = None
    metrics: Metrics | None = None
    report: ProofReport | None = None
    milliseconds: dict[str, float] = field(default_factory=dict)

    def add(self, gate: str, verdicts: Sequence[Verdict], *, accepted: str = "", measured: float | None = None) -> bool:
        """Record what *gate* said; return whether the way goes on."""
        ok = Verdict(decision="accept", gate=gate, code="OK", message=accepted or f"{gate} ok", measured=measured)
        said = list(verdicts) or [ok]
        for verdict in said:
            self.verdicts.append(verdict)
            self.tell(verdict)
        return all(verdict.decision == "accept" or (self.last and verdict.decision == "revise") for verdict in said)

    def ended(self) -> Admission:
        """Return the admission as it stands."""
        worst = {verdict.decision for verdict in self.verdicts}
        refused = "reject" if "reject" in worst else "revise" if "revise" in worst and not self.last else "accept"
        return Admission(
            decision=refused,
            artifact=self.artifact,
            verdicts=tuple(self.verdicts),
            entry=self.entry,
            metrics=self.metrics,
            repairs=self.repairs,
            report=self.report,
            milliseconds=self.milliseconds,
        )


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
        self._again = Again()

    def admit(
        self,
        artifact: Artifact,
        *,
        profile: Profile,
        suite: Suite | None,
        intent: str = "",
        examples: Sequence[Example] = (),
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
        case = _Case(artifact=artifact, profile=profile, intent=intent, spread=spread, last=last, tell=tell)
        case.any_entry = any_entry
        parsed = _static(case)
        if parsed is None:
            return case.ended()
        # The judge mostly waits for ruff, and the types gate for its server: each in a process of its own.
        with self._types.ahead(artifact.source, packages="package" in profile.grants) as ahead:
            judged = _judged(case, self._judge, parsed)
        if not judged or not self._typed(case, examples, ahead()) or suite is None:
            return case.ended()
        self._proven(case, suite, rivals)
        return case.ended()

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
        case = _Case(artifact=admission.artifact, profile=profile, intent="", spread=None, last=True, tell=tell)
        case.verdicts = [verdict for verdict in admission.verdicts if verdict.gate != "proof"]
        case.entry, case.metrics, case.repairs = admission.entry, admission.metrics, admission.repairs
        case.milliseconds = dict(admission.milliseconds)
        self._proven(case, suite, rivals)
        return case.ended()

    def check_again(self, artifact: Artifact, *, profile: Profile) -> Admission:
        """Do what `Again.check` does."""
        return self._again.check(artifact, profile=profile)

    def _typed(self, case: _Case, examples: Sequence[Example], first: TypeReport | None) -> bool:
        packages = "package" in case.profile.grants
        samples = [(_arguments(example.input, case.entry), example.output) for example in examples]
        with _timed(case, "types"):
            report, repaired = self._types.check_and_repair(
                case.artifact.source, packages=packages, examples=samples, entry=case.artifact.entry, first=first
            )
        if first is not None:
            case.milliseconds["types"] = round(case.milliseconds["types"] + first.milliseconds, 3)
        if repaired.source != case.artifact.source:
            case.repairs = (*case.repairs, *repaired.repairs)
            case.artifact = replace(case.artifact, source=repaired.source)
            if not report.accepted:
                return case.add("types", report.verdicts)
            # What a tool has written is new source: it enters at the first gate again. Only annotations and imports
            # have changed, so what the judge said, perhaps for money, still stands.
            case.verdicts = [verdict for verdict in case.verdicts if verdict.gate == "judge"]
            if _static(case) is None:
                return False
        return case.add("types", report.verdicts)

    def _proven(self, case: _Case, suite: Suite, rivals: Sequence[Rival]) -> bool:
        if case.entry is None:
            return False
        grants = case.profile.grants
        prover = self._prover_for(grants) if grants and self._prover_for else self._prover
        with _timed(case, "proof"):
            case.report = prover.prove(
                case.artifact.source,
                case.entry,
                suite,
                imports=_with_packages(stability.importable(case.profile)),
                rivals=rivals,
                parts=_parts(case.artifact),
                foretold=_foretold(case.artifact),
                doubt=str(case.artifact.provenance.get("doubt", "")),
            )
        return case.add("proof", case.report.verdicts)


class Again:
    """Try only syntax and stability: what is loaded from a store was admitted by all gates before.

    The same source under the same limits is looked at once.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, Profile], Admission] = {}

    def check(self, artifact: Artifact, *, profile: Profile) -> Admission:
        """Say whether *artifact* would still be admitted by these two."""
        key = (artifact.hash, artifact.entry, profile)
        if key not in self._seen:
            case = _Case(artifact=artifact, profile=profile, intent="", spread=None, last=True, tell=_nobody)
            _static(case)
            while len(self._seen) >= REMEMBERED:
                self._seen.pop(next(iter(self._seen)), None)
            self._seen[key] = case.ended()
        return self._seen[key]


def _static(case: _Case) -> _Parsed | None:
    """Take a case through syntax and stability; None where one of them stops it."""
    with _timed(case, "syntax"):
        parsed = check_syntax(case.artifact.source, limit=case.profile.source)
    if not case.add("syntax", parsed.verdicts) or parsed.tree is None:
        return None
    try:
        case.entry = find_entry(parsed.tree, case.artifact.entry, spread=case.spread)
    except NoEntry as error:
        if not case.any_entry:
            case.add("syntax", [_no_entry(str(error))])
            return None
    with _timed(case, "stability"):
        found = stability.check_stability(parsed.tree, parsed.text, case.profile)
    case.metrics = found.metrics
    told = f"complexity {found.metrics.cyclomatic}/{case.profile.max_complexity}"
    if not case.add("stability", found.verdicts, accepted=told, measured=found.metrics.cyclomatic):
        return None
    return _Parsed(parsed.tree, parsed.text)


def _judged(case: _Case, judge: Judge, parsed: _Parsed) -> bool:
    with _timed(case, "judge"):
        found = judge.judge(parsed.tree, parsed.text, intent=case.intent, grants=case.profile.grants)
    return case.add("judge", found.verdicts, accepted=f"score {found.score:g}", measured=found.score)


def _arguments(input: object, entry: Entry | None) -> list[object]:
    return input if entry is not None and entry.spread and isinstance(input, list) else [input]


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


class _timed:
    """Add the time of a block to the case, under the name of its gate."""

    def __init__(self, case: _Case, gate: str) -> None:
        self._case = case
        self._gate = gate

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        took = (time.perf_counter() - self._began) * 1000
        self._case.milliseconds[self._gate] = round(self._case.milliseconds.get(self._gate, 0.0) + took, 3)
