"""Sales on the real chain: one payment, one answer, one charge."""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from market.seller.child import Done
from market.shops import PAYEE, PAYER, PRICE, RELAY, STRANGER, URL, Shop, in_header, on_both, said
from mayfly.core import InputError
from mayfly.market.seller import SellerLimits, SignedPayment
from mayfly.market.seller._payment import parse_payment
from mayfly.testing.chain import DOLLAR, Authorization, RpcFault

UNPAID = (DOLLAR, 0)
PAID = (DOLLAR - PRICE, PRICE)


@on_both
def test_s_33_without_a_payment_the_price_is_said_and_with_one_the_answer(shop: Shop) -> None:
    asked = shop.buy(None)
    assert asked.status == 402
    offered = in_header(asked, "PAYMENT-REQUIRED")
    assert (offered["x402Version"], offered["resource"]["url"]) == (2, URL)
    assert offered["accepts"] == [shop.offer.requirement]
    assert said(asked)["accepts"][0]["maxAmountRequired"] == str(PRICE)
    assert shop.handler.runs == []

    paid = shop.buy(shop.pay())
    assert (paid.status, paid.body) == (200, b"42")
    receipt = in_header(paid, "PAYMENT-RESPONSE")
    row = shop.sales()[0]
    assert (receipt["success"], receipt["transaction"]) == (True, row.transaction_hash)
    assert (row.state, row.units, row.payer) == ("settled", PRICE, PAYER.address)
    assert row.block > 0
    assert int(row.gas) > 0
    assert shop.balances() == PAID


@on_both
def test_a_replay_gets_the_same_answer_and_runs_nothing(shop: Shop) -> None:
    payment = shop.pay()
    first, second = shop.buy(payment), shop.buy(payment)
    assert (second.status, second.body, second.headers) == (first.status, first.body, first.headers)
    assert len(shop.handler.runs) == 1
    assert shop.balances() == PAID


@on_both
def test_another_request_under_the_same_payment_conflicts(shop: Shop) -> None:
    payment = shop.pay()
    shop.buy(payment)
    assert shop.buy(payment, number=22).status == 409
    assert len(shop.handler.runs) == 1
    assert shop.balances() == PAID


def test_what_is_public_on_the_chain_does_not_buy_another_answer(shop: Shop) -> None:
    """Payer and nonce can be read off the chain; without the signature that was sent they open nothing."""
    nonce = secrets.token_bytes(32)
    shop.buy(shop.pay(nonce=nonce))
    forged = shop.pay(nonce=nonce, signer=STRANGER)
    assert shop.buy(forged).status == 409


def test_spaces_and_the_order_of_keys_do_not_make_another_request(shop: Shop) -> None:
    payment = shop.pay()
    first = shop.seller.sell(shop.offer, URL, {"number": 21, "other": 1}, payment)
    second = shop.seller.sell(shop.offer, URL, {"other": 1, "number": 21}, payment)
    assert (first.status, second.body) == (200, first.body)


@on_both
def test_six_copies_at_once_run_the_handler_once_and_all_get_the_answer(shop: Shop) -> None:
    payment = shop.pay()
    together = threading.Barrier(6)

    def one(_: int) -> tuple[int, bytes]:
        together.wait()
        reply = shop.buy(payment)
        return reply.status, reply.body

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(one, range(6))) == [(200, b"42")] * 6
    assert len(shop.handler.runs) == 1
    assert shop.balances() == PAID


@on_both
def test_a_handler_that_fails_is_never_charged(shop: Shop) -> None:
    payment = shop.pay()
    reply = shop.buy(payment, number=13)
    assert (reply.status, said(reply)) == (500, {"error": "thirteen is not doubled", "charged": False})
    assert shop.buy(payment, number=13).status == 500
    assert len(shop.handler.runs) == 1
    assert shop.sales()[0].state == "failed"
    assert not shop.chain.is_used(PAYER.address, payment.nonce)
    assert shop.balances() == UNPAID


def test_a_handler_that_raises_is_never_charged_and_tells_a_stranger_nothing(shop: Shop) -> None:
    def broken() -> None:
        raise RuntimeError("/home/somebody/secret.txt")

    shop.handler.before = broken
    reply = shop.buy(shop.pay())
    assert reply.status == 500
    assert b"secret" not in reply.body
    assert shop.balances() == UNPAID


@pytest.mark.parametrize("value", [object(), float("nan"), "x" * 200])
def test_an_answer_that_cannot_be_kept_is_never_charged(shop: Shop, value: object) -> None:
    seller = shop.sells(handler=lambda *_: Done(ok=True, value=value), limits=SellerLimits(answer=100))
    assert shop.buy(shop.pay(), seller=seller).status == 500
    assert shop.balances() == UNPAID


