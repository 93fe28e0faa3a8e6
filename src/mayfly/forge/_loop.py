"""Generate, test, reflect, refine: until it is admitted, or until attempts, budget or ideas are spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mayfly.core import Artifact, HelpNeeded, Verdict, rounds
from mayfly.forge._by_example import ask
from mayfly.forge._prompt import normalised, parsed, why_no_code
from mayfly.forge._reflect import Arbiter, Reflector
from mayfly.forge._request import Architect, Attempt, CannotWrite, Reflection, Request
from mayfly.gates import Admission, Gates, Rival, Suite

if TYPE_CHECKING:
    from mayfly.forge.languages import LanguageGates

Watch = Callable[[str, object], None]


@dataclass(frozen=True, kw_only=True)
class Made:
    """Hold what was admitted, and the attempts that were not."""

    artifact: Artifact
    admission: Admission
    suite: Suite
    attempts: tuple[Attempt, ...] = field(default=())


def allowed_attempts(limit: int, entropy: float) -> int:
    """Return how often may be tried: at most *limit*, while the budget divided by the attempt is above chaos."""
    return max(1, min(limit, rounds(entropy)))


class Forge:
    """Have something written until the gates admit it."""

    def __init__(
        self,
        *,
        gates: Gates | LanguageGates,
        reflector: Reflector,
        arbiter: Arbiter | None = None,
        attempts: int = 3,
        language: str = "Python",
    ) -> None:
        self._gates = gates
        self._reflector = reflector
        self._arbiter = arbiter or Arbiter(None)
        self._attempts = attempts
        self._language = language

    def make(
        self,
        architect: Architect,
        request: Request,
        suite: Suite,
        *,
        rivals: Sequence[Rival] = (),
        watch: Watch = lambda kind, what: None,
    ) -> Made:
        """Return what was admitted; `HelpNeeded` after the last attempt, `CannotWrite` where there never was one.

        *rivals* are programs that others wrote for the same request.
        """
        began = time.monotonic()
        limit = allowed_attempts(self._attempts, request.profile.entropy)
        seen: set[str] = set()
        for number in range(1, limit + 1):
            try:
                artifact = architect.write(request)
            except CannotWrite as error:
                if not request.attempts:
                    raise
                raise self._help(request, began, str(error)) from error
            watch("wrote", (number, artifact))
            form = normalised(artifact.source)
            if form in seen:
                told = f"stagnation: the same program came again; {request.attempts[-1].error}"
                raise self._help(request, began, told, attempts=number)
            seen.add(form)
            admission = self._admit(artifact, request, suite, rivals)
            admission, suite = self._arbitrated(admission, request, suite, rivals)
            watch("judged", admission)
            if admission.decision == "accept":
                return Made(artifact=admission.artifact, admission=admission, suite=suite, attempts=request.attempts)
            attempt = self._refused(number, artifact, admission.verdicts, request, reflect=number < limit)
            watch("reflected", attempt)
            request = replace(request, attempts=(*request.attempts, attempt))
            if attempt.reflection is not None and attempt.reflection.requires_human:
                raise self._help(request, began, f"a person has to look: {attempt.error}")
        raise self._help(request, began, request.attempts[-1].error)

    def prove_beside(self, made: Made, request: Request, rivals: Sequence[Rival]) -> Made:
        """Prove a program again beside rivals; what was written and admitted stays."""
        again = self._gates.prove_again(made.admission, made.suite, profile=request.profile, rivals=rivals)
        return replace(made, admission=again) if again.decision == "accept" else made

    def _arbitrated(
        self, admission: Admission, request: Request, suite: Suite, rivals: Sequence[Rival]
    ) -> tuple[Admission, Suite]:
        """Let a fresh look decide where the program fails tests from the intent alone; a test that loses is dropped."""
        disputed = admission.report.disputed if admission.report else ()
        if admission.decision == "accept" or not disputed:
            return admission, suite
        settled = self._arbiter.settle(disputed, request, request.contract)
        if settled.tied is not None:
            test, gave = settled.tied
            answers = (gave, test.expected)
            raise CannotWrite(
                "the program and a test from the intent disagree, and a fresh look agrees with neither",
                helps=("your answer",),
                question=ask(test.input, answers),
                asked=(test.input, answers),
            )
        if not settled.dropped:
            return admission, suite
        lost = [(test.kind, test.input, test.expected) for test in settled.dropped]
        kept = tuple(test for test in suite.tests if (test.kind, test.input, test.expected) not in lost)
        suite = replace(suite, tests=kept)
        return self._gates.prove_again(admission, suite, profile=request.profile, rivals=rivals), suite

    def _admit(self, artifact: Artifact, request: Request, suite: Suite, rivals: Sequence[Rival]) -> Admission:
        provenance = artifact.provenance
        # A program that ends where the answer was cut off is no program with a mistake in it.
        if provenance.get("prose") or (provenance.get("truncated") and parsed(artifact.source) is None):
            return Admission.refused(artifact, _no_code(artifact, self._language))
        return self._gates.admit(
            artifact,
            profile=request.profile,
            suite=suite,
            intent=request.intent,
            spread=None if request.signature is None else True,
            rivals=rivals,
            # A wish for simpler code is noted and costs no attempt: only what is wrong is written again.
            last=True,
        )

    def _refused(
        self, number: int, artifact: Artifact, verdicts: tuple[Verdict, ...], request: Request, *, reflect: bool
    ) -> Attempt:
        reflection = self._reflector.reflect(artifact, verdicts, request=request) if reflect else None
        return Attempt(number=number, source=artifact.source, verdicts=verdicts, reflection=reflection)

    def _help(self, request: Request, began: float, error: str, *, attempts: int | None = None) -> HelpNeeded:
        tried = request.attempts
        suggestions = [s for attempt in tried for s in (attempt.reflection or _NOTHING).suggestions]
        context = {
            "last_code": tried[-1].source if tried else "",
            "last_error_output": tried[-1].error if tried else error,
            "validation_history": [attempt.error for attempt in tried[-3:]],
            "suggestions_tried": list(dict.fromkeys(suggestions))[:15],
            "execution_time_seconds": round(time.monotonic() - began, 3),
            "max_attempts": self._attempts,
        }
        return HelpNeeded("architect", request.intent, attempts or len(tried), error, context)


_NOTHING = Reflection(root_cause="")


def _no_code(artifact: Artifact, language: str) -> Verdict:
    code, message = why_no_code(artifact.source, truncated=artifact.provenance.get("truncated") is True)
    return Verdict(
        decision="reject",
        gate="syntax",
        code=code,
        message=message,
        fix=f"answer with one {language} code block and nothing else",
    )
