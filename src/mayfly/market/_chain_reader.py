"""`ChainReader`: what the chain shows of a payment. It never guesses: a node that fails makes nothing known.

An EIP-3009 authorization is used once or never, so its state in a confirmed block is the truth about a payment,
whatever a seller or a facilitator said. Evidence is taken from one block only, which lies `confirmations` under the
newest. `fund_test` gives a wallet money to try things with, on a chain of this machine and on no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mayfly.core import InputError, MachineError, MayflyError, NotSent, one_line, parse_json
from mayfly.market._terms import chain_id_of, read_address
from mayfly.world import KeptConnections, address_of, exchange

if TYPE_CHECKING:
    from mayfly.core import Settings

# The first four bytes of the hash of each signature; a test derives them.
BALANCE_OF: Final = "0x70a08231"
AUTHORIZATION_STATE: Final = "0xe94a0102"
# The hashes of the events, by which logs are found.
AUTHORIZATION_USED: Final = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
AUTHORIZATION_CANCELED: Final = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81"
TRANSFER: Final = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
# Stands for a topic that may be anything.
_ANY: Final = None
# Public nodes give the logs of a few thousand blocks at most; this many is what the strictest of them give.
_WINDOW: Final = 1000
# Where to look first: what is asked about was mostly sent a moment ago, and old blocks are slow to search.
_NEWEST: Final = 4
# Windows that are looked through: a day of blocks on a chain that makes two a second.
_MOST_WINDOWS: Final = 200

# other: the nonce was used up by a transfer that is not the one that was signed for us.
State = Literal["settled", "cancelled", "other", "unused", "unknown"]


@dataclass(frozen=True, kw_only=True)
class ChainEvidence:
    """What the chain shows of one authorization, and in which block that was seen.

    *block* is the one of the transfer where it is settled, otherwise the confirmed one that was looked at.
    """

    state: State
    transaction: str = ""
    block: int = 0
    block_time: int = 0
    gas: str = ""
    reason: str = ""


class Transfer(NamedTuple):
    """The transfer that an authorization was signed for."""

    network: str
    asset: str
    payer: str
    payee: str
    units: int
    nonce: str


class _Block(NamedTuple):
    number: int
    time: int
    hash: str


class ChainReader:
    """Read one chain through one node."""

    def __init__(self, rpc_url: str, *, confirmations: int, timeout: float = 10.0) -> None:
        self.node = Node(rpc_url, timeout=timeout)
        self._confirmations = confirmations

    def chain_id(self) -> int:
        """Return the number of the chain that the node is of."""
        return self.node.number("eth_chainId")

    def now(self) -> int:
        """Return the time of the newest block."""
        return self._block("latest").time

    def balance(self, asset: str, address: str) -> int:
        """Return what an address has of a token now."""
        return self.node.call(asset, BALANCE_OF + _word(address))

    def evidence_of(self, wanted: Transfer, *, since: float) -> ChainEvidence:
        """Say what became of an authorization that cannot be older than the time *since*; a fault is "unknown"."""
        try:
            return self._evidence_of(wanted, since)
        except NodeError as error:
            return ChainEvidence(state="unknown", reason=error.message)

    def _evidence_of(self, wanted: Transfer, since: float) -> ChainEvidence:
        # Asked each time: on another chain everything looks unused, and a node can be changed behind its address.
        if f"eip155:{self.chain_id()}" != wanted.network:
            raise NodeError(f"the node is not of the network {wanted.network}")
        newest = self.node.number("eth_blockNumber")
        if newest < self._confirmations:
            raise NodeError("no block of the chain is confirmed yet")
        seen = self._block(newest - self._confirmations)
        state = AUTHORIZATION_STATE + _word(wanted.payer) + _word(wanted.nonce)
        if not self.node.call(wanted.asset, state, seen.number):
            # The same block still has to be there: a chain that was cut back meanwhile has shown nothing.
            if self._block(seen.number).hash != seen.hash:
                raise NodeError("the chain changed while it was read")
            return ChainEvidence(state="unused", block=seen.number, block_time=seen.time)
        for log in self._logs(wanted, seen, since):
            return self._evidence(log, wanted, seen)
        raise NodeError("the authorization was used, and the node does not say where")

    def _logs(self, wanted: Transfer, seen: _Block, since: float) -> Iterator[Mapping[str, Any]]:
        """Yield the logs of a use or a cancellation, the newest blocks first, back to the time *since*."""
        topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], f"0x{_word(wanted.payer)}", f"0x{_word(wanted.nonce)}"]
        last, window = seen.number, _NEWEST
        for _ in range(_MOST_WINDOWS):
            first = max(0, last - window + 1)
            asked = {"address": wanted.asset, "fromBlock": hex(first), "toBlock": hex(last), "topics": topics}
            found = self.node.ask("eth_getLogs", asked)
            if not isinstance(found, list):
                raise NodeError("the node's answer to eth_getLogs is no list")
            yield from (log for log in found if _is_of(log, wanted.asset, topics))
            if first == 0 or self._block(first).time < since:
                return
            last, window = first - 1, _WINDOW

    def _evidence(self, log: Mapping[str, Any], wanted: Transfer, seen: _Block) -> ChainEvidence:
        transaction = str(log.get("transactionHash", "")).lower()
        receipt = self.node.ask("eth_getTransactionReceipt", transaction)
        if not isinstance(receipt, dict) or quantity(receipt.get("status"), "a receipt") != 1:
            raise NodeError("the node has no receipt of the transaction that used the authorization")
        number = quantity(receipt.get("blockNumber"), "a receipt")
        where = self._block(number)
        if number > seen.number or str(receipt.get("blockHash", "")).lower() != where.hash:
            raise NodeError("the transaction that used the authorization is in no confirmed block")
        state: State = "cancelled"
        if str(log["topics"][0]).lower() == AUTHORIZATION_USED:
            state = "settled" if _paid_by(log, receipt, wanted) else "other"
        reason = (
            "the authorization was used for another transfer than the one that was signed" if state == "other" else ""
        )
        return ChainEvidence(
            state=state, transaction=transaction, block=number, block_time=where.time, gas=_gas(receipt), reason=reason
        )

    def _block(self, number: int | str) -> _Block:
        asked = number if isinstance(number, str) else hex(number)
        block = self.node.ask("eth_getBlockByNumber", asked, False)
        if not isinstance(block, dict) or not isinstance(block.get("hash"), str):
            raise NodeError(f"the node has no block {asked}")
        return _Block(
            quantity(block.get("number"), "a block"), quantity(block.get("timestamp"), "a block"), block["hash"].lower()
        )


def _word(text: str) -> str:
    """Return an address or a nonce as the 32 bytes that a contract takes."""
    return text.lower().removeprefix("0x").zfill(64)


def _is_of(log: object, asset: str, topics: list[Any]) -> bool:
    """Whether a log is of that token and has these topics: a node that gives others is not believed."""
    if not isinstance(log, dict) or str(log.get("address", "")).lower() != asset.lower():
        return False
    said = log.get("topics")
    if not isinstance(said, list) or len(said) != len(topics):
        return False
    pairs = zip(said, topics, strict=True)
    return all(
        wanted is _ANY or str(one).lower() in (wanted if isinstance(wanted, list) else [wanted])
        for one, wanted in pairs
    )


def _paid_by(log: Mapping[str, Any], receipt: Mapping[str, Any], wanted: Transfer) -> bool:
    """Whether the transfer of this very authorization is the one that was signed.

    It is the next log of the token: one transaction may use several authorizations, and a transfer of one of them pays
    for no other. A nonce can be signed for twice, so that it was used says nothing about who was paid.
    """
    place = quantity(log.get("logIndex"), "a log")
    moved = [one for one in receipt.get("logs") or () if _is_of(one, wanted.asset, [TRANSFER, _ANY, _ANY])]
    later = [one for one in moved if quantity(one.get("logIndex"), "a log") > place]
    if not later:
        raise NodeError("the authorization was used, and the node shows no transfer after it")
    first = min(later, key=lambda one: quantity(one.get("logIndex"), "a log"))
    topics = [TRANSFER, f"0x{_word(wanted.payer)}", f"0x{_word(wanted.payee)}"]
    return _is_of(first, wanted.asset, topics) and quantity(first.get("data"), "a transfer") == wanted.units


def _gas(receipt: Mapping[str, Any]) -> str:
    """Return what the transaction cost its sender, in wei; empty where the node does not say."""
    try:
        used = quantity(receipt.get("gasUsed"), "a receipt")
        return str(used * quantity(receipt.get("effectiveGasPrice"), "a receipt"))
    except NodeError:
        return ""


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


# A receipt with a few hundred logs is the largest answer that is asked for.
_LARGEST: Final = 4 * 1024 * 1024
_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")


class NodeError(MayflyError):
    """The node could not be asked, or what it said is no answer; nothing follows from that."""

    code = "NODE"


class Node:
    """A node of a chain, asked over HTTP."""

    def __init__(self, rpc_url: str, *, timeout: float) -> None:
        if not rpc_url:
            raise InputError("no node of a chain is named", fix="set MAYFLY_MARKET_RPC_URL")
        self.address = address_of(rpc_url)
        # A purchase asks a dozen questions, and a handshake for each would take longer than the answers.
        self._connections = KeptConnections(self.address, seconds=timeout, largest=_LARGEST)
        self._timeout = timeout

    def ask(self, method: str, *params: Any) -> Any:
        """Return the result of one method."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        try:
            if method.startswith("eth_send"):
                # Not over a kept one: where that breaks the question is asked twice.
                answer = exchange(self.address, "POST", headers, body, seconds=self._timeout, largest=_LARGEST)
            else:
                answer = self._connections.exchange("POST", headers, body)
        except (OSError, NotSent, InputError) as error:
            raise NodeError(f"the node does not answer: {one_line(str(error), limit=200)}") from None
        if answer.status != 200 or not answer.whole:
            raise NodeError(f"the node answers {method} with HTTP {answer.status}")
        try:
            said = parse_json(answer.body, "the node's answer")
        except InputError as error:
            raise NodeError(error.message) from None
        if not isinstance(said, dict) or said.get("error") is not None or "result" not in said:
            fault = said.get("error") if isinstance(said, dict) else None
            told = fault.get("message") if isinstance(fault, dict) else fault
            raise NodeError(f"the node refuses {method}: {one_line(str(told), limit=200)}")
        return said["result"]

    def number(self, method: str, *params: Any) -> int:
        """Return a result that is a number."""
        return quantity(self.ask(method, *params), method)

    def call(self, to: str, data: str, block: int | None = None) -> int:
        """Ask a contract for one word, as it stood after a block."""
        asked = {"to": to, "data": data}
        word = self.ask("eth_call", asked, "latest" if block is None else hex(block))
        # An address without a contract answers with nothing, and nothing is not zero.
        if not isinstance(word, str) or not re.fullmatch(r"0x[0-9a-fA-F]{64}", word):
            raise NodeError(f"{to} does not answer as a token does")
        return int(word, 16)


def quantity(value: object, what: str) -> int:
    """Read a number as JSON-RPC writes it."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise NodeError(f"the node's answer to {what} is no number")
    return int(value, 16)
