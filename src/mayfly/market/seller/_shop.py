"""The HTTP side of a seller: paid routes, and the lists by which they are discovered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from mayfly.core import InputError, parse_json
from mayfly.market._asgi import HttpAsked, ShopApp, ShopReply, json_reply, small_app
from mayfly.market._requirements import RESOURCES, WELL_KNOWN
from mayfly.market.seller._payment import payment_required, read_payment, refused

if TYPE_CHECKING:
    from mayfly.market._requirements import PaymentOffer
    from mayfly.market.seller._seller import Seller

_HOST: Final = re.compile(r"[A-Za-z0-9._\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")
# Entries of one page of the list.
_PAGE: Final = 100


def shop_app(
    seller: Seller, offers: Sequence[PaymentOffer], *, base: str = "", most: int = 1024 * 1024, calls: int = 32
) -> ShopApp:
    """Return the application that sells *offers*.

    *base* is the address under which buyers know the shop; without one it is the host they ask for, over plain http.
    A body has at most *most* bytes, and *calls* are answered at once.
    """
    shelf = {offer.path: offer for offer in offers}

    def answer(request: HttpAsked) -> ShopReply:
        host = request.headers.get("host", "")
        if not base and not _HOST.fullmatch(host):
            return json_reply(400, {"error": "the request names no host"})
        here = base.rstrip("/") or f"http://{host}"
        if request.path == WELL_KNOWN and request.method == "GET":
            listed = [offer.listed(here + offer.path) for offer in shelf.values()]
            return json_reply(200, {"version": 1, "x402Version": 2, "resources": listed})
        if request.path == RESOURCES and request.method == "GET":
            return _listed(list(shelf.values()), here, request.query)
        offer = shelf.get(request.path)
        if offer is None:
            return json_reply(404, {"error": f"nothing is sold here; see {WELL_KNOWN}"})
        return _asked(seller, offer, here + offer.path, request)

    return small_app(answer, most=most, calls=calls)


def _asked(seller: Seller, offer: PaymentOffer, url: str, request: HttpAsked) -> ShopReply:
    if request.method not in ("GET", "HEAD", "POST"):
        return json_reply(405, {"error": "POST the arguments as JSON"}, {"allow": "GET, POST"})
    try:
        payment = read_payment(request.headers)
    except InputError as error:
        return payment_required(offer, url, error.message)
    # Who only looks is told the price; so is who sends no payment, whatever else is in the request.
    if payment is None:
        return seller.sell(offer, url, {}, None)
    if request.method != "POST":
        return json_reply(405, {"error": "POST the arguments as JSON; nothing was charged"}, {"allow": "POST"})
    try:
        arguments = parse_json(request.body or b"{}", "the request")
    except InputError as error:
        return refused(f"{error.message}; nothing was charged")
    return seller.sell(offer, url, arguments, payment)


def _listed(offers: Sequence[PaymentOffer], here: str, query: str) -> ShopReply:
    """Return a page of the list as the bazaar has it."""
    asked = parse_qs(query)
    limit, offset = (_number(asked, name, other) for name, other in (("limit", _PAGE), ("offset", 0)))
    limit = min(limit, _PAGE)
    items = [offer.listed(here + offer.path) for offer in offers[offset : offset + limit]]
    about = {"limit": limit, "offset": offset, "total": len(offers)}
    return json_reply(200, {"x402Version": 2, "items": items, "pagination": about})


def _number(asked: Mapping[str, list[Any]], name: str, other: int) -> int:
    text = asked.get(name, [""])[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else other
