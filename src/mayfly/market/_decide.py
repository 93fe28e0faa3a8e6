"""Ask the rules about a purchase: what they are told of it, who is asked, and the caps on what is paid in all."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, address_key
from mayfly.market._purchase import listed
from mayfly.market._terms import chain_id_of, price_units, read_address
from mayfly.store import Cap
from mayfly.world import address_of

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.market._purchase import BoughtFor
    from mayfly.market._terms import PaymentTerms
    from mayfly.policy import Fact, Permit
    from mayfly.store import Ledger

# Rules count tokens in millionths of a coin, whatever decimals one has.
_MICRO_DECIMALS: Final = 6
_MICROS: Final = 1_000_000
_NOTHING: Final = re.compile(r"0(\.0+)?")


@dataclass(frozen=True, kw_only=True)
class PurchaseFacts:
    """What the rules are told of a purchase before anything is signed."""

    url: str
    payee: str
    asset: str
    network: str
    units: int
    decimals: int
    method: str = "POST"
    agent: str = ""
    call: str = ""
    request: str = ""
    """The hash of what is asked for: a person approves this request under this call id, and no other."""
    over: tuple[str, ...] = ()
    """Where it would go over what may be spent without asking: /session, /day."""

    @property
    def micros(self) -> int:
        """The price in millionths of a coin, rounded up: nobody spends a part of one unseen."""
        return -(-self.units * _MICROS // int(10**self.decimals))

    def payload(self) -> dict[str, str | int]:
        """Return what is decided on: the same for the same purchase, so that an approval of it holds, and holds once.

        Rules and approvals compare text, so addresses are as they are compared, and not as they are shown.

        A call id is paid once, so an approval that names it is for one payment however long it stands.
        """
        return {
            "call_id": self.call,
            "item": self.request,
            "atomic": self.micros,
            "payee": address_key(self.payee),
            "asset": address_key(self.asset),
            "network": self.network,
            "method": self.method,
        }


def units_cap(dollars: str, decimals: int) -> int:
    """Return a cap in units; zero means zero."""
    return 0 if _NOTHING.fullmatch(dollars) else price_units(dollars, decimals)


def standing_facts(settings: Settings) -> list[Fact]:
    """Return what the operator says of sellers, money and caps, as the rules see it."""
    from mayfly.mangle import Symbol

    market, policy = settings.market, settings.policy
    sellers = listed(market.hosts)
    cap = units_cap(market.per_call, _MICRO_DECIMALS)
    facts: list[Fact] = [(Symbol("spend_limit", 1), (policy.spend_limit,)), (Symbol("purchase_cap", 1), (cap,))]
    facts.append((Symbol("paid_with", 2), (market.network.lower(), _key_of(market.asset, "market.asset"))))
    facts += [(Symbol("seller_host", 1), (host,)) for host in sellers]
    # Who may be paid at a host may be reached there.
    reached = dict.fromkeys([*sellers, *listed(policy.hosts)])
    facts += [(Symbol("allowed_host", 1), (host,)) for host in reached]
    payees = [_key_of(one, "market.payees") for one in listed(market.payees)]
    return [*facts, *((Symbol("seller_payee", 1), (one,)) for one in payees)]


def decider(settings: Settings, ledger: Ledger) -> Callable[[PurchaseFacts], Permit]:
    """Return who decides about purchases: the shipped rules with the operator's own, and what a person approved.

    What a session and a day may spend is not counted there in cents, but in units where the money is set aside.
    """
    from mayfly.mangle import Limits, Name, Symbol
    from mayfly.policy import Appeals, Kernel, Rulebook
    from mayfly.store import Seal

    policy = settings.policy
    own = [Path(part).expanduser() for part in policy.rules.split(os.pathsep) if part]
    facts, state = standing_facts(settings), settings.state.absolute()
    rulebook = Rulebook(extra=(*own, state / "rules"))
    key = Seal.open(state, name="policy")

    def decide(asked: PurchaseFacts) -> Permit:
        kernel = Kernel(
            rulebook.snapshot,
            # The same wherever it is asked from: an approval is for a workspace.
            workspace=state,
            ledger=ledger,
            session=[*facts, *((Symbol("purchase_over", 1), (Name(scope),)) for scope in asked.over)],
            appeals=Appeals(ledger, key, clock=time.time_ns, longest=policy.longest_approval),
            limits=Limits(facts=policy.facts, seconds=policy.seconds),
        )
        return kernel.permitted("/buy", asked.url, asked.payload())

    return decide


def check_settings(settings: Settings) -> None:
    """Refuse settings with which nothing could be bought, before a password is asked for."""
    market = settings.market
    for name in ("rpc_url", "network", "asset"):
        if not getattr(market, name):
            raise InputError(f"market.{name} is not set", fix=f"set MAYFLY_MARKET_{name.upper()}")
    with _named("rpc_url"):
        address_of(market.rpc_url)
    with _named("network"):
        chain_id_of(market.network)
    for name in ("per_call", "per_hour", "per_agent"):
        with _named(name):
            units_cap(getattr(market, name), market.asset_decimals)
    standing_facts(settings)


def _key_of(address: str, what: str) -> str:
    """Return an address of the settings as rules compare it."""
    return address_key(read_address(address, what))


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Say which setting it is that cannot be read."""
    try:
        yield
    except InputError as error:
        fix = error.fix or f"set MAYFLY_MARKET_{name.upper()}"
        raise InputError(f"market.{name}: {error.message}", fix=fix) from None


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

    def of(self, terms: PaymentTerms, who: BoughtFor, now: float) -> tuple[list[Cap], list[Cap]]:
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
