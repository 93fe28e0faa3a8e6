"""What a session and a day have spent: read from the ledger, and added to in one piece with the permit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import content_hash
from mayfly.mangle import Name
from mayfly.policy.kernel._events import PolicyDecided, PolicySpent
from mayfly.policy.kernel.facts import symbol
from mayfly.store import Event

if TYPE_CHECKING:
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import Ledger

KIND: Final = "policy.spent"
CLASS: Final = "/spend"
_NANOSECONDS: Final = 1_000_000_000


class Caps(NamedTuple):
    """How many cents may be spent in all without asking."""

    session: int
    day: int


class Spending:
    """Add up one session and one day (UTC); the sums stay right whoever else spends at the same moment."""

    def __init__(self, ledger: Ledger, caps: Caps, session: str | None, *, now: int) -> None:
        self._ledger = ledger
        self._caps = {"/session": caps.session, "/day": caps.day}
        day = datetime.fromtimestamp(now // _NANOSECONDS, UTC).date().isoformat()
        self._subjects = {"/day": f"spend:day:{day}"}
        if session is not None:
            # Hashed, since it may be of any length and hold anything.
            self._subjects["/session"] = f"spend:session:{content_hash(session)[:32]}"

    def totals(self) -> dict[str, int]:
        """Return what was spent so far in each scope."""
        return self._totals(self._ledger.find_many(KIND, list(self._subjects.values())))

    def facts(self, totals: Mapping[str, int]) -> list[Fact]:
        """Return the totals and the caps as the rules see them."""
        spent = [(symbol("spent"), (Name(scope), total)) for scope, total in totals.items()]
        return [*spent, *((symbol("spend_cap"), (Name(scope), self._caps[scope])) for scope in totals)]

    def reserve(self, totals: Mapping[str, int], cents: int, decided: PolicyDecided, *, id: str) -> bool:
        """Record the permit and what it spends, unless somebody else has spent since the *totals* were read."""

        def make(found: Mapping[str, Event]) -> Sequence[Event]:
            if self._totals(found) != totals:
                return ()
            spent = (
                Event.of(PolicySpent(decision=id, cents=cents, total=totals[scope] + cents), subject=subject)
                for scope, subject in self._subjects.items()
            )
            return (*spent, Event.of(decided, subject=id))

        return bool(self._ledger.append_after(KIND, list(self._subjects.values()), make))

    def _totals(self, found: Mapping[str, Event]) -> dict[str, int]:
        # A row that cannot be read raises, which denies: what nobody can add up is not nothing.
        return {
            scope: int(str(found[subject].payload["total"])) if subject in found else 0
            for scope, subject in self._subjects.items()
        }
