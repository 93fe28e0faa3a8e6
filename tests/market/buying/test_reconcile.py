"""What is left open is closed by what the chain shows, and by nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime

import pytest

from market.shops import on_both
from mayfly.market import Reconciled, reconcile
from mayfly.operations import payments_to_look_at
from mayfly.store import PaymentRow
from mayfly.testing.chain import Authorization, RpcFault, account

from .conftest import FUNDS, World
from .shop import PRICE, Shop

_STEPS = 16


def bought(world: World, shop: Shop, call: str = "c1") -> PaymentRow:
    world.buyer().buy(call, f"{shop.base}/answer", "0.01")
    return world.row(call)


def closed(world: World) -> Reconciled:
    return reconcile(world.open())


def expire(world: World, row: PaymentRow) -> None:
    world.chain.advance(row.valid_before - max(world.chain.now, int(time.time())) + 1)


@on_both
def test_an_unused_payment_is_released_only_by_a_block_after_its_expiry(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    assert row.state == "unknown"
    assert closed(world).moved == {}
    expire(world, row)
    assert closed(world).moved == {row.id: "released"}
    assert world.cost() == 0


def test_the_clock_of_this_machine_releases_nothing(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    late = world.open(clock=lambda: row.valid_before + 10_000.0)
    assert reconcile(late).moved == {}


def test_a_block_that_is_not_confirmed_releases_nothing(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(confirmations=3)
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    expire(world, row)
    assert closed(world).moved == {}
    world.chain.mine(3)
    assert closed(world).moved == {row.id: "released"}


def test_a_transfer_that_is_not_confirmed_is_not_settled(make_world: Callable[..., World], shop: Shop) -> None:
    world = make_world(confirmations=3)
    done = world.buyer().buy("c1", f"{shop.base}/answer", "0.01")
    assert done.status == "unknown"
    assert done.answer is not None
    world.chain.mine(3)
    row = world.row("c1")
    assert closed(world).moved == {row.id: "delivered"}


def test_a_node_that_is_down_or_of_another_chain_closes_nothing(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    expire(world, row)
    for method in ("", "eth_call", "eth_getBlockByNumber", "eth_blockNumber", "eth_chainId"):
        with world.rpc.failing(RpcFault(method=method)):
            assert closed(world).moved == {}
    told = world.rpc._ask

    def elsewhere(method: str, params: list[object]) -> dict[str, object]:
        return {"result": 1} if method == "eth_chainId" else told(method, params)

    world.rpc._ask = elsewhere
    try:
        assert closed(world).moved == {}
    finally:
        world.rpc._ask = told
    assert closed(world).moved == {row.id: "released"}


@on_both
def test_a_transfer_that_came_late_is_seen(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    shop.settle(shop.paid[0])
    shop.before_settling = lambda: None
    shop.answers[row.nonce] = 200, {}, b"late"
    assert closed(world).moved == {row.id: "delivered"}
    assert world.cost() == PRICE == FUNDS - world.balance()


@on_both
def test_paid_without_an_answer_is_disputed_once_it_expired(world: World, shop: Shop) -> None:
    shop.after_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    assert row.state == "settled"
    assert closed(world).moved == {}
    late = world.open(clock=lambda: row.valid_before + 1.0)
    assert reconcile(late).moved == {row.id: "disputed"}
    assert world.cost() == PRICE
    shop.after_settling = lambda: None
    assert world.buyer().buy("c1", f"{shop.base}/answer", "0.01").status == "delivered"
    assert world.balance() == FUNDS - PRICE


def test_a_released_call_may_be_bought_again(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    expire(world, row)
    closed(world)
    shop.before_settling = lambda: None
    assert bought(world, shop).state == "delivered"
    assert world.balance() == FUNDS - PRICE


def test_those_that_move_are_left_alone(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    expire(world, row)
    changed = datetime.fromisoformat(row.changed).timestamp()
    assert reconcile(world.open(clock=lambda: changed + 9), idle=10).seen == 0
    assert reconcile(world.open(clock=lambda: changed + 11), idle=10).moved == {row.id: "released"}


@on_both
def test_killed_between_any_two_steps_everything_is_closed_and_nothing_paid_twice(world: World, shop: Shop) -> None:
    url = f"{shop.base}/answer"
    told = {
        "settings": {one.variable: str(one.value) for one in world.settings.show() if one.value != one.default},
        "account": world.number,
        "url": url,
        "most": _STEPS,
    }
    ran = subprocess.run(
        [sys.executable, "-m", "tests.market.buying.killed"],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    ended = ran.stdout.split()
    assert len(ended) == _STEPS, ran.stderr
    # The last one takes all of its steps: the points before it are all there are.
    assert ended[-1] == "delivered", ended
    assert ended.count("killed") >= 10
    states = {row.call: row.state for row in world.payments.each()}
    assert {"reserved", "sent", "delivered"} <= set(states.values())
    closed(world)
    newest = max((row.valid_before for row in world.payments.each()), default=0)
    world.chain.advance(newest - max(world.chain.now, int(time.time())) + 1)
    reconcile(world.open(clock=lambda: newest + 1.0))
    after = {row.call: row.state for row in world.payments.each()}
    assert set(after.values()) <= {"released", "delivered"}, after
    assert world.cost() == FUNDS - world.balance()
    for number in range(_STEPS):
        again = world.buyer().buy(f"k{number}", url, "0.01")
        assert again.status == "delivered"
    assert world.balance() == FUNDS - _STEPS * PRICE
    assert world.cost() == _STEPS * PRICE
    assert world.ledger.verify().broken == ""


@pytest.mark.parametrize("word", ["settled", "cancelled"])
def test_an_authorization_that_was_cancelled_is_released(world: World, shop: Shop, word: str) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    if word == "settled":
        shop.settle(shop.paid[0])
        shop.before_settling = lambda: (200, {}, b"here")
    else:
        _cancel(world, row)
    closed(world)
    assert world.row("c1").state == {"settled": "delivered", "cancelled": "released"}[word]


def _cancel(world: World, row: PaymentRow) -> None:
    key = account(world.number)
    domain = {
        "name": "Test Dollar",
        "version": "2",
        "chainId": world.chain.chain_id,
        "verifyingContract": world.chain.asset,
    }
    kinds = {"CancelAuthorization": [{"name": "authorizer", "type": "address"}, {"name": "nonce", "type": "bytes32"}]}
    nonce = bytes.fromhex(row.nonce[2:])
    signed = key.sign_typed_data(domain, kinds, {"authorizer": key.address, "nonce": nonce})
    with world.chain.lock:
        world.chain.token.functions.cancelAuthorization(
            key.address, nonce, signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big")
        ).transact({"from": world.chain._bank, "gas": 1_000_000})


def test_a_nonce_used_for_another_transfer_is_said_and_stays_counted(world: World, shop: Shop) -> None:
    shop.before_settling = lambda: (500, {}, b"")
    row = bought(world, shop)
    key = account(world.number)
    elsewhere = Authorization(
        key.address, account(1).address, 1, row.valid_after, row.valid_before, bytes.fromhex(row.nonce[2:])
    )
    world.chain.send(elsewhere, world.chain.sign(elsewhere, key))
    expire(world, row)
    for _ in range(3):
        reconcile(world.open(clock=lambda: row.valid_before + 1.0))
    stands = world.row("c1")
    assert (stands.state, stands.turn) == ("unknown", row.turn + 1)
    assert "another transfer than the one that was signed" in stands.reason
    # It counts as spent, and whoever asks again gets no second signature.
    assert bought(world, shop).state == "unknown"
    assert len(world.signed) == 1
    told = payments_to_look_at(world.ledger, now=row.valid_before + 3600)
    assert [one["reason"] for one in told] == [stands.reason]
