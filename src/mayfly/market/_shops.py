"""What is sold in shops, as capabilities: found by name, bought for what the list says."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mayfly.core import InputError, MayflyError, one_line, parse_json, units_text, with_checksums
from mayfly.market._discover import as_capability, discover, shop_urls
from mayfly.sandbox import PurchaseRequest

if TYPE_CHECKING:
    from mayfly.core import Capability
    from mayfly.library import Workshop
    from mayfly.market._discover import PricedResource

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

    def __init__(self, parts: Workshop) -> None:
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
        price, resource = min(offers, key=lambda offer: offer[0])
        return as_capability(resource, lambda one, arguments, key: self._buy(one, arguments, key, price))

    def _offers(self) -> tuple[PricedResource, ...]:
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