def test_arguments_that_do_not_fit_are_refused_before_anything_is_claimed(shop: Shop) -> None:
    wrong: tuple[object, ...] = ({"number": "21"}, {}, [], "21", None, {"number": 1, "huge": float("inf")})
    for arguments in wrong:
        assert shop.seller.sell(shop.offer, URL, arguments, shop.pay()).status == 400
    assert shop.sales() == []
    assert shop.balances() == UNPAID


# Payments that do not hold.


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"units": PRICE - 1}, "costs 10000 units"),
        ({"units": PRICE + 1}, "costs 10000 units"),
        ({"payee": STRANGER.address}, "it is paid to"),
        ({"valid_before": -1}, "not valid for another"),
        ({"valid_before": 3}, "not valid for another"),
        ({"valid_after": 600}, "not valid yet"),
        ({"signer": STRANGER}, "invalid_exact_evm_payload_signature"),
        ({"domain": {"chainId": 1}}, "signature"),
        ({"domain": {"verifyingContract": STRANGER.address}}, "signature"),
        ({"domain": {"name": "Other Dollar"}}, "signature"),
        ({"payer": STRANGER.address, "signer": STRANGER}, "insufficient_balance"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_payment_that_does_not_hold_is_refused(shop: Shop, changes: dict[str, Any], says: str) -> None:
    # Times are seconds from now.
    later = {name: int(time.time()) + changes[name] for name in ("valid_before", "valid_after") if name in changes}
    reply = shop.buy(shop.pay(**(changes | later)))
    assert reply.status == 402
    assert says in said(reply)["error"]
    assert in_header(reply, "PAYMENT-REQUIRED")["accepts"]
    assert (shop.sales(), shop.handler.runs) == ([], [])
    assert shop.balances() == UNPAID


@pytest.mark.parametrize(
    "tampered",
    [
        {"amount": "1"},
        {"payTo": STRANGER.address},
        {"asset": STRANGER.address},
        {"network": "eip155:1"},
        {"scheme": "upto"},
        {"maxTimeoutSeconds": 86_400},
        {"extra": {"name": "Test Dollar", "version": "1"}},
        {"extra": None},
    ],
    ids=lambda value: next(iter(value)),
)
def test_tampered_terms_are_refused(shop: Shop, tampered: dict[str, Any]) -> None:
    payment = shop.pay(requirement={**shop.offer.requirement, **tampered})
    reply = shop.buy(payment)
    assert reply.status == 402
    assert shop.sales() == []
    assert shop.balances() == UNPAID


def test_a_payment_for_another_resource_is_refused(shop: Shop) -> None:
    payload = {**shop.payload(), "resource": {"url": "http://shop.example/tools/other"}}
    assert "another resource" in said(shop.buy(parse_payment(payload)))["error"]


def settled_by_another(shop: Shop) -> SignedPayment:
    """Return a payment that somebody who saw it on its way has sent to the chain already."""
    now = int(time.time())
    it = Authorization(PAYER.address, PAYEE.address, PRICE, 0, now + 100_000, secrets.token_bytes(32))
    shop.chain.send(it, shop.chain.sign(it, PAYER))
    return shop.pay(**it._asdict())


def test_a_payment_that_a_third_party_had_settled_is_answered_once(shop: Shop) -> None:
    payment = settled_by_another(shop)
    assert shop.buy(payment).status == 200
    assert shop.buy(payment).status == 200
    assert shop.buy(payment, number=4).status == 409
    assert shop.balances() == PAID
    assert len(shop.handler.runs) == 1


def test_a_payment_that_was_settled_long_before_it_came_is_refused(shop: Shop) -> None:
    payment = settled_by_another(shop)
    shop.chain.advance(shop.offer.seconds + 60)
    assert "nonce_already_used" in said(shop.buy(payment))["error"]
    assert shop.handler.runs == []


def test_a_settled_payment_with_another_signature_is_refused(shop: Shop) -> None:
    payment = settled_by_another(shop)
    assert shop.buy(replace(payment, signature="0x" + "11" * 64 + "1b")).status == 402
    assert shop.handler.runs == []


def test_an_authorization_that_paid_somebody_else_is_refused(shop: Shop) -> None:
    now = int(time.time())
    it = Authorization(PAYER.address, PAYEE.address, PRICE, 0, now + 300, secrets.token_bytes(32))
    other = it._replace(payee=STRANGER.address)
    shop.chain.send(other, shop.chain.sign(other, PAYER))
    assert shop.buy(shop.pay(**it._asdict())).status == 402
    assert shop.handler.runs == []


def test_a_sale_that_was_paid_before_its_tool_failed_stays_owed(shop: Shop) -> None:
    payment = settled_by_another(shop)
    assert shop.buy(payment, number=13).status == 503
    assert [row.state for row in shop.sales()] == ["claimed"]
    # The tool is well again.
    again = shop.sells(handler=lambda *_: Done(ok=True, value=26))
    assert shop.buy(payment, number=13, seller=again).status == 200
    assert [row.state for row in shop.sales()] == ["settled"]


@pytest.mark.parametrize("value", ["0.01", "-1", "1e4", "", "0", "0x10", " 10000", "10000.0", str(2**63), str(2**256)])
def test_amounts_that_are_none_are_refused_where_they_are_read(shop: Shop, value: str) -> None:
    payload = shop.payload()
    payload["payload"]["authorization"]["value"] = value
    with pytest.raises(InputError, match="no amount"):
        parse_payment(payload)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("from", "0x12"),
        ("to", None),
        ("nonce", "0x" + "g" * 64),
        ("nonce", "0x1234"),
        ("validBefore", "-1"),
        ("validBefore", 1e9),
        ("validAfter", str(2**63)),
        ("validAfter", True),
    ],
)
def test_an_authorization_with_a_slip_is_refused_where_it_is_read(shop: Shop, where: str, value: object) -> None:
    payload = shop.payload()
    payload["payload"]["authorization"][where] = value
    with pytest.raises(InputError):
        parse_payment(payload)


