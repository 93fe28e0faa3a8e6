"""Make the same purchase from many processes at once; started by a test with JSON on stdin, prints how each ended."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from mayfly.core import Settings
from mayfly.market import Buyer, ChainReader, KeySigner, PurchaseFacts, decider
from mayfly.store import Ledger
from mayfly.testing.chain import account


def main() -> None:
    told = json.load(sys.stdin)
    settings = Settings.load(environ=told["settings"], directory=Path("/nonexistent"))
    signer = KeySigner(account(told["account"]), longest=settings.market.longest_validity)
    with Ledger.open(settings) as ledger:
        # The rules are compiled once, before the first fork, and not in each of the processes.
        facts = PurchaseFacts(url=told["url"], payee="", asset="", network="", units=1, decimals=6)
        decider(settings, ledger)(facts)
    begin, began = os.pipe()
    children = []
    for _ in range(told["processes"]):
        child = os.fork()
        if child == 0:
            os.close(began)
            # Nobody begins before all are there: the pipe ends then.
            os.read(begin, 1)
            _purchase(settings, signer, told["url"])
        children.append(child)
    os.close(began)
    for child in children:
        os.waitpid(child, 0)


def _purchase(settings: Settings, signer: KeySigner, url: str) -> None:
    market = settings.market
    status = "failed"
    try:
        with Ledger.open(settings) as ledger:
            reader = ChainReader(market.rpc_url, confirmations=0, timeout=market.rpc_timeout)
            status = Buyer(ledger, signer, settings, decider(settings, ledger), reader).buy("c1", url, "0.01").status
    finally:
        os.write(1, f"{status}\n".encode())
        os._exit(0)


if __name__ == "__main__":
    main()
