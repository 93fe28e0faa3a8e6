"""Buy in processes that are killed at one step each: the n-th of them dies before the n-th step it takes.

Started by a test with JSON on stdin; prints one line for each purchase: "killed" or how it ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from mayfly.core import Settings
from mayfly.market import Buyer, ChainReader, KeySigner, PurchaseFacts, _buyer, _open_payments, decider
from mayfly.store import Ledger
from mayfly.testing.chain import account


class Steps:
    """Count steps, and die at one."""

    def __init__(self, at: int) -> None:
        self.left = at

    def watch(self, place: Any, name: str) -> None:
        inner = getattr(place, name)

        def stepped(*given: Any, **named: Any) -> Any:
            self.step()
            found = inner(*given, **named)
            self.step()
            return found

        setattr(place, name, stepped)

    def step(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


def main() -> None:
    told = json.load(sys.stdin)
    settings = Settings.load(environ=told["settings"], directory=Path("/nonexistent"))
    market = settings.market
    reader = ChainReader(market.rpc_url, confirmations=market.confirmations, timeout=market.rpc_timeout)
    signer = KeySigner(account(told["account"]), longest=market.longest_validity)
    with Ledger.open(settings) as ledger:
        decide = decider(settings, ledger)
        # The rules are compiled once, before the first fork, and not in each of the processes.
        decide(PurchaseFacts(url=told["url"], payee="", asset="", network="", units=1, decimals=6))
        buyer = Buyer(ledger, signer, settings, decide, reader)
        for number in range(told["most"]):
            child = os.fork()
            if child == 0:
                _purchase(buyer, signer, told["url"], number)
            _, ended = os.waitpid(child, 0)
            if os.WIFSIGNALED(ended):
                print("killed", flush=True)


def _purchase(buyer: Buyer, signer: KeySigner, url: str, number: int) -> NoReturn:
    steps = Steps(number)
    for place, name in (
        (_buyer, "send"),
        (_open_payments, "send"),
        (signer, "sign_authorization"),
        (buyer._payments, "reserve"),
        (buyer._payments, "move"),
    ):
        steps.watch(place, name)
    try:
        print(buyer.buy(f"k{number}", url, "0.01").status, flush=True)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