@pytest.mark.parametrize("broken", [None, [], "x", {}, {"x402Version": 2}, {"x402Version": 3, "payload": {}}])
def test_what_is_no_payment_is_refused_where_it_is_read(broken: object) -> None:
    with pytest.raises(InputError):
        parse_payment(broken)


# Who pays another way than was signed.


def test_a_payer_who_uses_the_nonce_for_himself_gets_nothing(shop: Shop) -> None:
    """Two authorizations under one nonce: the one that is sent to the chain meanwhile pays the payer himself."""
    nonce, now = secrets.token_bytes(32), int(time.time())
    payment = shop.pay(nonce=nonce)
    own = Authorization(PAYER.address, PAYER.address, PRICE, 0, now + 300, nonce)
    shop.handler.before = lambda: shop.chain.send(own, shop.chain.sign(own, PAYER))
    reply = shop.buy(payment)
    assert reply.status == 402
    assert b"42" not in reply.body
    assert shop.sales()[0].state == "lapsed"
    assert shop.buy(payment).status == 402
    assert shop.balances() == UNPAID


def test_a_payer_who_spends_his_money_meanwhile_gets_nothing_until_he_has_it(shop: Shop) -> None:
    payment, now = shop.pay(), int(time.time())
    away = Authorization(PAYER.address, STRANGER.address, DOLLAR, 0, now + 300, secrets.token_bytes(32))
    shop.handler.before = lambda: shop.chain.send(away, shop.chain.sign(away, PAYER))
    reply = shop.buy(payment)
    assert (reply.status, in_header(reply, "PAYMENT-RESPONSE")["success"]) == (402, False)
    assert b"42" not in reply.body
    assert shop.earned == 0
    shop.chain.fund(PAYER.address, units=PRICE)
    assert (shop.buy(payment).body, shop.earned) == (b"42", PRICE)
    assert len(shop.handler.runs) == 1


def test_an_authorization_that_expires_unused_is_closed_by_the_chain_alone(shop: Shop) -> None:
    payment = shop.pay()
    with shop.rpc.failing(RpcFault(method="eth_sendRaw")):
        assert shop.buy(payment).status == 503
    assert shop.seller.recover().settled == 1
    assert shop.balances() == PAID

    late = shop.pay()
    with shop.rpc.failing(RpcFault(method="eth_sendRaw")):
        assert shop.buy(late).status == 503
        shop.chain.advance(1000)
        assert shop.seller.recover().lapsed == 1
    reply = shop.buy(late)
    assert (reply.status, said(reply)["error"]) == (402, "the authorization expired unused")
    assert shop.balances() == PAID


def test_a_price_that_changed_does_not_change_what_was_sold(shop: Shop) -> None:
    from dataclasses import replace

    payment = shop.pay()
    shop.buy(payment)
    dearer = replace(shop.offer, units=2 * PRICE, version=2)
    assert shop.seller.sell(dearer, URL, {"number": 21}, payment).body == b"42"
    assert shop.seller.sell(dearer, URL, {"number": 21}, shop.pay()).status == 402


def test_an_answer_waits_until_the_block_is_confirmed(shop: Shop) -> None:
    from mayfly.market._chain_reader import ChainReader

    payment = shop.pay()
    careful = shop.sells(reader=ChainReader(shop.rpc.url, confirmations=2))
    reply = shop.buy(payment, seller=careful)
    assert reply.status == 503
    assert b"42" not in reply.body
    shop.chain.mine(2)
    assert shop.buy(payment, seller=careful).body == b"42"
    assert len(shop.handler.runs) == 1
    assert shop.balances() == PAID


def test_gas_is_counted_only_where_it_is_ours(shop: Shop) -> None:
    shop.buy(shop.pay())
    assert shop.facilitator.pays_gas
    assert int(shop.sales()[0].gas) > 21_000
    assert shop.chain.balance(RELAY.address) == 0
