"""Facilitators: ours settles once whatever happens, and what others say is one of three results."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from market.shops import PAYEE, PAYER, PRICE, RELAY, STRANGER, Shop, faulty_facilitator, open_shop
from mayfly.core import InputError, Settings
from mayfly.market.facilitator import FacilitatorClient, SelfFacilitator
from mayfly.testing.chain import DOLLAR, Authorization, LocalChain, RpcFault, RpcServer


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path) -> Iterator[Shop]:
    with open_shop(chain, rpc, Settings(state_dir=str(tmp_path / "state"))) as opened:
        yield opened


def payment(shop: Shop, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return shop.payload(**changes), shop.offer.requirement


def transfers(shop: Shop) -> int:
    return len(shop.chain.transfers())


# Ours.


def test_a_payment_is_verified_and_settled_with_its_transaction(shop: Shop) -> None:
    given = payment(shop)
    assert shop.facilitator.verify(*given).status == "valid"
    said = shop.facilitator.settle(*given)
    assert said.status == "settled"
    assert said.transaction.startswith("0x")
    assert shop.balances() == (DOLLAR - PRICE, PRICE)


def test_settling_again_gives_the_same_transaction_and_sends_nothing(shop: Shop) -> None:
    given = payment(shop)
    first = shop.facilitator.settle(*given)
    block = shop.chain.evm.get_block_by_number("latest")["number"]
    assert shop.facilitator.settle(*given) == first
    assert shop.chain.evm.get_block_by_number("latest")["number"] == block
    assert transfers(shop) == 1


def test_settling_after_a_restart_gives_the_same_transaction(shop: Shop) -> None:
    from market.shops import own_facilitator

    given = payment(shop)
    first = shop.facilitator.settle(*given)
    assert own_facilitator(shop.chain, shop.rpc).settle(*given) == first
    assert transfers(shop) == 1


def test_five_settlements_at_once_are_one_transaction(shop: Shop) -> None:
    given = payment(shop)
    block = shop.chain.evm.get_block_by_number("latest")["number"]
    with ThreadPoolExecutor(5) as threads:
        said = list(threads.map(lambda _: shop.facilitator.settle(*given), range(5)))
    assert {one.status for one in said} == {"settled"}
    assert len({one.transaction for one in said}) == 1
    assert shop.chain.evm.get_block_by_number("latest")["number"] == block + 1


def test_different_payments_at_once_are_all_settled(shop: Shop) -> None:
    given = [payment(shop) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(lambda one: shop.facilitator.settle(*one), given))
    # One may find the count of the relay's transactions taken; it is not lost, and asked again it is settled.
    assert {one.status for one in said} <= {"settled", "unknown"}
    assert {shop.facilitator.settle(*one).status for one in given} == {"settled"}
    assert shop.balances() == (DOLLAR - 4 * PRICE, 4 * PRICE)


@pytest.mark.parametrize(
    "changes",
    [
        {"signer": STRANGER},
        {"units": PRICE + 1},
        {"payee": STRANGER.address},
        {"valid_before": 1},
        {"payer": STRANGER.address, "signer": STRANGER},
        {"domain": {"chainId": 1}},
    ],
    ids=lambda changes: str(changes)[:30],
)
def test_what_does_not_hold_is_refused_and_costs_no_gas(shop: Shop, changes: dict[str, Any]) -> None:
    given = payment(shop, **changes)
    block = shop.chain.evm.get_block_by_number("latest")["number"]
    assert shop.facilitator.verify(*given).status == "refused"
    assert shop.facilitator.settle(*given).status == "refused"
    assert shop.chain.evm.get_block_by_number("latest")["number"] == block


@pytest.mark.parametrize(
    "signature",
    ["ff" * 65, "00" * 65, "ab" * 64 + "05", "ab" * 66, "ab" * 96 + "6492" * 16],
    ids=["ones", "zeros", "recovery 5", "66 bytes", "wrapped"],
)
def test_a_signature_that_is_none_is_refused_and_with_the_node_down_nobody_knows(shop: Shop, signature: str) -> None:
    payload, wanted = payment(shop)
    payload["payload"]["signature"] = f"0x{signature}"
    assert shop.facilitator.verify(payload, wanted).status == "refused"
    with shop.rpc.failing(RpcFault(method="")):
        assert shop.facilitator.verify(payload, wanted).status == "unknown"


@pytest.mark.parametrize("spelled", [str.lower, lambda one: "0x" + one[2:].upper()])
def test_addresses_may_be_spelled_in_any_way(shop: Shop, spelled: Callable[[str], str]) -> None:
    payload, wanted = payment(shop)
    signed = payload["payload"]["authorization"]
    signed |= {name: spelled(signed[name]) for name in ("from", "to")}
    wanted |= {name: spelled(wanted[name]) for name in ("asset", "payTo")}
    assert shop.facilitator.verify(payload, wanted).status == "valid"
    first = shop.facilitator.settle(payload, wanted)
    assert first.status == "settled"
    assert shop.facilitator.settle(payload, wanted) == first
    assert shop.balances() == (DOLLAR - PRICE, PRICE)


@pytest.mark.parametrize(
    "requirement", [{"network": "eip155:1"}, {"asset": STRANGER.address}, {"payTo": "x"}, {"amount": "1e4"}]
)
def test_only_its_own_network_and_assets_are_settled(shop: Shop, requirement: dict[str, Any]) -> None:
    wanted = {**shop.offer.requirement, **requirement}
    given = shop.payload(requirement=wanted)
    assert shop.facilitator.verify(given, wanted).status == "refused"
    assert shop.facilitator.settle(given, wanted).status == "refused"


@pytest.mark.parametrize("payload", [{}, {"x402Version": 2}, {"payload": {"authorization": []}}])
def test_what_is_no_payment_is_refused(shop: Shop, payload: dict[str, Any]) -> None:
    assert shop.facilitator.verify(payload, shop.offer.requirement).status == "refused"
    assert shop.facilitator.settle(payload, {}).status == "refused"


def test_a_nonce_that_was_used_for_another_payment_is_refused(shop: Shop) -> None:
    nonce = secrets.token_bytes(32)
    own = Authorization(PAYER.address, PAYER.address, PRICE, 0, int(time.time()) + 300, nonce)
    shop.chain.send(own, shop.chain.sign(own, PAYER))
    assert shop.facilitator.settle(*payment(shop, nonce=nonce)).status == "refused"


@pytest.mark.parametrize("method", ["", "eth_call", "eth_getCode", "eth_sendRaw", "eth_getTransactionReceipt"])
def test_with_the_node_down_nobody_knows_and_later_it_is_settled_once(shop: Shop, method: str) -> None:
    given = payment(shop)
    shop.facilitator.verify(*given)
    with shop.rpc.failing(RpcFault(method=method)):
        assert shop.facilitator.settle(*given).status in ("unknown", "settled")
    assert shop.facilitator.settle(*given).status == "settled"
    assert shop.balances() == (DOLLAR - PRICE, PRICE)
    assert transfers(shop) == 1


def test_one_transfer_pays_for_one_authorization_only(shop: Shop) -> None:
    """Two authorizations of one payer: one pays the payee, the other one the payer himself. Neither stands for both."""
    from mayfly.market import ChainReader
    from mayfly.market._chain_reader import Transfer

    now, nonces = int(time.time()), (secrets.token_bytes(32), secrets.token_bytes(32))
    paid = Authorization(PAYER.address, PAYEE.address, PRICE, 0, now + 300, nonces[0])
    own = Authorization(PAYER.address, PAYER.address, PRICE, 0, now + 300, nonces[1])
    for one in (paid, own):
        shop.chain.send(one, shop.chain.sign(one, PAYER))
    reader = ChainReader(shop.rpc.url, confirmations=0)

    def look(nonce: bytes) -> str:
        chain = shop.chain
        wanted = Transfer(chain.network, chain.asset, PAYER.address, PAYEE.address, PRICE, "0x" + nonce.hex())
        return reader.evidence_of(wanted, since=0).state

    assert [look(nonce) for nonce in nonces] == ["settled", "other"]


def test_a_transaction_with_two_authorizations_pays_for_the_one_that_moved_the_money() -> None:
    """A contract can use several in one transaction; each is followed by its own transfer."""
    from mayfly.market._chain_reader import AUTHORIZATION_USED, TRANSFER, Transfer, _paid_by, _word

    asset, payer, payee = "0x" + "a" * 40, PAYER.address, PAYEE.address

    def log(place: int, kind: str, *topics: str, units: int = 0) -> dict[str, Any]:
        words = [kind, *(f"0x{_word(one)}" for one in topics)]
        return {"address": asset, "topics": words, "data": hex(units), "logIndex": hex(place)}

    own, paid = log(4, AUTHORIZATION_USED, payer, "0x01"), log(6, AUTHORIZATION_USED, payer, "0x02")
    moved = [log(5, TRANSFER, payer, payer, units=PRICE), log(7, TRANSFER, payer, payee, units=PRICE)]
    for logs in ([own, moved[0], paid, moved[1]], [moved[1], paid, moved[0], own]):
        receipt = {"logs": logs}
        wanted = Transfer("eip155:1", asset, payer, payee, PRICE, "0x02")
        assert not _paid_by(own, receipt, wanted)
        assert _paid_by(paid, receipt, wanted)
        assert not _paid_by(paid, receipt, wanted._replace(units=PRICE + 1))


# One that is asked over HTTP.


def test_a_client_gets_what_ours_says(shop: Shop) -> None:
    with faulty_facilitator(shop.chain, shop.rpc) as (_, url):
        client = FacilitatorClient(url)
        given = payment(shop)
        assert client.verify(*given).status == "valid"
        assert client.settle(*given).transaction == client.settle(*given).transaction
        assert client.verify(*given).status == "refused"
        wrong = client.verify(*payment(shop, signer=STRANGER))
        assert (wrong.status, wrong.reason) == ("refused", "invalid_exact_evm_payload_signature")


class Canned(ThreadingHTTPServer):
    status, body, seconds = 200, b"{}", 0.0
    daemon_threads = True


@pytest.fixture
def canned() -> Iterator[Canned]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert isinstance(self.server, Canned)
            time.sleep(self.server.seconds)
            self.send_response(self.server.status)
            self.send_header("content-length", str(len(self.server.body)))
            self.send_header("location", "http://127.0.0.1:9/")
            self.end_headers()
            try:
                self.wfile.write(self.server.body)
            except OSError:
                pass

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None: ...

    server = Canned(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


HASH = "0x" + "ab" * 32


@pytest.mark.parametrize(
    ("status", "body", "settles"),
    [
        (200, {"success": True, "transaction": HASH}, "settled"),
        (200, {"success": False, "transaction": "", "errorReason": "no"}, "refused"),
        (400, {"success": False, "transaction": "", "errorReason": "no"}, "refused"),
        (200, {"success": False, "transaction": HASH, "errorReason": "settlement_pending"}, "unknown"),
        (200, {"success": True, "transaction": ""}, "unknown"),
        (200, {"success": True, "transaction": "0x12"}, "unknown"),
        (200, {"success": "true", "transaction": HASH}, "unknown"),
        (200, {"success": 1, "transaction": HASH}, "unknown"),
        (200, [], "unknown"),
        (504, {"success": False, "transaction": ""}, "unknown"),
        (500, {}, "unknown"),
        (302, {"success": True, "transaction": HASH}, "unknown"),
        (429, {"success": False}, "unknown"),
    ],
)
def test_every_answer_to_a_settlement_is_one_of_three(canned: Canned, status: int, body: object, settles: str) -> None:
    canned.status, canned.body = status, json.dumps(body).encode()
    client = FacilitatorClient(f"http://127.0.0.1:{canned.server_port}", timeout=5)
    assert client.settle({"payload": {}}, {}).status == settles


@pytest.mark.parametrize(
    ("body", "verifies"),
    [
        (b'{"isValid": true}', "valid"),
        (b'{"isValid": false, "invalidReason": "no"}', "refused"),
        (b'{"isValid": 1}', "unknown"),
        (b"{", "unknown"),
        (b"\xff", "unknown"),
        (b"[" * 100_000, "unknown"),
        (b'"' + b"x" * 1_100_000 + b'"', "unknown"),
    ],
    ids=range(7),
)
def test_every_answer_to_a_question_is_one_of_three(canned: Canned, body: bytes, verifies: str) -> None:
    canned.body = body
    client = FacilitatorClient(f"http://127.0.0.1:{canned.server_port}", timeout=5)
    assert client.verify({"payload": {}}, {}).status == verifies


def test_a_facilitator_that_is_slow_or_not_there_is_unknown(canned: Canned) -> None:
    canned.seconds = 0.5
    assert FacilitatorClient(f"http://127.0.0.1:{canned.server_port}", timeout=0.1).settle({}, {}).status == "unknown"
    nobody = FacilitatorClient("http://127.0.0.1:9", timeout=1)
    assert nobody.settle({}, {}).status == "unknown"


@pytest.mark.parametrize("url", ["", "facilitator", "ftp://x.example", "http://x.example/", "https://u:p@x.example"])
def test_an_address_that_is_none_or_not_safe_is_refused(url: str) -> None:
    with pytest.raises(InputError):
        FacilitatorClient(url)


def test_the_key_of_the_relay_holds_no_dollars(shop: Shop) -> None:
    assert isinstance(shop.facilitator, SelfFacilitator)
    assert shop.facilitator.address == RELAY.address
    shop.facilitator.settle(*payment(shop))
    assert shop.chain.balance(RELAY.address) == 0
