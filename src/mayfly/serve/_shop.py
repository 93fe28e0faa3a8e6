"""Serve a shop: paid routes for anybody who pays, with no other door."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from mayfly.serve._socket import address_of, listen, uvicorn_server

if TYPE_CHECKING:
    from mayfly.market.seller import Seller

# Seconds that requests have to end in once the server has to; a sale that is cut off is taken up by the next start.
_GRACE = 5


def serve_shop(
    app: object, seller: Seller, *, host: str, port: int, every: float, ready: Callable[[str], None]
) -> None:
    """Serve until somebody ends the process; what was left open is looked at first, and again *every* so many seconds.

    *ready* is told the address as soon as it can be used.
    """
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            seller.recover()
            ended.wait(every)

    with listen(host, port) as bound:
        server = uvicorn_server(app, _GRACE)
        looking = threading.Thread(target=look, name="market-recover", daemon=True)
        looking.start()
        ready(address_of(bound))
        try:
            server.run(sockets=[bound])
        finally:
            ended.set()
            looking.join(_GRACE)
