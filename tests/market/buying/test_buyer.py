"""A purchase from quote to answer, on a real chain, from a shop that may do anything."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from market.shops import on_both
from mayfly.core import ConflictError, InputError, PolicySettings, StoreError, with_checksums
from mayfly.market import Purchase, PurchaseFacts
from mayfly.policy import Appeals
from mayfly.store import Seal
from mayfly.testing.chain import RpcFault

from .conftest import FUNDS, World
from .shop import PAYEE, PRICE, Reply, Shop, encoded


def buy(
    world: World, shop: Shop, call: str = "c1", *, price: str = "0.01", body: bytes = b"hi", **more: Any
) -> Purchase:
    return world.buyer().buy(call, f"{shop.base}/answer", price, body=body, **more)


@on_both
def test_s_32_a_purchase_pays_exactly_its_price_once(world: World, shop: Shop) -> None:
    done = buy(world, shop)
    assert done.status == "delivered", done.reason
    assert done.answer is not None
    assert done.answer.body == b"sold: hi"
    assert world.balance() == FUNDS - PRICE
    assert done.payment is not None
    assert done.payment.transaction_hash.startswith("0x")
    assert world.cost() == PRICE
    assert [payload["x402Version"] for payload in shop.paid] == [2]


def test_s_32_more_than_its_price_is_refused_before_anything_is_signed(world: World, shop: Shop) -> None:
    done = buy(world, shop, price="0.009999")
    assert done.status == "refused"
    assert world.signed == []
    assert shop.paid == []


def test_s_32_over_the_cap_of_a_purchase_is_refused_by_the_rules(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(per_call="0.009999")
    done = buy(world, shop)
    assert (done.status, done.reason) == ("refused", "more than one purchase may cost")
    assert world.signed == []


@on_both
def test_s_32_caps_hold_under_concurrency(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(per_hour="0.04")
    buyer = world.buyer()
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda n: buyer.buy(f"c{n}", f"{shop.base}/answer", "0.01"), range(20)))
    assert sorted(one.status for one in done) == ["delivered"] * 4 + ["refused"] * 16
    assert world.balance() == FUNDS - 4 * PRICE


@on_both
def test_what_one_agent_may_pay(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(per_agent="0.015")
    assert buy(world, shop, "c1", agent="a").status == "delivered"
    assert "market.per_agent" in buy(world, shop, "c2", agent="a").reason
    assert buy(world, shop, "c3", agent="b").status == "delivered"


def test_zero_means_zero(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(per_hour="0")
    assert buy(world, shop).status == "refused"


def test_without_a_limit_a_person_is_asked(world: World, shop: Shop) -> None:
    world.settings = replace(world.settings, policy=PolicySettings())
    done = buy(world, shop)
    assert done.status == "refused"
    assert "mayfly approve d-" in done.reason
    assert world.signed == []


@on_both
def test_the_same_call_is_answered_from_the_store(world: World, shop: Shop) -> None:
    first, again = buy(world, shop), buy(world, shop)
    assert again.answer == first.answer
    assert len(shop.paid) == 1
    assert world.balance() == FUNDS - PRICE


@on_both
def test_the_same_call_with_another_request_is_a_conflict(world: World, shop: Shop) -> None:
    buy(world, shop)
    with pytest.raises(ConflictError, match="another request"):
        buy(world, shop, body=b"else")
    assert len(world.signed) == 1


def test_the_same_call_from_twenty_threads_is_one_payment(world: World, shop: Shop) -> None:
    buyer = world.buyer()
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda _: buyer.buy("c1", f"{shop.base}/answer", "0.01"), range(20)))
    assert {one.status for one in done} == {"delivered"}
    assert len(world.signed) == 1
    assert world.balance() == FUNDS - PRICE


@on_both
def test_the_same_call_from_twenty_buyers_is_one_payment(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(takeover=60.0, timeout=60.0)  # a busy machine makes nobody take over, nor give up
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda _: buy(world, shop), range(20)))
    assert {one.status for one in done} == {"delivered"}
    assert len(set(shop.headers)) == 1
    assert world.balance() == FUNDS - PRICE


def test_what_is_free_is_not_paid(world: World, shop: Shop) -> None:
    shop.quote = lambda url: (200, {}, b"free")
    done = buy(world, shop)
    assert done.status == "free"
    assert done.answer is not None
    assert done.answer.body == b"free"
    assert world.signed == []


@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_lost_answer_is_fetched_with_the_same_payment(world: World, shop: Shop, lost: str) -> None:
    replies: list[Reply | None] = [(504, {}, b"late"), (0, {}, b"")]

    def fail() -> Reply | None:
        return replies.pop() if replies else None

    setattr(shop, "before_settling" if lost == "before" else "after_settling", fail)
    done = buy(world, shop)
    assert done.status == "delivered", done
    assert len(shop.headers) == 3
    assert len(set(shop.headers)) == 1
    assert world.balance() == FUNDS - PRICE


def test_terms_that_change_after_the_quote_are_not_paid(world: World, shop: Shop) -> None:
    def dearer() -> Reply:
        shop.requirement = {"amount": str(50 * PRICE), "payTo": "0x" + "66" * 20}
        return shop.required(f"{shop.base}/answer")

    shop.before_settling = dearer
    done = buy(world, shop)
    assert done.status == "unknown"
    assert len(world.signed) == 1
    assert world.balance() == FUNDS
    assert {one["payload"]["authorization"]["to"].lower() for one in shop.paid} == {PAYEE}


@pytest.mark.first(8)
@pytest.mark.parametrize(
    "requirement",
    [
        {"amount": "0.01"},
        {"amount": "-1"},
        {"amount": "1e4"},
        {"amount": str(2**256)},
        {"amount": "0"},
        {"amount": 10000},
        {"amount": None},
        {"maxTimeoutSeconds": 10**12},
        {"maxTimeoutSeconds": 0},
        {"maxTimeoutSeconds": "60"},
        {"maxTimeoutSeconds": True},
        {"maxTimeoutSeconds": 2},
        {"network": "eip155:1"},
        {"network": "solana:mainnet"},
        {"asset": "0x" + "11" * 20},
        {"payTo": "0x" + "00" * 20},
        {"payTo": "nobody"},
        {"scheme": "upto"},
        {"extra": {}},
        {"extra": {"name": "Test Dollar", "version": "2", "assetTransferMethod": "permit2"}},
    ],
    ids=str,
)
def test_absurd_terms_are_refused_before_signing(world: World, shop: Shop, requirement: dict[str, Any]) -> None:
    shop.requirement = requirement
    done = buy(world, shop, price="1000")
    assert done.status == "refused"
    assert "\n" not in done.reason
    assert done.reason
    assert world.signed == []
    assert [*world.payments.each()] == []


@pytest.mark.parametrize("resource", ["http://evil.example/answer", "/other", "//evil.example/answer", "ftp://x"])
def test_terms_for_another_resource_are_refused(world: World, shop: Shop, resource: str) -> None:
    shop.resource = resource
    done = buy(world, shop)
    assert done.status == "refused"
    assert "another resource" in done.reason
    assert world.signed == []


def test_another_payee_than_those_listed_is_refused(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(payees="0x" + "77" * 20)
    done = buy(world, shop)
    assert f"not an address that may be paid: {with_checksums(PAYEE)}" in done.reason
    assert world.signed == []
    listed = make_world(payees=with_checksums(PAYEE))
    assert buy(listed, shop).status == "delivered"


def test_a_redirect_is_not_followed(world: World, shop: Shop) -> None:
    with Shop(world.chain).open() as other:
        shop.quote = lambda url: (302, {"location": f"{other.base}/answer"}, b"")
        assert buy(world, shop).status == "refused"
        shop.quote = None
        shop.before_settling = lambda: (307, {"location": f"{other.base}/answer"}, b"")
        done = buy(world, shop)
        assert done.status == "unknown"
        assert (other.asked, other.paid) == (0, [])


def test_a_seller_that_is_not_named_is_not_even_asked(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(hosts="")
    done = buy(world, shop)
    assert "not a seller that may be paid" in done.reason
    assert shop.asked == 0


def test_any_public_seller_is_not_this_machine(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(hosts="*")
    assert buy(world, shop).status == "refused"
    assert shop.asked == 0


def test_a_huge_offer_and_a_huge_answer_are_not_read(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(answer_size=1000)
    shop.quote = lambda url: (402, {}, b"x" * 100_000)
    assert buy(world, shop).status == "refused"
    shop.quote = None
    shop.after_settling = lambda: (200, {}, b"x" * 100_000)
    done = buy(world, shop)
    assert done.status == "settled"
    assert done.answer is None
    assert world.balance() == FUNDS - PRICE


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"x402Version":1,"accepts":' * 200_000, b"\xff", b"[]", b"null"])
def test_an_offer_that_is_none_is_told_in_one_line(world: World, shop: Shop, body: bytes) -> None:
    for headers in ({}, {"PAYMENT-REQUIRED": base64.b64encode(body[:40_000]).decode()}, {"PAYMENT-REQUIRED": "!"}):
        shop.quote = lambda url, headers=headers: (402, headers, body)
        done = buy(world, shop)
        assert done.status == "refused"
        assert "\n" not in done.reason


def test_a_slow_seller_runs_out_of_time(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(timeout=0.3, tries=1)
    release = threading.Event()

    def slow() -> Reply:
        release.wait(5)
        return 200, {}, b""

    shop.before_settling = slow
    done = buy(world, shop)
    release.set()
    assert done.status == "unknown"
    # Our own clock and that of the connection run for the same time; either may be the first to say so.
    assert "within" in done.reason or "timed out" in done.reason


def test_a_receipt_that_lies_proves_nothing(world: World, shop: Shop) -> None:
    lie = encoded({"success": True, "transaction": "0x" + "ab" * 32, "network": world.chain.network})
    shop.before_settling = lambda: (200, {"PAYMENT-RESPONSE": lie}, b"thanks")
    done = buy(world, shop)
    assert done.status == "unknown"
    assert done.answer is not None
    assert done.answer.body == b"thanks"
    assert world.cost() == 0
    assert world.balance() == FUNDS


def test_a_receipt_that_denies_the_charge_is_not_believed(world: World, shop: Shop) -> None:
    shop.after_settling = lambda: (402, {"PAYMENT-RESPONSE": encoded({"success": False})}, b"not paid")
    done = buy(world, shop)
    assert done.status == "settled"
    assert world.cost() == PRICE == FUNDS - world.balance()


def test_too_little_money_is_noticed_before_signing(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(funds=PRICE - 1)
    assert "the wallet has 9999 units" in buy(world, shop).reason
    assert world.signed == []


def test_without_a_node_nothing_is_signed(world: World, shop: Shop) -> None:
    with world.rpc.failing(RpcFault()):
        assert buy(world, shop).status == "refused"
    assert world.signed == []


def test_a_node_that_fails_after_sending_leaves_it_unknown(world: World, shop: Shop) -> None:
    def down() -> None:
        world.rpc._faults.append(RpcFault())

    shop.after_settling = lambda: down()
    try:
        done = buy(world, shop)
    finally:
        world.rpc._faults.clear()
    assert done.status == "unknown"
    assert done.answer is not None
    assert buy(world, shop).status == "delivered"
    assert len(shop.headers) == 1


def test_without_the_store_nothing_is_signed(world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    buyer = world.buyer()

    def down(*_: object) -> None:
        raise StoreError("the store is away")

    monkeypatch.setattr(buyer._payments, "reserve", down)
    with pytest.raises(StoreError):
        buyer.buy("c1", f"{shop.base}/answer", "0.01")
    assert world.signed == []
    assert shop.paid == []


def test_a_store_that_is_lost_before_sending_keeps_the_payment_here(
    world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    buyer = world.buyer()

    def down(*_: object) -> None:
        raise StoreError("the store is away")

    monkeypatch.setattr(buyer._payments, "move", down)
    with pytest.raises(StoreError):
        buyer.buy("c1", f"{shop.base}/answer", "0.01")
    assert shop.paid == []
    monkeypatch.undo()
    assert buy(world, shop, body=b"").status == "delivered"
    assert world.balance() == FUNDS - PRICE


def test_a_store_that_is_lost_after_sending_does_not_hold_the_answer_back(
    world: World, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    buyer = world.buyer()

    def down(*_: object) -> None:
        raise StoreError("the store is away")

    def lose() -> None:
        monkeypatch.setattr(buyer._payments, "move", down)

    shop.after_settling = lose
    done = buyer.buy("c1", f"{shop.base}/answer", "0.01")
    assert done.status == "unknown"
    assert done.answer is not None
    monkeypatch.undo()
    shop.after_settling = lambda: None
    assert buy(world, shop, body=b"").status == "delivered"
    assert len(world.signed) == 1


def test_c_38_version_1_is_understood(world: World, shop: Shop) -> None:
    shop.version = 1
    done = buy(world, shop)
    assert done.status == "delivered", done.reason
    payload = shop.paid[0]
    assert (payload["x402Version"], payload["scheme"], payload["network"]) == (1, "exact", world.chain.network)
    assert world.balance() == FUNDS - PRICE


def test_c_38_version_3_is_refused(world: World, shop: Shop) -> None:
    shop.quote = lambda url: (402, {"PAYMENT-REQUIRED": encoded({**shop.offer(url), "x402Version": 3})}, b"")
    assert "version 3" in buy(world, shop).reason


def test_c_38_the_kit_of_x402_itself_verifies_what_is_sent(world: World, shop: Shop) -> None:
    from x402.mechanisms.evm.eip712 import hash_eip3009_authorization
    from x402.mechanisms.evm.types import ExactEIP3009Authorization
    from x402.schemas import PaymentPayload

    buy(world, shop)
    sent = PaymentPayload.model_validate(json.loads(base64.b64decode(shop.headers[0])))
    assert sent.accepted.pay_to == PAYEE
    one = sent.payload["authorization"]
    hashed = hash_eip3009_authorization(
        ExactEIP3009Authorization(
            from_address=one["from"],
            to=one["to"],
            value=one["value"],
            valid_after=one["validAfter"],
            valid_before=one["validBefore"],
            nonce=one["nonce"],
        ),
        world.chain.chain_id,
        world.chain.asset,
        "Test Dollar",
        "2",
    )
    from eth_account import Account

    signer = Account._recover_hash(hashed, signature=sent.payload["signature"])
    assert signer == world.address


def test_c_39_the_key_is_one_of_an_evm_chain_and_other_chains_are_passed_over(world: World, shop: Shop) -> None:
    def both(url: str) -> Reply:
        offer = shop.offer(url)
        solana = {**offer["accepts"][0], "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "payTo": "Abc"}
        return 402, {"PAYMENT-REQUIRED": encoded({**offer, "accepts": [solana, *offer["accepts"]]})}, b""

    shop.quote = both
    assert buy(world, shop).status == "delivered"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"call": "a b"}, "call id"),
        ({"call": ""}, "call id"),
        ({"price": "-1"}, "price"),
        ({"price": "1e4"}, "price"),
        ({"price": "0.0000001"}, "decimals"),
        ({"method": "CONNECT"}, "method"),
        ({"headers": [("payment-signature", "x")]}, "header"),
        ({"headers": [("accept", "a\r\nx: y")]}, "header"),
    ],
)
def test_a_callers_mistake_is_told_in_one_line(world: World, shop: Shop, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        buy(world, shop, **changed)
    assert "\n" not in str(error.value)
    assert shop.asked == 0


@pytest.mark.later
@on_both
def test_s_32_the_same_call_from_twenty_processes_is_one_payment(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(takeover=30.0)
    settings = {one.variable: str(one.value) for one in world.settings.show() if one.value != one.default}
    told = {"settings": settings, "account": world.number, "url": f"{shop.base}/answer", "processes": 20}
    command = [sys.executable, str(Path(__file__).with_name("same_call.py"))]
    done = subprocess.run(command, input=json.dumps(told), text=True, capture_output=True, timeout=300, check=True)
    assert done.stdout.split() == ["delivered"] * 20, done.stderr
    assert len(set(shop.headers)) == 1
    assert world.balance() == FUNDS - PRICE


def test_what_is_approved_is_the_same_however_addresses_are_spelled() -> None:
    """An approval that was given when they were in small letters holds."""
    about: dict[str, Any] = {"url": "http://127.0.0.1/x", "network": "eip155:1", "units": 1, "decimals": 6}
    small = PurchaseFacts(payee=PAYEE, asset="0x" + "ab" * 20, **about)
    shown = PurchaseFacts(payee=with_checksums(PAYEE), asset=with_checksums("0x" + "ab" * 20), **about)
    assert small.payload() == shown.payload()
    assert shown.payload()["payee"] == PAYEE


def approve(world: World, decision: str) -> None:
    appeals = Appeals(world.ledger, Seal.open(world.settings.state, name="policy"), clock=time.time_ns)
    appeals.appeal(decision, by="a person", reason="it is worth it", ttl=600)


def test_what_a_person_approved_is_bought_once_and_nothing_else(world: World, shop: Shop) -> None:
    world.settings = replace(world.settings, policy=PolicySettings())
    asked = buy(world, shop)
    assert asked.decision
    approve(world, asked.decision)
    for changed in (
        buy(world, shop, "c2"),
        buy(world, shop, body=b"something else"),
        world.buyer().buy("c1", f"{shop.base}/other", "0.01", body=b"hi"),
        world.buyer().buy("c1", f"{shop.base}/answer", "0.01", body=b"hi", method="GET"),
    ):
        assert changed.status == "refused"
        assert changed.decision not in ("", asked.decision)
    shop.requirement = {"amount": str(PRICE - 1)}
    assert buy(world, shop).status == "refused"
    shop.requirement = {"payTo": "0x" + "66" * 20}
    assert buy(world, shop).status == "refused"
    assert world.signed == []
    shop.requirement = {}
    assert buy(world, shop).status == "delivered"
    assert buy(world, shop).status == "delivered"
    assert world.balance() == FUNDS - PRICE


def test_no_approval_lifts_a_cap_of_the_market(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(per_hour="0.005")
    world.settings = replace(world.settings, policy=PolicySettings())
    approve(world, buy(world, shop).decision)
    done = buy(world, shop)
    assert "market.per_hour" in done.reason
    assert world.signed == []


@pytest.mark.parametrize("scope", ["session", "day"])
def test_over_what_a_session_or_a_day_may_spend_a_person_is_asked(world: World, shop: Shop, scope: str) -> None:
    caps: dict[str, Any] = {"spend_session" if scope == "session" else "spend_day": 2}
    world.settings = replace(world.settings, policy=replace(PolicySettings(spend_limit=100), **caps))
    mine: dict[str, Any] = {"agent": "r-1", "run": "r-1/0.1"}
    assert [buy(world, shop, f"c{n}", **mine).status for n in range(2)] == ["delivered"] * 2
    over = buy(world, shop, "c2", **mine)
    assert f"more than may be spent in one {scope} without asking" in over.reason
    elsewhere = buy(world, shop, "c3", agent="r-2", run="r-2")
    assert (elsewhere.status == "delivered") == (scope == "session")
    approve(world, over.decision)
    assert buy(world, shop, "c2", **mine).status == "delivered"
    assert buy(world, shop, "c4", **mine).status == "refused"


@on_both
def test_what_a_day_may_spend_holds_under_concurrency(world: World, shop: Shop) -> None:
    world.settings = replace(world.settings, policy=PolicySettings(spend_limit=100, spend_day=4))
    buyer = world.buyer()
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda n: buyer.buy(f"c{n}", f"{shop.base}/answer", "0.01"), range(20)))
    assert sorted(one.status for one in done) == ["delivered"] * 4 + ["refused"] * 16
    assert world.balance() == FUNDS - 4 * PRICE
