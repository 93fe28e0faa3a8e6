"""The gates for any language that brings what `Language` asks: the order, the limits and the proof are the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mayfly.core import Verdict, find_key
from mayfly.forge.languages._language import Facts, Language, Reading
from mayfly.gates import Admission, Demand, Metrics, Profile, Suite, add_time, add_verdicts
from mayfly.gates.proof import ProofReport, prove_by_asking
from mayfly.gates.stability import MAX_LINES, too_complex, too_many_arms

if TYPE_CHECKING:
    from mayfly.core import Artifact
    from mayfly.sandbox import Sandbox


class LanguageGates:
    """Admit programs of one language; takes the place of `Gates` in the forge."""

    def __init__(self, language: Language, sandbox: Sandbox) -> None:
        """Take the language; checks that come with tests are Python and run in *sandbox*."""
        self._language = language
        self._sandbox = sandbox

    def admit(
        self,
        artifact: Artifact,
        *,
        profile: Profile,
        suite: Suite | None,
        last: bool = True,
        tell: Callable[[Verdict], None] = lambda _: None,
        **_: Any,
    ) -> Admission:
        """Try *artifact* at each gate in turn; the first that refuses is the last that is asked."""
        demand, began = Demand(profile=profile, tell=tell, last=last), time.perf_counter()
        reading = self._language.read(artifact.source, entry=artifact.entry)
        facts = reading.facts
        begun = Admission(
            decision="accept",
            artifact=replace(artifact, entry=reading.entry.name if reading.entry else artifact.entry),
            verdicts=(),
            entry=reading.entry,
            metrics=Metrics(
                cyclomatic=_complexity(facts),
                branching=max((one.arms for one in facts.choices), default=1),
                function_count=len(facts.functions) - 1,
            ),
        )
        admission = add_time(begun, "types", began)
        complexity = f"complexity {_complexity(facts)}/{profile.max_complexity}"
        gates: tuple[tuple[str, Callable[[], Sequence[Verdict]], str], ...] = (
            ("syntax", lambda: reading.syntax, ""),
            ("stability", lambda: unstable(reading, profile), complexity),
            ("judge", lambda: _judged(artifact.source), "it holds no secret"),
            ("types", lambda: reading.types, ""),
        )
        for gate, find, accepted in gates:
            if admission.decision == "accept":
                admission = add_verdicts(admission, demand, gate, find(), accepted=accepted)
        if admission.decision == "accept" and suite is not None and reading.entry is not None:
            began = time.perf_counter()
            report = self._prove(reading, suite)
            admission = add_verdicts(
                add_time(replace(admission, report=report), "proof", began), demand, "proof", report.verdicts
            )
        return admission

    def prove_again(self, admission: Admission, suite: Suite, *, profile: Profile, **_: Any) -> Admission:
        """Prove what was admitted with another suite."""
        return self.admit(admission.artifact, profile=profile, suite=suite)

    def _prove(self, reading: Reading, suite: Suite) -> ProofReport:
        assert reading.entry is not None, "what has no entry is refused before"
        return prove_by_asking(
            self._sandbox,
            reading.source,
            reading.entry,
            suite,
            lambda inputs: self._language.ask(reading, inputs),
            language=self._language.title,
        )


def unstable(reading: Reading, profile: Profile) -> list[Verdict]:
    """Return what the limits of *profile* do not allow; they are those of every language."""
    facts = reading.facts
    found = [too_complex(one.name, one.complexity, one.line, profile) for one in facts.functions]
    found += [too_many_arms(one.name, one.arms, one.line, profile) for one in facts.choices]
    verdicts = [*reading.refused, *(one for one in found if one is not None)]
    if facts.lines > MAX_LINES:
        message = f"{facts.lines:,} lines > {MAX_LINES:,} in one source"
        verdicts.append(Verdict(decision="reject", gate="stability", code="SIZE", message=message, line=1))
    return sorted(verdicts, key=lambda verdict: verdict.line or 0)


def _judged(source: str) -> list[Verdict]:
    """Refuse what would harm somebody: of the judge's questions, the one that needs no tree of Python."""
    key = find_key(source)
    if key is None:
        return []
    message, fix = f"the source holds what looks like a {key.issuer}", "take it as input"
    return [Verdict(decision="reject", gate="judge", code="SECRET", message=message, fix=fix)]


def _complexity(facts: Facts) -> int:
    return max((one.complexity for one in facts.functions), default=1)
