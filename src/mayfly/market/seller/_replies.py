"""What a seller answers besides the answer itself; each says in one line whether anything was charged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mayfly.market._asgi import Reply, json_reply
from mayfly.market._requirements import Offer, encode_header
from mayfly.market._terms import REQUIRED_HEADER, RESPONSE_HEADERS

if TYPE_CHECKING:
    from mayfly.store import SaleRow

# Common servers and proxies take eight kilobytes of headers; schemas that do not fit stand in the list of resources.
_LARGEST_HEADER: Final = 6000
# Seconds after which asking again may help: a block or two.
_AGAIN: Final = "2"


def payment_required(offer: Offer, url: str, error: str) -> Reply:
    """Say what is to be paid: to v2 in a header, to v1 in the body."""
    required = offer.required(url, error)
    header = encode_header(required)
    if len(header) > _LARGEST_HEADER:
        header = encode_header({name: value for name, value in required.items() if name != "extensions"})
    return json_reply(402, offer.required_v1(url, error), {REQUIRED_HEADER: header, "cache-control": "no-store"})


def refused(reason: str) -> Reply:
    """Say that the request itself is wrong."""
    return json_reply(400, {"error": reason})


def conflict() -> Reply:
    """Say that the payment was given for another request."""
    reason = "this payment was sent with another request; pay for this one with an authorization of its own"
    return json_reply(409, {"error": reason})


def busy(reason: str) -> Reply:
    """Say that the same payment may be sent again, and that this is safe."""
    return json_reply(503, {"error": reason}, {"retry-after": _AGAIN})


def failed(row: SaleRow) -> Reply:
    """Say that there is no answer and that nothing was charged."""
    return json_reply(500, {"error": row.reason, "charged": False})


def unsettled(row: SaleRow, reason: str) -> Reply:
    """Say that the payment did not arrive, so that nothing is handed out."""
    receipt = {"success": False, "errorReason": reason, "transaction": "", "network": row.network, "payer": row.payer}
    headers = dict.fromkeys(RESPONSE_HEADERS.values(), encode_header(receipt))
    return json_reply(402, {"error": reason, "charged": False}, headers)
