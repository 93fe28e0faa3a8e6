"""Why a run ended in ground: one reason in words, one code for programs, and the question that would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mayfly import forge
from mayfly.core import HelpNeeded, MayflyError

if TYPE_CHECKING:
    from mayfly.core import Offer, Proof
    from mayfly.gates import RivalQuestion
    from mayfly.runtime._compile import Compiled
    from mayfly.sandbox import Result

MACHINE = "MACHINE"


class Collapse(Exception):
    """End a run in ground; never seen outside the runtime unless the caller asked for it."""

    def __init__(
        self,
        reason: str,
        code: str,
        *,
        question: str | None = None,
        proof: Proof | None = None,
        source_hash: str | None = None,
        asked: tuple[object, tuple[object, ...]] | None = None,
        offers: tuple[Offer, ...] = (),
        account: Mapping[str, object] | None = None,
        candidate: object = None,
        reading: str = "",
    ) -> None:
        super().__init__(reason)
        self.offers = offers
        self.account = account
        self.candidate = candidate
        self.reading = reading
        self.reason = reason
        self.code = code
        self.question = question
        self.proof = proof
        self.source_hash = source_hash
        self.asked = asked

    @classmethod
    def weak(
        cls,
        compiled: Compiled,
        *,
        candidate: object = None,
        failed: str = "",
        about: RivalQuestion | None = None,
    ) -> Collapse:
        """Say what speaks for a program, what is missing, and what would settle it.

        Where rivals or mistakes leave something open, that is asked; elsewhere what *about* asks of the candidate.
        """
        proof, question = compiled.proof, compiled.question or about
        lacking = next((point.what for point in proof.open if point.kind == "classes"), "")
        if proof.holds:
            reason = f"the proof is not strong; open: {'; '.join(map(str, proof.open))}"
        else:
            reason = f"the proof is weak: {lacking or 'only what its author was shown speaks for the program'}"
        missing = "" if lacking else "add examples, "
        missing += "answer the question, " if question else ""
        reason += f"; {f'on this input {failed}; ' if failed else ''}{missing}or take the candidate (--accept-weak)"
        return cls(
            reason,
            "QUESTION" if question else "WEAK",
            question=question.text if question else None,
            proof=proof,
            source_hash=compiled.artifact.hash,
            asked=(question.input, question.answers) if question else None,
            candidate=candidate,
            reading=compiled.reading,
        )

    @classmethod
    def ran(cls, result: Result) -> Collapse:
        """Say how the execution ended."""
        if result.status == "refused" and result.level == "none":
            return cls(result.error or "this machine gives no sandbox", MACHINE)
        words = {"timeout": "it took too long", "memory": "it needed too much memory", "died": "it died"}
        reason = f"{words.get(result.status, 'it failed')}: {result.error or 'no reason given'}"
        return cls(reason, f"RUN_{result.status.upper()}")


def collapse_of(error: Exception) -> Collapse:
    """Return why *error* ends a run."""
    if isinstance(error, Collapse):
        return error
    if isinstance(error, HelpNeeded):
        reason = (
            f"{error.last_error or 'no attempt was admitted'} (after {error.attempts} attempts; help was asked for)"
        )
        return Collapse(reason, error.code)
    if isinstance(error, forge.CannotWrite):
        code = "QUESTION" if error.question else error.code
        return Collapse(str(error), code, question=error.question, asked=error.asked, offers=error.offers)
    if isinstance(error, MayflyError):
        return Collapse(str(error), error.code)
    return Collapse(f"unexpected {type(error).__name__}: {error}", "UNEXPECTED")
