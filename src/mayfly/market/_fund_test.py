"""Give a wallet money to try things with, on a chain of this machine and on no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, MachineError
from mayfly.market._chain_reader import ChainReader
from mayfly.market._terms import chain_id_of, read_address

if TYPE_CHECKING:
    from mayfly.core import Settings

# mint(address,uint256), which a token for tests has and whoever deployed it may call.
MINT: Final = "0x40c10f19"
# Enough gas for a mint; what it does not use is given back.
_GAS: Final = hex(200_000)


def fund_test(settings: Settings, address: str, units: int) -> int:
    """Have the chain's first account mint *units* for *address*; return what it has then."""
    market = settings.market
    reader = ChainReader(market.rpc_url, confirmations=0, timeout=market.rpc_timeout)
    if reader.node.address.kind != "loopback":
        raise InputError(
            f"{reader.node.address.host} is not this machine, and money on a real chain is not made up",
            fix="send the wallet what it needs from a wallet of yours",
        )
    if reader.chain_id() != chain_id_of(market.network):
        raise InputError(f"the node of market.rpc_url is not of {market.network}")
    asset = read_address(market.asset, "market.asset")
    accounts = reader.node.ask("eth_accounts")
    # A node that holds keys of its own, as one for tests does, is asked to use the first of them.
    if not isinstance(accounts, list) or not accounts:
        raise MachineError("the node has no account of its own, so it is no chain for tests")
    data = MINT + address.lower().removeprefix("0x").zfill(64) + f"{units:064x}"
    reader.node.ask("eth_sendTransaction", {"from": accounts[0], "to": asset, "data": data, "gas": _GAS})
    return reader.balance(asset, address)
