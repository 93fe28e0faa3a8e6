"""`LocalChain`: an Ethereum chain in this process, with accounts that can pay for gas and a token with EIP-3009.

Every transaction is mined at once into a block of its own. Nothing of it is secret: its keys are made of numbers, and
it is gone with the process.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly.core import MachineError
from mayfly.market import AUTHORIZATION, depth_kept
from mayfly.testing.chain._rpc import RpcServer

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount
    from web3 import Web3
    from web3.contract import Contract

HERE = Path(__file__).parent
# What one dollar is in the token's smallest unit: it has six decimals, as the dollars of x402 have.
DOLLAR = 1_000_000
# Gas for anything that is done here; a block takes thirty million.
_GAS = 1_000_000
# Ether that an account gets to pay for gas, in wei: more than any test spends.
_FUEL = 10**20
# Seconds after which the newest block is old; a tenth of what a payment may lie back.
_STALE = 60


_TRANSFER = "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"


class Authorization(NamedTuple):
    """What a payer signs, in the order in which the contract takes it."""

    payer: str
    payee: str
    units: int
    valid_after: int
    valid_before: int
    nonce: bytes


def account(number: int) -> LocalAccount:
    """Return the account with a number: the same key each time, known to everybody."""
    with depth_kept():
        from eth_account import Account

    return Account.from_key(sha256(f"mayfly test account {number}".encode()).digest())


class LocalChain:
    """A chain with one token; safe to share between threads."""

    def __init__(self) -> None:
        try:
            with depth_kept():
                import py_ecc  # noqa: F401 -- otherwise it is loaded, and the limit lifted, at some later instant
                from eth_tester import EthereumTester, PyEVMBackend
                from web3 import Web3
                from web3.providers.eth_tester import EthereumTesterProvider
        except ImportError as error:
            raise MachineError(f"a local chain needs {error.name}", fix="pip install 'mayfly-agents[chain]'") from None
        self.evm = EthereumTester(PyEVMBackend())
        self._provider = EthereumTesterProvider(self.evm)
        self._bare = Web3(self._provider, middleware=[])
        self._web3: Web3 = Web3(self._provider)
        self.lock = threading.RLock()
        """Held while the chain is asked or told something: py-evm is not made for threads."""
        self._looked = time.time()
        self._bank = self.evm.get_accounts()[0]
        self._deploy()

    def _deploy(self) -> None:
        compiled = json.loads((HERE / "token.json").read_text(encoding="utf-8"))
        factory = self._web3.eth.contract(abi=compiled["abi"], bytecode=compiled["bytecode"])
        sent = factory.constructor().transact({"from": self._bank, "gas": 3_000_000})
        made = self._web3.eth.wait_for_transaction_receipt(sent)
        self.token: Contract = self._web3.eth.contract(address=made["contractAddress"], abi=compiled["abi"])

    @cached_property
    def chain_id(self) -> int:
        """The number of the chain, which is part of whatever is signed for it."""
        return int(self._web3.eth.chain_id)

    @property
    def network(self) -> str:
        """The chain as x402 names it (CAIP-2)."""
        return f"eip155:{self.chain_id}"

    @property
    def asset(self) -> str:
        """The address of the token."""
        return str(self.token.address)

    def ask(self, method: str, params: list[Any]) -> dict[str, Any]:
        """Answer one question of JSON-RPC as the provider does: numbers are numbers, errors are in the answer."""
        with self.lock:
            self._keep_time()
            return dict(self._provider.request_func(self._bare, self._bare.middleware_onion)(method, params))

    # Money.

    def fund(self, address: str, *, units: int = 0, fuel: bool = True) -> None:
        """Give an address *units* of the token, and ether to pay for gas."""
        with self.lock:
            if fuel:
                self._web3.eth.send_transaction({"from": self._bank, "to": address, "value": _FUEL, "gas": 21_000})
            if units:
                self.token.functions.mint(address, units).transact({"from": self._bank, "gas": _GAS})

    def balance(self, address: str) -> int:
        """Return what an address has of the token, in its smallest unit."""
        with self.lock:
            return int(self.token.functions.balanceOf(address).call())

    def supply(self) -> int:
        """Return how much of the token there is."""
        with self.lock:
            return int(self.token.functions.totalSupply().call())

    def is_used(self, authorizer: str, nonce: str) -> bool:
        """Whether an authorization was used, or cancelled."""
        with self.lock:
            return bool(self.token.functions.authorizationState(authorizer, bytes.fromhex(nonce[2:])).call())

    def transfers(self) -> list[tuple[str, str, int]]:
        """Return every transfer there was, as (from, to, units), without what was minted."""
        with self.lock:
            logs = self.token.events.Transfer().get_logs(from_block=0)
        nobody = "0x" + "0" * 40
        found = [(str(one["args"]["from"]), str(one["args"]["to"]), int(one["args"]["value"])) for one in logs]
        return [one for one in found if one[0] != nobody]

    def sign(self, it: Authorization, signer: LocalAccount, **domain: Any) -> bytes:
        """Return the signature of an authorization; *domain* says otherwise for which token or chain it is."""
        about = {"name": "Test Dollar", "version": "2", "chainId": self.chain_id, "verifyingContract": self.asset}
        message = dict(zip((one["name"] for one in AUTHORIZATION["TransferWithAuthorization"]), it, strict=True))
        signed = signer.sign_typed_data({**about, **domain}, AUTHORIZATION, message)
        return bytes(signed.signature)

    def send(self, it: Authorization, signature: bytes, *, try_first: bool = True) -> int:
        """Send an authorization as anybody can, and return the status of its receipt.

        Tried first, what the chain refuses raises an error that says why; otherwise it is a block with a failure.
        """
        function = self.token.get_function_by_signature(_TRANSFER)
        parts = signature[64], signature[:32], signature[32:64]
        with self.lock:
            sender = {"from": self.evm.get_accounts()[1], "gas": _GAS}
            if try_first:
                function(*it, *parts).call(sender)
            sent = function(*it, *parts).transact(sender)
            return int(self.evm.get_transaction_receipt("0x" + sent.hex())["status"])

    # Time.

    @property
    def now(self) -> int:
        """The time of the newest block."""
        with self.lock:
            return int(self._web3.eth.get_block("latest")["timestamp"])

    def mine(self, blocks: int = 1) -> None:
        """Add empty blocks."""
        with self.lock:
            self.evm.mine_blocks(blocks)

    def advance(self, seconds: float) -> None:
        """Let time pass on the chain, and add a block after it."""
        with self.lock:
            self.evm.time_travel(max(self.now, int(time.time())) + int(seconds))
            self.evm.mine_block()

    def _keep_time(self) -> None:
        """Add a block where the newest one is old: other chains have new ones whether anybody sends or not.

        What is signed begins ten minutes ago, as x402 has it: for a chain that stands still longer it is not valid yet.
        """
        wall = time.time()
        if wall - self._looked > _STALE:
            self._looked = wall
            if wall - self.now > _STALE:
                self.advance(0)

    @contextmanager
    def taken_back(self) -> Iterator[None]:
        """Let the chain be afterwards as it was before the body: blocks, money and time."""
        with self.lock:
            before = self.evm.take_snapshot()
        try:
            yield
        finally:
            with self.lock:
                self.evm.revert_to_snapshot(before)
                self._looked = 0.0

    @contextmanager
    def served(self) -> Iterator[RpcServer]:
        """Answer JSON-RPC on a port of loopback while the body runs."""
        with RpcServer(self.ask) as server:
            yield server


@contextmanager
def local_chain() -> Iterator[tuple[LocalChain, RpcServer]]:
    """Make a chain and serve it."""
    chain = LocalChain()
    with chain.served() as server:
        yield chain, server
