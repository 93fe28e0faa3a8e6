"""Notice when the rules stand in the way again and again, and ask once that somebody look at them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from mayfly.policy.kernel._events import PolicyDecided, PolicyOverridden, PolicyReviewWanted

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger

LOOK_BACK: Final = 200


class Review:
    """Count denials and approvals of one class of actions over a window, in the ledger that all processes share."""

    def __init__(self, ledger: Ledger, *, denials: int = 3, overrides: int = 2, window: float = 3600.0) -> None:
        self._ledger = ledger
        self._denials = denials
        self._overrides = overrides
        self._window = window
        self._told: dict[str, datetime] = {}
        """When each class was last asked about, as far as this process knows."""

    def denied(self, about: str) -> None:
        """Take note of a denial that was just recorded."""
        self._look(about)

    def overridden(self, about: str) -> None:
        """Take note of an approval that was just recorded."""
        self._look(about)

    def _look(self, about: str) -> None:
        # Most denials are of a class that was asked about already; then nothing has to be counted.
        if self._asked(about):
            return
        denials = sum(1 for event in self._recent("policy.decided") if _denies(event, about))
        overrides = sum(1 for event in self._recent("policy.overridden") if _approves(event, about))
        enough = (self._denials and denials >= self._denials) or (self._overrides and overrides >= self._overrides)
        if enough:
            wanted = PolicyReviewWanted(about=about, denials=denials, overrides=overrides, window=self._window)
            self._told[about] = self._ledger.append(wanted, subject=_subject(about)).at

    def _recent(self, kind: str, subject: str | None = None) -> Iterator[Event]:
        since = self._since()
        after = self._ledger.before_last(LOOK_BACK, kind=kind, subject=subject)
        return (event for event in self._ledger.read(kind=kind, subject=subject, after=after) if event.at >= since)

    def _asked(self, about: str) -> bool:
        told = self._told.get(about)
        if told is None or told < self._since():
            for event in self._recent("policy.review_wanted", _subject(about)):
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


def _subject(about: str) -> str:
    return f"class:{about}"[:256]
