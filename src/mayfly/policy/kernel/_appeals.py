"""Appeals: a person approves exactly one action, signed and for a time; many of them ask for a review of the rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import InputError, canonical_json
from mayfly.policy.kernel._events import PolicyDecided, PolicyOverridden, PolicyReviewWanted

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger, Seal

SECOND: Final = 1_000_000_000
LONGEST: Final = 24 * 3600.0
_SKEW: Final = 60 * SECOND
LOOK_BACK: Final = 200


class ApprovalStanding(NamedTuple):
    """What the ledger holds for one action: the end of its approval, or why what is there does not count."""

    until: int | None
    by: str = ""
    reasons: tuple[str, ...] = ()


class Appeals:
    """Make and check approvals; who can write the ledger but not read the key cannot forge one."""

    def __init__(
        self,
        ledger: Ledger,
        key: Seal,
        *,
        clock: Callable[[], int],
        longest: float = LONGEST,
        review: Review | None = None,
    ) -> None:
        self._ledger = ledger
        self._key = key
        self._clock = clock
        self._longest = longest
        self._review = review

    def appeal(self, decision_id: str, *, by: str, reason: str, ttl: float) -> PolicyOverridden:
        """Approve the action of a recorded decision; only one that needs an approval can be approved."""
        if not by.strip() or not reason.strip():
            raise InputError("an approval needs who gives it and why", fix="name both")
        if not 0 < ttl <= self._longest:
            raise InputError(f"an approval lasts more than 0 and at most {self._longest:g} seconds, not {ttl:g}")
        decided = self._decided(decision_id)
        if decided.decision != "approval":
            said = "permitted already" if decided.decision == "permit" else "refused, which no approval changes"
            raise InputError(f"{decision_id} was {said}: {'; '.join(decided.because)[:200]}")
        now = self._clock()
        made = PolicyOverridden(
            override=f"o-{os.urandom(6).hex()}",
            decision=decision_id,
            digest=decided.digest,
            about=decided.action_class or decided.action,
            # What is signed is what is recorded, so secrets go before.
            by=self._ledger.secrets.text(by.strip())[:200],
            reason=self._ledger.secrets.text(reason.strip())[:500],
            made=now,
            until=now + int(ttl * SECOND),
            seal="",
        )
        made = replace(made, seal=self._key.of(_signed_text(made)))
        self._ledger.append(made, subject=_subject(made.digest))
        if self._review is not None:
            self._review.count(made.about)
        return made

    def standing(self, digest: str) -> ApprovalStanding:
        """Return whether an approval of exactly this action holds now."""
        reasons: list[str] = []
        for event in self._ledger.read(kind="policy.overridden", subject=_subject(digest)):
            data = event.data
            fault = self._fault(data, digest) if isinstance(data, PolicyOverridden) else "is damaged"
            if fault is None and isinstance(data, PolicyOverridden):
                return ApprovalStanding(data.until, data.by)
            name = data.override if isinstance(data, PolicyOverridden) else "an approval"
            reasons.append(f"approval {name} {fault}")
        return ApprovalStanding(None, reasons=tuple(reasons[-3:]))

    def _fault(self, data: PolicyOverridden, digest: str) -> str | None:
        now = self._clock()
        if not self._key.holds(_signed_text(data), data.seal):
            return "is not signed with this machine's key"
        if data.digest != digest:
            return "is for another action"
        if data.made > now + _SKEW:
            return "lies in the future"
        if now >= data.until:
            return "has expired"
        return "lasts longer than it may" if data.until - data.made > self._longest * SECOND else None

    def _decided(self, decision_id: str) -> PolicyDecided:
        events = self._ledger.read(kind="policy.decided", subject=decision_id)
        found = [data for event in events if isinstance(data := event.data, PolicyDecided)]
        if not found:
            raise InputError(f"there is no decision {decision_id}", fix="ask for the action first")
        if len({data.digest for data in found}) > 1:
            raise InputError(f"{decision_id} stands for more than one action", fix="ask for the action again")
        return found[-1]


def _subject(digest: str) -> str:
    return f"approval:{digest}"


def _signed_text(made: PolicyOverridden) -> str:
    values = asdict(made)
    del values["seal"]
    return canonical_json({"purpose": "policy.override", "id": values.pop("override"), **values})


class Review:
    """Count denials and approvals of one class of actions over a window, in the ledger that all processes share."""

    def __init__(self, ledger: Ledger, *, denials: int = 3, overrides: int = 2, window: float = 3600.0) -> None:
        self._ledger = ledger
        self._denials = denials
        self._overrides = overrides
        self._window = window
        self._told: dict[str, datetime] = {}
        """When each class was last asked about, as far as this process knows."""

    def count(self, about: str) -> None:
        """Take note of a denial or an approval that was just recorded; of enough of them, ask for a review."""
        # Most denials are of a class that was asked about already; then nothing has to be counted.
        if self._asked(about):
            return
        denials = sum(1 for event in self._recent("policy.decided") if _denies(event, about))
        overrides = sum(1 for event in self._recent("policy.overridden") if _approves(event, about))
        enough = (self._denials and denials >= self._denials) or (self._overrides and overrides >= self._overrides)
        if enough:
            wanted = PolicyReviewWanted(about=about, denials=denials, overrides=overrides, window=self._window)
            self._told[about] = self._ledger.append(wanted, subject=_class_subject(about)).at

    def _recent(self, kind: str, subject: str | None = None) -> Iterator[Event]:
        since = self._since()
        after = self._ledger.before_last(LOOK_BACK, kind=kind, subject=subject)
        return (event for event in self._ledger.read(kind=kind, subject=subject, after=after) if event.at >= since)

    def _asked(self, about: str) -> bool:
        told = self._told.get(about)
        if told is None or told < self._since():
            for event in self._recent("policy.review_wanted", _class_subject(about)):
                told = self._told[about] = event.at
        return told is not None and told >= self._since()

    def _since(self) -> datetime:
        return datetime.now(UTC) - timedelta(seconds=self._window)


def _denies(event: Event, about: str) -> bool:
    data = event.data
    return isinstance(data, PolicyDecided) and data.decision == "deny" and (data.action_class or data.action) == about


def _approves(event: Event, about: str) -> bool:
    data = event.data
    return isinstance(data, PolicyOverridden) and data.about == about


def _class_subject(about: str) -> str:
    return f"class:{about}"[:256]
