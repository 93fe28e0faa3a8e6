"""Processes that are killed at every step: buyers, sellers, and who looks after what they left."""

from __future__ import annotations

from collections.abc import Iterator

from market.matrix.case import CHEAP, DELIVERED, RELEASED, SETTLED, Case
from market.matrix.parties import PRICE


def kills_of_buyer() -> Iterator[Case]:
    """A buyer that is killed at any step and starts again buys once."""
    steps = [
        f"{when}-{step}"
        for step in ("decide", "PaymentReserved", "sign", "PaymentSent", "PaymentSettled", "PaymentDelivered")
        for when in ("before", "after")
    ]
    for step in steps:
        yield Case(
            name=f"buyer-dies-{step}",
            about="the same call again goes on where it stopped",
            play=("sell", f"buy fault=die-{step}", "buy"),
            see=("killed", "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
        )
    for word in ("quote", "paid"):
        for mode in ("killbefore", "killafter"):
            yield Case(
                name=f"buyer-dies-{word}-{mode}",
                about="killed while the seller has the request, or has answered it",
                play=("sell", f"gate {word}={mode}", "buy", "buy"),
                see=("killed", "delivered"),
                charged=1,
                runs=1,
                payments=DELIVERED,
                sales=SETTLED,
            )


def kills_then_reconcile() -> Iterator[Case]:
    """A buyer that is killed and never asks again: looking at what is open closes it by the chain alone."""
    for step, moved, charged in (
        ("after-PaymentReserved", "released:1", 0),
        ("before-sign", "released:1", 0),
        ("before-PaymentSent", "released:1", 0),
        ("after-PaymentSent", "none|unknown:1", 0),
        ("before-PaymentSettled", "delivered:1", 1),
        ("after-PaymentSettled", "delivered:1", 1),
        ("before-PaymentDelivered", "delivered:1", 1),
    ):
        yield Case(
            name=f"reconcile-{step}",
            about="what was not signed is given back; what was is closed by what the chain shows",
            play=("sell", f"buy fault=die-{step}", "reconcile"),
            see=("killed", moved),
            charged=charged,
            runs=charged,
            payments=DELIVERED if charged else RELEASED,
        )
    yield Case(
        name="reconcile-paid-killafter",
        about="charged, and the answer was lost with the buyer: the same payment gets it again",
        play=("sell", "gate paid=killafter", "buy", "reconcile"),
        see=("killed", "delivered:1"),
        charged=1,
        runs=1,
        payments=DELIVERED,
    )
    yield Case(
        name="reconcile-paid-killbefore",
        about="sent, never arrived: unknown until its end, then released",
        play=("sell", "gate paid=killbefore", "buy", "reconcile", "money", "expire", "reconcile", "money"),
        see=("killed", "none|unknown:1", f"cost:0 risk:{PRICE}", "released:1", "cost:0 risk:0"),
        charged=0,
        runs=0,
        payments=RELEASED,
    )


def kills_of_seller() -> Iterator[Case]:
    """A seller that is killed at any step and starts again sells once."""
    steps = (
        ("fault=die-before-SaleClaimed", 1, "unknown"),
        ("fault=die-after-SaleClaimed", 1, "unknown"),
        ("handler=die", 2, "unknown"),
        ("fault=die-before-SaleAnswered", 2, "unknown"),
        ("fault=die-after-SaleAnswered", 1, "unknown"),
        ("fault=die-before-SaleSettling", 1, "unknown"),
        ("fault=die-after-SaleSettling", 1, "unknown"),
        ("fault=die-before-SaleSettled", 1, "settled"),
        ("fault=die-after-SaleSettled", 1, "settled"),
    )
    for how, runs, seen in steps:
        yield Case(
            name=f"seller-dies-{how.split('=')[1]}",
            about="the same payment goes on where it stopped",
            play=(f"sell {how}", "buy", "sell", "wait 1.1", "buy"),
            see=(seen, "delivered"),
            charged=1,
            runs=runs,
            payments=DELIVERED,
            sales=SETTLED,
        )
    for word, mode, seen in (
        ("verify", "kill", "unknown"),
        ("settle", "kill", "unknown"),
        ("settle", "killafter", "settled"),
    ):
        yield Case(
            name=f"seller-dies-{word}-{mode}",
            about="killed while the facilitator has its question, or has settled",
            play=("sell", f"fac {word}={mode}", "buy", "sell", "wait 1.1", "buy"),
            see=(seen, "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
        )
    for how, charged, moved in (
        ("fault=die-after-SaleClaimed", 0, "none|unknown:1"),
        ("fault=die-after-SaleAnswered", 1, "delivered:1"),
        ("fault=die-after-SaleSettling", 1, "delivered:1"),
        ("fault=die-before-SaleSettled", 1, "delivered:1"),
    ):
        yield Case(
            name=f"recover-{how.split('-', 1)[1]}",
            about="the seller starts again and nobody asks: what was answered is settled, what was not costs nothing",
            play=(f"sell {how}", "buy", "sell", "wait 2.1", "recover", "reconcile"),
            see=("unknown|settled", "…", moved),
            charged=charged,
            payments=DELIVERED if charged else RELEASED,
            sales=SETTLED if charged else {"failed": 1},
            buyer=CHEAP,
        )
