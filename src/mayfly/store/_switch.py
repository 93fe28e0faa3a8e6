"""`KillSwitch`: one switch in the ledger that stops everything in every process, also after a restart."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from mayfly.core import InputError, MayflyError
from mayfly.store._events import Event, event

if TYPE_CHECKING:
    from mayfly.store._ledger import Ledger

KIND = "kill.switched"
SUBJECT = "kill"


class Killed(MayflyError):
    """The kill switch is on, or nobody can tell that it is off."""

    code = "KILLED"


@event(KIND)
@dataclass(frozen=True, kw_only=True)
class KillSwitched:
    """Record that the kill switch was turned on or off, by whom and why."""

    on: bool
    by: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Switch:
    """How the switch stands; without a time where it was never touched or cannot be read."""

    on: bool
    by: str = ""
    reason: str = ""
    at: datetime | None = None


class KillSwitch:
    """Look at the switch before anything is done; a ledger that cannot be read counts as on.

    A look that found it off is good for *cache* seconds; one that found it on is never remembered.
    """

    def __init__(self, ledger: Ledger, *, cache: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        if not 0 <= cache < float("inf"):
            raise InputError("the seconds a look at the kill switch lasts must be 0 or more")
        self._ledger = ledger
        self._cache = cache
        self._clock = clock
        self._lock = threading.Lock()
        self._off_since: float | None = None
        self._turns = 0

    def turn_on(self, *, by: str, reason: str) -> Switch:
        """Stop everything that looks at the switch of this ledger, in any process."""
        return self._turn(on=True, by=by, reason=reason)

    def turn_off(self, *, by: str, reason: str) -> Switch:
        """Let things be done again."""
        return self._turn(on=False, by=by, reason=reason)

    def state(self) -> Switch:
        """Return how the switch stands now, looked up afresh."""
        try:
            return _read(self._ledger.last(kind=KIND))
        except Exception as error:
            # Whatever went wrong, nobody has said that it is off.
            return Switch(on=True, reason=f"the kill switch cannot be read: {error}")

    def check(self) -> None:
        """Raise `Killed` unless the switch was seen to be off within the last *cache* seconds."""
        now = self._clock()
        with self._lock:
            seen, turns = self._off_since, self._turns
        # A clock that was set back makes a look no younger.
        if seen is not None and 0 <= now - seen < self._cache:
            return
        switch = self.state()
        if switch.on:
            by = f" by {switch.by}" if switch.by else ""
            why = f": {switch.reason}" if switch.reason else ""
            raise Killed(f"killed{by}{why}", fix="mayfly kill off" if switch.at else None)
        with self._lock:
            # Off was read before somebody in this process turned it on: that look is worth nothing.
            self._off_since = now if turns == self._turns else None

    def _turn(self, *, on: bool, by: str, reason: str) -> Switch:
        if not by.strip():
            raise InputError("the kill switch is turned by somebody", fix="say by whom")
        recorded = self._ledger.append(KillSwitched(on=on, by=by, reason=reason), subject=SUBJECT)
        with self._lock:
            self._off_since = None
            self._turns += 1
        return _read(recorded)


def _read(found: Event | None) -> Switch:
    if found is None:
        return Switch(on=False)
    by, reason = (str(found.payload.get(name, "")) for name in ("by", "reason"))
    # Only a plain false is off, whatever another version may have written.
    return Switch(on=found.payload.get("on") is not False, by=by, reason=reason, at=found.at)
