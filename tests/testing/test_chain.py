"""The chain of the tests: its dollar refuses what EIP-3009 refuses, and its node has the faults that nodes have."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from mayfly.testing.chain import DOLLAR, Authorization, LocalChain, RpcFault, RpcServer, account

BUYER, SELLER, RELAY = account(1), account(2), account(3)


def make(chain: LocalChain, **changes: Any) -> Authorization:
    whole = Authorization(BUYER.address, SELLER.address, 10_000, 0, chain.now + 600, secrets.token_bytes(32))
    return whole._replace(**changes)


@pytest.fixture
def funded(chain: LocalChain) -> LocalChain:
    chain.fund(BUYER.address, units=DOLLAR)
    return chain


def refused(chain: LocalChain, it: Authorization, signature: bytes, says: str) -> None:
    before = [chain.balance(BUYER.address), chain.balance(SELLER.address), chain.supply()]
    with pytest.raises(Exception, match=says):
        chain.send(it, signature)
    assert chain.send(it, signature, try_first=False) == 0
    assert [chain.balance(BUYER.address), chain.balance(SELLER.address), chain.supply()] == before


def test_an_authorization_moves_exactly_its_units_once(funded: LocalChain) -> None:
    it = make(funded)
    signature = funded.sign(it, BUYER)
    assert not funded.is_used(BUYER.address, "0x" + it.nonce.hex())
    assert funded.send(it, signature) == 1
    assert funded.is_used(BUYER.address, "0x" + it.nonce.hex())
    assert (funded.balance(BUYER.address), funded.balance(SELLER.address)) == (DOLLAR - 10_000, 10_000)
    assert funded.transfers()[-1] == (BUYER.address, SELLER.address, 10_000)
    refused(funded, it, signature, "used or canceled")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"units": DOLLAR + 1}, "exceeds balance"),
        ({"valid_before": 1}, "expired"),
        ({"valid_after": 2**40}, "not yet valid"),
        ({"payee": "0x" + "0" * 40}, "to nobody"),
    ],
)
def test_what_may_not_be_moved_stays(funded: LocalChain, changes: dict[str, Any], says: str) -> None:
    it = make(funded, **changes)
    refused(funded, it, funded.sign(it, BUYER), says)
    assert not funded.is_used(BUYER.address, "0x" + it.nonce.hex())


@pytest.mark.parametrize(
    "domain",
    [{"name": "Other Dollar"}, {"version": "1"}, {"chainId": 1}, {"verifyingContract": RELAY.address}],
    ids=lambda domain: next(iter(domain)),
)
def test_a_signature_for_another_domain_is_refused(funded: LocalChain, domain: dict[str, Any]) -> None:
    it = make(funded)
    refused(funded, it, funded.sign(it, BUYER, **domain), "invalid signature")


def test_a_signature_of_somebody_else_is_refused(funded: LocalChain) -> None:
    it = make(funded)
    refused(funded, it, funded.sign(it, RELAY), "invalid signature")


@pytest.mark.parametrize("change", [{"units": 1}, {"payee": RELAY.address}, {"valid_before": 2**40}])
def test_terms_cannot_be_changed_under_a_signature(funded: LocalChain, change: dict[str, Any]) -> None:
    it = make(funded)
    refused(funded, it._replace(**change), funded.sign(it, BUYER), "invalid signature")


def test_the_twin_of_a_signature_is_refused(funded: LocalChain) -> None:
    it = make(funded)
    signature = funded.sign(it, BUYER)
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    twin = (order - int.from_bytes(signature[32:64], "big")).to_bytes(32, "big")
    refused(funded, it, signature[:32] + twin + bytes([55 - signature[64]]), "invalid signature")


def test_a_test_leaves_neither_money_nor_time_behind(chain_and_rpc: tuple[LocalChain, RpcServer]) -> None:
    chain = chain_and_rpc[0]
    before = (chain.now, chain.supply())
    with chain.taken_back():
        chain.fund(BUYER.address, units=5)
        chain.advance(10_000)
        assert chain.now >= before[0] + 10_000
        assert chain.supply() == before[1] + 5
    assert (chain.now, chain.supply()) == before


def test_making_a_chain_leaves_the_depth_of_calls_as_it_was(chain: LocalChain) -> None:
    with pytest.raises(RecursionError):
        json.loads("[" * 100_000)


# The node.


def ask(rpc: RpcServer, method: str, *params: Any, timeout: float = 5) -> Any:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = httpx.post(rpc.url, json=body, timeout=timeout)
    answer.raise_for_status()
    return answer.json()


def test_the_node_answers_in_hexadecimal(funded: LocalChain, rpc: RpcServer) -> None:
    assert ask(rpc, "eth_chainId") == {"jsonrpc": "2.0", "id": 7, "result": hex(funded.chain_id)}
    call = {"to": funded.asset, "data": "0x70a08231" + BUYER.address[2:].lower().rjust(64, "0")}
    assert int(ask(rpc, "eth_call", call, "latest")["result"], 16) == DOLLAR
    block = ask(rpc, "eth_getBlockByNumber", "latest", False)["result"]
    assert int(block["timestamp"], 16) == funded.now
    logs = ask(rpc, "eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": funded.asset})["result"]
    assert int(logs[-1]["data"], 16) == DOLLAR


def test_the_node_answers_a_list_of_questions(chain: LocalChain, rpc: RpcServer) -> None:
    asked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": number, "method": "eth_blockNumber", "params": []} for number in (1, 2)
    ]
    assert [one["id"] for one in httpx.post(rpc.url, json=asked).json()] == [1, 2]


def test_what_the_node_cannot_do_is_an_error_in_its_answer(chain: LocalChain, rpc: RpcServer) -> None:
    assert "eth_nonsense" in ask(rpc, "eth_nonsense")["error"]["message"]
    assert ask(rpc, "eth_sendRawTransaction", "0x00")["error"]["message"]
    assert ask(rpc, "eth_getTransactionReceipt", "0x" + "11" * 32)["result"] is None


def test_the_node_says_why_a_contract_refuses(funded: LocalChain, rpc: RpcServer) -> None:
    it = make(funded, units=DOLLAR + 1)
    signature = funded.sign(it, BUYER)
    call = funded.token.get_function_by_signature(
        "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
    )(*it, signature)
    fault = ask(rpc, "eth_call", {"to": funded.asset, "data": call._encode_transaction_data()}, "latest")["error"]
    assert (fault["code"], fault["data"][:10]) == (3, "0x08c379a0")
    assert "exceeds balance" in fault["message"]
    assert b"exceeds balance" in bytes.fromhex(fault["data"][2:])


def test_a_node_that_is_down_does_nothing(funded: LocalChain, rpc: RpcServer) -> None:
    before = len(rpc.asked)
    with rpc.failing(RpcFault(method="eth_send")), pytest.raises(httpx.HTTPStatusError, match="503"):
        ask(rpc, "eth_sendRawTransaction", "0x00")
    assert rpc.asked[before:] == []
    with rpc.failing(RpcFault(method="eth_send")):
        assert ask(rpc, "eth_chainId")["result"]
    assert ask(rpc, "eth_sendRawTransaction", "0x00")["error"]


def test_a_node_that_loses_its_answer_has_done_it(funded: LocalChain, rpc: RpcServer) -> None:
    funded.fund(RELAY.address)
    sent = RELAY.sign_transaction(
        {"to": SELLER.address, "value": 5, "gas": 21_000, "gasPrice": 10**10, "nonce": 0, "chainId": funded.chain_id}
    )
    with rpc.failing(RpcFault(method="eth_sendRaw", before=False)), pytest.raises(httpx.TransportError):
        ask(rpc, "eth_sendRawTransaction", "0x" + sent.raw_transaction.hex())
    found = ask(rpc, "eth_getTransactionReceipt", "0x" + sent.hash.hex())["result"]
    assert found["status"] == "0x1"


def test_a_node_that_is_slow_outlasts_a_client(chain: LocalChain, rpc: RpcServer) -> None:
    with rpc.failing(RpcFault(seconds=0.3)), pytest.raises(httpx.ReadTimeout):
        ask(rpc, "eth_chainId", timeout=0.05)
    began = time.monotonic()
    with rpc.failing(replace(RpcFault(), seconds=0.05, before=False)), pytest.raises(httpx.TransportError):
        ask(rpc, "eth_chainId")
    assert time.monotonic() - began >= 0.05


def test_the_bytecode_that_is_shipped_names_its_source() -> None:
    from mayfly.testing import chain as package

    here = Path(package.__file__).parent
    compiled = json.loads((here / "token.json").read_text())
    assert compiled["source"] == sha256((here / "Token.sol").read_bytes()).hexdigest()


def test_a_chain_that_nobody_uses_has_new_blocks_all_the_same(
    chain: LocalChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is signed begins ten minutes ago; for a chain that stood still since then it would not be valid yet.
    later = time.time() + 1000
    monkeypatch.setattr("mayfly.testing.chain._chain.time.time", lambda: later)
    newest = chain.ask("eth_getBlockByNumber", ["latest", False])["result"]
    assert int(newest["timestamp"]) == int(later)
    assert int(chain.ask("eth_getBlockByNumber", ["latest", False])["result"]["number"]) == int(newest["number"])
