"""What goes wrong around a sale: the facilitator, the node, the process itself. Money is counted on the chain."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from market.seller.child import INSTANTS, Done
from market.shops import PRICE, URL, Faults, Shop, faulty_facilitator, on_both, said
from mayfly.market.facilitator import FacilitatorClient
from mayfly.market.seller import SellerLimits
from mayfly.testing.chain import DOLLAR, LocalChain, RpcFault, RpcServer

UNPAID = (DOLLAR, 0)
PAID = (DOLLAR - PRICE, PRICE)
# Where the lease of whoever was killed has ended.
LATER = 3600


@pytest.fixture
def distant(chain: LocalChain, rpc: RpcServer) -> Iterator[tuple[Faults, str]]:
    with faulty_facilitator(chain, rpc) as served:
        yield served


def charged_once(shop: Shop) -> None:
    assert shop.balances() == PAID
    assert len([one for one in shop.chain.transfers() if one[2] == PRICE]) == 1


# The facilitator.


@pytest.mark.parametrize("mode", ["", "504", "twice"])
def test_a_facilitator_that_settled_whatever_it_says_charges_once(
    shop: Shop, distant: tuple[Faults, str], mode: str
) -> None:
    faults, url = distant
    faults.mode = mode
    seller = shop.sells(facilitator=FacilitatorClient(url))
    payment = shop.pay()
    assert shop.buy(payment, seller=seller).body == b"42"
    assert shop.buy(payment, seller=seller).body == b"42"
    assert len(shop.handler.runs) == 1
    charged_once(shop)


def test_a_slow_facilitator_is_not_waited_for_and_charges_once(shop: Shop, distant: tuple[Faults, str]) -> None:
    faults, url = distant
    seller = shop.sells(facilitator=FacilitatorClient(url, timeout=0.8))
    payment = shop.pay()
    assert shop.buy(shop.pay(), seller=seller).status == 200  # everything is warm now
    faults.mode = "slow"
    reply = shop.buy(payment, seller=seller)
    faults.mode = ""
    assert reply.status in (200, 503)
    assert shop.buy(payment, seller=seller).body == b"42"
    assert shop.balances() == (DOLLAR - 2 * PRICE, 2 * PRICE)
    assert len(shop.handler.runs) == 2


@pytest.mark.parametrize("mode", ["lies", "garbage", "down at settlement"])
def test_nothing_is_handed_out_on_the_word_of_a_facilitator(shop: Shop, distant: tuple[Faults, str], mode: str) -> None:
    faults, url = distant
    faults.mode = mode
    seller = shop.sells(facilitator=FacilitatorClient(url))
    payment = shop.pay()
    reply = shop.buy(payment, seller=seller)
    assert reply.status == 503
    assert b"42" not in reply.body
    assert shop.balances() == UNPAID
    faults.mode = ""
    assert shop.buy(payment, seller=seller).body == b"42"
    assert len(shop.handler.runs) == 1
    charged_once(shop)


def test_with_the_facilitator_down_nothing_is_claimed(shop: Shop, distant: tuple[Faults, str]) -> None:
    faults, url = distant
    faults.mode = "down"
    payment = shop.pay()
    for seller in (
        shop.sells(facilitator=FacilitatorClient(url)),
        shop.sells(facilitator=FacilitatorClient("http://127.0.0.1:9")),
    ):
        reply = shop.buy(payment, seller=seller)
        assert reply.status == 503
        assert "nothing was charged" in said(reply)["error"]
    assert (shop.sales(), shop.handler.runs) == ([], [])
    assert shop.balances() == UNPAID


# The node.


@pytest.mark.parametrize("method", ["eth_blockNumber", "eth_getLogs", "eth_getTransactionReceipt"])
def test_with_the_node_down_the_answer_waits_and_is_handed_out_later(shop: Shop, method: str) -> None:
    payment = shop.pay()
    seller = shop.sells()
    with shop.rpc.failing(RpcFault(method=method)):
        reply = shop.buy(payment, seller=seller)
        assert reply.status == 503
        assert b"42" not in reply.body
    assert shop.buy(payment, seller=seller).body == b"42"
    assert len(shop.handler.runs) == 1
    charged_once(shop)


def test_with_the_node_down_before_anything_nothing_is_claimed(shop: Shop) -> None:
    with shop.rpc.failing(RpcFault()):
        assert shop.buy(shop.pay()).status == 503
    assert (shop.sales(), shop.balances()) == ([], UNPAID)


def test_a_lost_answer_of_the_node_charges_once(shop: Shop) -> None:
    payment = shop.pay()
    with shop.rpc.failing(RpcFault(method="eth_sendRaw", before=False)):
        reply = shop.buy(payment)
    assert reply.status in (200, 503)
    assert shop.buy(payment).body == b"42"
    charged_once(shop)


# The process.


@on_both
@pytest.mark.parametrize("instant", INSTANTS)
def test_a_seller_killed_between_any_two_steps_charges_once_and_delivers(
    shop: Shop, distant: tuple[Faults, str], tmp_path: Path, database: str, instant: str
) -> None:
    payload = shop.payload()
    told = {
        "database": database,
        "instant": instant,
        "state": str(tmp_path / "state"),
        "rpc": shop.rpc.url,
        "facilitator": distant[1],
        "offer": asdict(shop.offer),
        "url": URL,
        "payment": payload,
        "runs": str(tmp_path / "runs"),
    }
    command = [sys.executable, "-m", "market.seller.child", json.dumps(told)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60)
    assert ended.returncode == -9, ended.stderr
    assert shop.chain.supply() == DOLLAR

    from mayfly.market.seller._payment import parse_payment

    payment = parse_payment(payload)
    later = shop.sells(clock=lambda: time.time() + LATER)
    if instant not in ("before sale.claimed", "after sale.settled"):
        # While the lease holds nobody else touches it.
        waiting = shop.sells(limits=SellerLimits(patience=0, settle=0))
        assert shop.buy(payment, seller=waiting).status == 503
        later.recover()
    reply = shop.buy(payment, seller=shop.sells() if instant == "before sale.claimed" else later)
    assert (reply.status, reply.body) == (200, b"42")
    assert [row.state for row in shop.sales()] == ["settled"]
    charged_once(shop)
    runs = (tmp_path / "runs").read_text().splitlines() if (tmp_path / "runs").exists() else []
    # Where the answer was kept the handler does not run again; before that it has to.
    kept = INSTANTS.index(instant) >= INSTANTS.index("after sale.answered")
    assert len(shop.handler.runs) == (0 if kept else 1)
    assert len(runs) <= 1


@on_both
def test_what_was_answered_is_settled_by_recovery_without_the_buyer(shop: Shop) -> None:
    payment = shop.pay()
    with shop.rpc.failing(RpcFault(method="eth_sendRaw")):
        assert shop.buy(payment).status == 503
    recovered = shop.sells(clock=lambda: time.time() + LATER).recover()
    assert (recovered.settled, recovered.open) == (1, 0)
    charged_once(shop)
    assert shop.buy(payment).body == b"42"


def test_a_claim_nobody_answered_is_closed_once_it_can_never_pay(shop: Shop) -> None:
    """A handler that never ends is left behind; its buyer does not come back."""
    stuck = threading.Event()
    shop.handler.before = lambda: stuck.wait(20)
    thread = threading.Thread(target=shop.buy, args=[shop.pay()])
    thread.start()
    try:
        while not shop.handler.runs:
            time.sleep(0.01)
        later = shop.sells(clock=lambda: time.time() + LATER)
        assert later.recover().open == 1
        shop.chain.advance(1000)
        assert later.recover().failed == 1
    finally:
        stuck.set()
        thread.join()
    assert shop.sales()[0].state == "failed"
    assert shop.balances() == UNPAID


@on_both
def test_who_lost_a_claim_in_the_middle_neither_answers_nor_settles(shop: Shop) -> None:
    payment = shop.pay()
    begun, let = threading.Event(), threading.Event()

    def slow(*_: object) -> Done:
        begun.set()
        let.wait(20)
        return Done(ok=True, value="too late")

    replies = []
    slow_one = shop.sells(handler=slow)
    thread = threading.Thread(target=lambda: replies.append(shop.buy(payment, seller=slow_one)))
    thread.start()
    assert begun.wait(10)
    # Its lease has ended for this one, who takes over and sells.
    assert shop.buy(payment, seller=shop.sells(clock=lambda: time.time() + LATER)).body == b"42"
    let.set()
    thread.join()
    # The slow one hands out what was sold, and not what it made.
    assert [reply.body for reply in replies] == [b"42"]
    charged_once(shop)


def test_a_takeover_does_not_work_for_money_that_is_gone(shop: Shop) -> None:
    """The seller is killed after the claim, and the buyer cancels meanwhile."""
    begun, let = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        let.wait(20)

    shop.handler.before = slow
    payment = shop.pay()
    thread = threading.Thread(target=shop.buy, args=[payment])
    thread.start()
    assert begun.wait(10)
    shop.chain.advance(1000)
    later = shop.sells(clock=lambda: time.time() + LATER)
    reply = shop.buy(payment, seller=later)
    let.set()
    thread.join()
    assert (reply.status, said(reply)["charged"]) == (500, False)
    assert len(shop.handler.runs) == 1
    assert shop.balances() == UNPAID


@on_both
def test_the_ledger_recounts_to_the_same_rows(shop: Shop) -> None:
    shop.buy(shop.pay())
    shop.buy(shop.pay(), number=13)
    assert shop.ledger.verify().ok
