"""What a case is, and who takes part in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from market.matrix.parties import PRICE, Gate, Node, Settler
from market.matrix.stranger import Stranger
from market.matrix.zygote import Zygote
from mayfly.testing.chain import Authorization, LocalChain, account

PAYER, PAYEE, FRIEND, POOR, RELAY, SPARE = 901, 902, 903, 904, 905, 906
FUNDS = 1_000_000
# How things end, by state; and settings of a side.
DELIVERED, RELEASED, SETTLED = {"delivered": 1}, {"released": 1}, {"settled": 1}
CHEAP = {"tries": 1}
# Many at once on one small chain, which does one thing at a time.
PATIENT = {"timeout": 20.0, "rpc_timeout": 20.0}


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is played, and what has to be seen; alternatives are separated by `|`."""

    name: str
    about: str
    play: tuple[str, ...]
    see: tuple[str, ...]
    charged: int | tuple[int, ...]
    runs: int | tuple[int, ...] | None = None
    payments: Mapping[str, int] | None = None
    sales: Mapping[str, int] | None = None
    signed: int | None = None
    """How many paid requests left the buyer, where it matters."""
    buyer: Mapping[str, Any] = field(default_factory=dict)
    seller: Mapping[str, Any] = field(default_factory=dict)
    funds: int = FUNDS
    shop: str = "ours"
    terms: Mapping[str, Any] = field(default_factory=dict)
    lost: bool = False
    """Whether what was paid for may stay undelivered by our shop: somebody else got it in the buyer's name."""


class Bench:
    """What all cases of a process share: the chain, the parties, and who forks actors."""

    def __init__(self, chain: LocalChain, rules: Path, server: str = "") -> None:
        """With a *server* of PostgreSQL every ledger is a schema there, not a file."""
        self.chain, self.rules, self.server = chain, rules, server
        self.zygote = Zygote()
        self.act: Callable[[str], object] = lambda _: None
        self.nodes = {
            "buyer": Node(chain, lambda: self.act("kill buyer")),
            "seller": Node(chain, lambda: self.act("kill seller")),
        }
        self.settler = Settler(chain, lambda what: self.act(what))
        self.gate = Gate(chain, lambda what: self.act(what))
        self.stranger = Stranger(chain, account(PAYEE).address)
        self.other = self._fund()

    def _fund(self) -> str:
        """Give everybody money, and return a transfer that no case made: for sellers and facilitators that lie."""
        for who, units in ((PAYER, FUNDS), (FRIEND, FUNDS), (RELAY, 0)):
            self.chain.fund(account(who).address, units=units)
        key, now = account(FRIEND), self.chain.now
        it = Authorization(key.address, account(PAYEE).address, PRICE, 0, now + 10_000, b"\7" * 32)
        signature = self.chain.sign(it, key)
        names = ("from", "to", "value", "validAfter", "validBefore")
        inner = {**dict(zip(names, it, strict=False)), "nonce": "0x" + it.nonce.hex()}
        return self.settler.till.take({"payload": {"authorization": inner, "signature": "0x" + signature.hex()}})

    def close(self) -> None:
        """End all of it."""
        self.zygote.close()
        for node in self.nodes.values():
            node.server.__exit__(None, None, None)
        for door in (self.settler.door, self.gate.door, self.gate.other, self.stranger.door):
            door.close()
