"""Why a run ended in ground: one reason in words, one code for programs, and the question that would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mayfly.core import HelpNeeded, MayflyError
from mayfly.forge._request import CannotWrite

if TYPE_CHECKING:
    from mayfly.core import Offer, Proof
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
    if isinstance(error, CannotWrite):
        code = "QUESTION" if error.question else error.code
        return Collapse(str(error), code, question=error.question, asked=error.asked, offers=error.offers)
    if isinstance(error, MayflyError):
        return Collapse(str(error), error.code)
    return Collapse(f"unexpected {type(error).__name__}: {error}", "UNEXPECTED")
