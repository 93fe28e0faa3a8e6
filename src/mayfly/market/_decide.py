"""Ask the rules about a purchase: what they are told of it, and who is asked."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, address_key
from mayfly.market._purchase import listed
from mayfly.market._terms import chain_id_of, price_units, read_address
from mayfly.world import address_of

if TYPE_CHECKING:
    from mayfly.core import Settings
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
