"""How much may be paid in all: by everybody in an hour, by one agent ever, by a session or a day without asking."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from mayfly.market._decide import units_cap
from mayfly.store import Cap

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.market._purchase import BoughtFor
    from mayfly.market._terms import Terms

SCOPES: Final = {"policy.spend_session": "/session", "policy.spend_day": "/day"}
"""Caps over which a person is asked, and what the rules call them; over all others nothing is paid."""
_HOUR: Final = 3600


class SpendingCaps:
    """The caps of the settings; each is counted in one transaction with what is set aside, so that it holds exactly."""

    def __init__(self, settings: Settings) -> None:
        market, policy = settings.market, settings.policy
        decimals = market.asset_decimals
        self._hour = units_cap(market.per_hour, decimals)
        self._agent = units_cap(market.per_agent, decimals)
        self._session, self._day = (cents * 10**decimals // 100 for cents in (policy.spend_session, policy.spend_day))

    def of(self, terms: Terms, who: BoughtFor, now: float) -> tuple[list[Cap], list[Cap]]:
        """Return the caps on a purchase: those that hold whatever anybody says, and those over which one is asked.

        The latter only where the operator says a number: without one they would be those of spendings that no market
        holds. A session is a run with all its leaves, which is an agent by itself.
        """
        where: dict[str, Any] = {"network": terms.network, "asset": terms.asset}
        caps = [Cap(name="market.per_hour", units=self._hour, since=_text(now - _HOUR), **where)]
        if who.agent:
            caps.append(Cap(name="market.per_agent", units=self._agent, agent=who.agent, **where))
        asked = []
        if self._session and who.run and who.agent == who.run.partition("/")[0]:
            asked.append(Cap(name="policy.spend_session", units=self._session, agent=who.agent, **where))
        if self._day:
            midnight = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            asked.append(Cap(name="policy.spend_day", units=self._day, since=_text(midnight.timestamp()), **where))
        return caps, asked


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
