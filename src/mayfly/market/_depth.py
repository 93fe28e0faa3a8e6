"""Load the libraries of Ethereum without what they do to the whole process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def depth_kept() -> Iterator[None]:
    """Let the limit of recursion be afterwards as it was: eth_account brings py_ecc, which lifts it to 100,000.

    With that, JSON of a stranger that is nested deep enough ends the process by a fault of memory, where it has to be
    an error. Whoever imports eth_account, web3, x402 or py-evm does so inside of this.
    """
    limit = sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
