"""What serves the steps of trees: capabilities, the library, what is sold in shops, and sessions."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import (
    Capability,
    InputError,
    MayflyError,
    one_line,
    parse_json,
    units_text,
    with_checksums,
)
from mayfly.library import LibrarySupply, LookUp, Registry
from mayfly.persona import Desk
from mayfly.runtime._tree import Trees
from mayfly.session import Stager, open_approvals
from mayfly.world import StepChanges, builtins

if TYPE_CHECKING:
    from mayfly.forge import Observer
    from mayfly.library import Tools
    from mayfly.market import PricedResource
    from mayfly.runtime._parts import Parts
    from mayfly.runtime._work import OpenSession
    from mayfly.session import Approvals


def library_of(parts: Parts, tools: Tools) -> LookUp:
    """Return where names are looked up that this program has not: in the library, then in the shops."""
    shops = Shops(parts)
    return lambda name, version: tools.capability(name, version) or shops.capability(name, version)


def step_changes(parts: Parts) -> StepChanges:
    """Return what keeps the changes of steps: judged by the rules of their workspace, in the journal of sessions."""
    settings, ledger = parts.settings, parts.ledger
    return StepChanges(
        settings=settings,
        state=settings.state.absolute() / "workbench",
        ledger=ledger,
        kernel=lambda workspace, run: Desk(settings, ledger=ledger, workspace=workspace).kernel(session=run),
        inbox=lambda: _inbox(parts),
    )


def _inbox(parts: Parts) -> Approvals:
    settings, ledger = parts.settings, parts.ledger
    return open_approvals(settings, Desk(settings, ledger=ledger), ledger)


def trees_for(
    parts: Parts,
    tools: Tools,
    given: Sequence[Capability],
    *,
    workspace: Path,
    tell: Observer,
    model: str | None,
    open_session: OpenSession,
    intent: str = "",
) -> Trees:
    """Return what serves trees with the parts of a runtime; of the library those tools that *intent* may mean."""
    settings = parts.settings
    own = (*Stager(settings, parts.ledger).watching(builtins(settings, step_changes(parts))), *given)
    taken = {one.name for one in own}
    # The others of the library are found by their names.
    found = tools.capabilities_for(intent) if intent else ()
    listed = (*own, *(one for one in found if one.name not in taken))
    registry = Registry(listed, library=library_of(parts, tools), search=tools.capabilities_for)
    if model:
        # Imported where it is used: agents that work with tools load what sessions are made of.
        from mayfly.runtime._work import work_capability

        registry.add(work_capability(settings, model, open_session))
    return Trees(parts=parts, tell=tell, workspace=workspace, registry=registry, supply=LibrarySupply(tools))


# A list is read again after so many seconds: a price is looked at once more before anything is paid anyway.
_FRESH: Final = 60.0
# Seconds for a list: a plan waits for it, and a shop that is slower is no help to it.
_PATIENCE: Final = 10.0
_LOG: Final = logging.getLogger("mayfly.market")


class NotBought(MayflyError):
    """Something was to be bought and there is no answer; says whether money may have gone."""

    code = "NOT_BOUGHT"


class Shops:
    """Look into the shops and buy there; safe to share between threads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._listed: tuple[PricedResource, ...] = ()
        self._read = float("-inf")

    def capability(self, name: str, version: int = 0) -> Capability | None:
        """Return the cheapest offer of that name as a capability; None where no shop has it for what we pay with."""
        market = self._parts.settings.market
        if version > 1 or not (market.shops or market.hosts):
            return None
        offers = [(price, one) for one in self._offers() if one.name == name and (price := self._price(one))]
        if not offers:
            return None
        from mayfly.market import as_capability

        price, resource = min(offers, key=lambda offer: offer[0])
        return as_capability(resource, lambda one, arguments, key: self._buy(one, arguments, key, price))

    def _offers(self) -> tuple[PricedResource, ...]:
        from mayfly.market import discover, shop_urls

        with self._lock:
            if time.monotonic() - self._read < _FRESH:
                return self._listed
            found: list[PricedResource] = []
            for url in shop_urls(self._parts.settings):
                try:
                    found += discover(url, seconds=_PATIENCE).resources
                except MayflyError as error:
                    _LOG.warning("%s is passed over: %s", one_line(url, limit=200), error.message)
            self._listed, self._read = tuple(found), time.monotonic()
            return self._listed

    def _price(self, resource: PricedResource) -> int:
        """Return what it costs in units of the token that is paid with here; 0 where it is not sold for that."""
        market = self._parts.settings.market
        ours = (market.network, with_checksums(market.asset))
        return min((one.units for one in resource.terms if (one.network, one.asset) == ours), default=0)

    def _buy(self, resource: PricedResource, arguments: Mapping[str, Any], key: str, price: int) -> object:
        """Buy for what the list says, and not for more."""
        from mayfly.sandbox import PurchaseRequest

        name, settings = resource.name, self._parts.settings
        url, body = resource.request(arguments)
        run = key.partition("/")[0]
        reply = self._parts.purchase(
            PurchaseRequest(
                op="buy",
                call_id=key,
                url=url,
                max_price=units_text(price, settings.market.asset_decimals),
                method=resource.method,
                body=body,
                agent=run,
                run=key,
                tool=name,
            )
        )
        if reply.status not in ("delivered", "free") or reply.answer is None:
            paid = reply.status in ("unknown", "settled", "disputed")
            said = f"{name} may be paid for and is not delivered" if paid else f"{name} is not bought"
            # What waits for a person is in the inbox; whatever it is, the same run goes on with the same payment.
            fix = f"mayfly inbox; then: mayfly resume {run}" if reply.more.get("decision") else f"mayfly resume {run}"
            raise NotBought(f"{said}: {reply.reason or reply.status}", fix=fix)
        try:
            return parse_json(reply.answer.body, f"the answer of {name}")
        except InputError:
            return reply.answer.body.decode("utf-8", "replace")
