"""Send one request to a seller: no redirect is followed, no proxy used, time and size bounded.

A host of a private network, or this machine, is reached only where it is named; a public name that leads there is not.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from mayfly.core import InputError, MayflyError, NotSent, one_line
from mayfly.market._purchase import PaidRequest, SellerAnswer
from mayfly.world import address_of, exchange

if TYPE_CHECKING:
    from mayfly.core import MarketSettings


class SellerError(MayflyError):
    """No answer of the seller could be had; *left* says whether anything may have reached it."""

    code = "SELLER"

    def __init__(self, message: str, *, left: bool) -> None:
        super().__init__(message)
        self.left = left


def send(request: PaidRequest, settings: MarketSettings, *, payment: tuple[str, str] | None = None) -> SellerAnswer:
    """Send a request, with a header that pays or without, and return the whole answer."""
    headers = {"User-Agent": "mayfly", "Accept-Encoding": "identity", "Connection": "close", **dict(request.headers)}
    if payment is not None:
        headers[payment[0]] = payment[1]
    if request.body and "content-type" not in headers:
        headers["content-type"] = "application/json"
    # A method with a body says so even where it is empty; servers answer 411 otherwise.
    body = None if request.method == "GET" and not request.body else request.body
    try:
        answer = exchange(
            address_of(request.url),
            request.method,
            headers,
            body,
            seconds=settings.timeout,
            largest=settings.answer_size,
        )
    except (NotSent, ConnectionRefusedError, socket.gaierror, InputError) as error:
        raise SellerError(f"the seller cannot be reached: {_said(error)}", left=False) from None
    except OSError as error:
        raise SellerError(f"the seller gave no answer: {_said(error)}", left=True) from None
    if not answer.whole:
        raise SellerError(f"the seller's answer has more than {settings.answer_size} bytes", left=True)
    return SellerAnswer(answer.status, answer.headers, answer.body)


def _said(error: Exception) -> str:
    return one_line(str(error), limit=200)
