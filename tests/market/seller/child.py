"""A seller in a process of its own that is killed at a named instant. It is told everything in one line of JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import Settings, StoreSettings
from mayfly.market import ChainReader
from mayfly.market._requirements import PaymentOffer
from mayfly.market.facilitator import FacilitatorClient, Settlement
from mayfly.market.seller import Seller, SellerLimits
from mayfly.market.seller._payment import parse_payment
from mayfly.store import ClaimedSale, Ledger, Payload, SaleList, SaleRow


@dataclass(frozen=True, kw_only=True)
class Done:
    """What a handler gives."""

    ok: bool
    value: object = None
    error: str = ""


# Each instant between two steps of a sale, in their order.
INSTANTS = (
    "before sale.claimed",
    "after sale.claimed",
    "after handler",
    "before sale.answered",
    "after sale.answered",
    "after sale.settling",
    "before settlement",
    "after settlement",
    "before sale.settled",
    "after sale.settled",
)


def die(instant: str) -> None:
    if instant == told["instant"]:
        os.kill(os.getpid(), signal.SIGKILL)


class Dying(SaleList):
    def claim_sale(self, payload: Payload, id: str) -> ClaimedSale:
        die("before sale.claimed")
        made = super().claim_sale(payload, id)
        die("after sale.claimed")
        return made

    def move(self, id: str, payload: Payload) -> SaleRow:
        kind = type(payload).__name__.replace("Sale", "sale.").lower()
        die(f"before {kind}")
        row = super().move(id, payload)
        die(f"after {kind}")
        return row


class Settling(FacilitatorClient):
    def settle(self, payload: Mapping[str, Any], requirement: Mapping[str, Any]) -> Settlement:
        die("before settlement")
        said = super().settle(payload, requirement)
        die("after settlement")
        return said


def handler(tool: str, version: int, arguments: Mapping[str, Any], key: str) -> Done:
    with open(told["runs"], "a") as runs:
        runs.write(f"{key}\n")
    die("after handler")
    return Done(ok=True, value=2 * arguments["number"])


if __name__ == "__main__":
    told: dict[str, Any] = json.loads(sys.argv[1])
    store = StoreSettings(database_url=told["database"])
    with Ledger.open(Settings(state_dir=told["state"], store=store)) as ledger:
        reader = ChainReader(told["rpc"], confirmations=0)
        limits = SellerLimits(lease=60, patience=5, settle=0, poll=0.01)
        seller = Seller(ledger, handler, Settling(told["facilitator"]), reader, limits=limits)
        seller._sales = Dying(ledger)
        reply = seller.sell(PaymentOffer(**told["offer"]), told["url"], {"number": 21}, parse_payment(told["payment"]))
        print(reply.status, reply.body.decode())
