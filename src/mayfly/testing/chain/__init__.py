"""A chain on this machine with a dollar to pay with: an EVM in this process, JSON-RPC on loopback (extra `chain`)."""

from mayfly.testing.chain._chain import DOLLAR, Authorization, LocalChain, account, local_chain
from mayfly.testing.chain._rpc import RpcFault, RpcServer

__all__ = ["DOLLAR", "Authorization", "LocalChain", "RpcFault", "RpcServer", "account", "local_chain"]
