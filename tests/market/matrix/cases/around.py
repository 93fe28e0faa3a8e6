"""What stands around a payment and fails: facilitators, nodes, stores."""

from __future__ import annotations

from collections.abc import Iterator

from market.matrix.case import CHEAP, DELIVERED, RELEASED, SETTLED, Case
from market.matrix.parties import PRICE


def facilitator() -> Iterator[Case]:
    """Whatever a facilitator does, the chain has the last word."""
    twice: list[tuple[str, str]] = [
        ("verify=down!", "unknown"),
        ("verify=503!", "unknown"),
        ("verify=slow!", "unknown"),
        ("verify=garbage!", "unknown"),
        ("settle=down!", "unknown"),
        ("settle=503!", "unknown"),
        ("settle=garbage!", "unknown"),
        ("settle=redirect!", "unknown"),
        ("settle=lie!", "unknown"),
        ("settle=lieother!", "unknown"),
        ("settle=refuse!", "unknown"),
        ("settle=slow!", "unknown|settled|delivered"),
    ]
    for how, seen in twice:
        yield Case(
            name=f"facilitator-{how.rstrip('!')}",
            about="nothing is handed out until the chain shows it; once the facilitator is well, the same payment pays",
            play=("sell", f"fac {how}", "buy", f"fac {how.split('=')[0]}=ok", "wait 1.1", "buy"),
            see=(seen, "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
        )
    for how in ("504after", "dropafter", "twice", "refuseafter"):
        yield Case(
            name=f"facilitator-settle={how}",
            about="it settled and says otherwise: the chain is believed, and the buyer is charged once",
            play=("sell", f"fac settle={how}", "buy"),
            see=("delivered",),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
        )
    for how in ("verify=invalid!", "settle=lie!", "settle=refuse!"):
        yield Case(
            name=f"facilitator-for-good-{how.rstrip('!')}",
            about="never settled: nothing is handed out and nothing is paid",
            play=("sell", f"fac {how}", "buy", "money", "expire", "recover", "reconcile"),
            see=(
                "unknown",
                f"cost:0 risk:{PRICE}",
                "none" if how.startswith("verify") else "lapsed:1",
                "released:1",
            ),
            charged=0,
            runs=0 if how.startswith("verify") else 1,
            payments=RELEASED,
        )
    yield Case(
        name="facilitator-late",
        about="it answers 504 and settles later",
        play=("sell", "fac settle=late!", "buy", "late", "fac settle=ok", "wait 1.1", "buy"),
        see=("unknown", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
    )
    yield Case(
        name="facilitator-late-reconcile",
        about="it settles later and nobody asks again: both sides see it by themselves",
        play=("sell", "fac settle=late!", "buy", "late", "fac settle=ok", "wait 1.1", "recover", "reconcile"),
        see=("unknown", "settled:1", "delivered:1"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
    )
    yield Case(
        name="facilitator-trusts-bad-signature",
        about="it verifies without looking: the tool may run, and nothing is handed out",
        play=("sell", "fac verify=trust!", "raw signature=random"),
        see=("http:402|http:503",),
        charged=0,
        runs=(0, 1),
    )


def nodes() -> Iterator[Case]:
    """Whatever a node does not say is not guessed."""
    for side, mode, seen in (
        ("buyer", "down", "unknown|refused"),
        ("buyer", "slow", "unknown|refused"),
        ("buyer", "lag", "unknown"),
        ("buyer", "nologs", "unknown"),
        ("buyer", "otherchain", "unknown|refused|error"),
        ("seller", "down", "unknown|settled"),
        ("seller", "slow", "unknown|settled"),
        ("seller", "lag", "unknown|settled"),
        ("seller", "nologs", "unknown|settled"),
        ("seller", "otherchain", "unknown|settled"),
    ):
        yield Case(
            name=f"node-{side}-{mode}",
            about="open while the node is not well; afterwards the same call is delivered, charged once",
            play=("sell", f"node {side}={mode}", "buy", f"node {side}=ok", "wait 1.1", "buy"),
            see=(seen, "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
        )
    yield Case(
        name="node-buyer-down-after-send",
        about="the node goes while the seller has the payment: whatever the seller says, it is unknown",
        play=("sell", "gate paid=after:node_buyer=down", "buy", "money", "node buyer=ok", "buy", "money"),
        see=("unknown", f"cost:0 risk:{PRICE}", "delivered", f"cost:{PRICE} risk:0"),
        charged=1,
        runs=1,
        payments=DELIVERED,
    )
    yield Case(
        name="node-seller-down-after-settle",
        about="the seller cannot see what it was paid: nothing is handed out until it can",
        play=("sell", "fac settle=after:node_seller=down", "buy", "node seller=ok", "wait 1.1", "buy"),
        see=("settled|unknown", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
    )
    for mode in ("lag", "nologs", "down"):
        yield Case(
            name=f"node-buyer-{mode}-past-expiry",
            about="charged, and the node does not show it: time alone releases nothing",
            play=(
                "sell",
                f"gate paid=before:node_buyer={mode}",
                "buy",
                "expire",
                "reconcile",
                "money",
                "node buyer=ok",
                "reconcile",
            ),
            see=("unknown", "none|unknown:1", f"cost:0 risk:{PRICE}", "delivered:1"),
            charged=1,
            runs=1,
            payments=DELIVERED,
        )
    for mode in ("lost@eth_sendRawTransaction", "down@eth_sendRawTransaction", "ok"):
        yield Case(
            name=f"relay-{mode.split('@')[0]}",
            about="our own facilitator: a lost answer of the node is not sent as another payment",
            play=("sell", f"node seller={mode}", "buy", "node seller=ok", "wait 1.1", "buy"),
            see=("delivered" if mode == "ok" else "delivered|unknown|settled", "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
            seller={"relay": True},
        )
    for mode in ("kill", "killafter"):
        yield Case(
            name=f"relay-{mode}",
            about="our own facilitator is killed around the instant its transaction leaves",
            play=(
                "sell",
                f"node seller={mode}@eth_sendRawTransaction",
                "buy",
                "node seller=ok",
                "sell",
                "wait 1.1",
                "buy",
            ),
            see=("unknown|settled", "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
            seller={"relay": True},
        )
    yield Case(
        name="confirmations",
        about="what is not confirmed is not evidence, for either side",
        play=("sell", "buy", "mine 3", "wait 1.1", "buy"),
        see=("unknown", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        buyer={"confirmations": 3},
        seller={"confirmations": 3},
    )
    yield Case(
        name="confirmations-buyer-only",
        about="the seller believes sooner than the buyer: the answer is kept, and delivered when it is confirmed",
        play=("sell", "buy", "money", "mine 3", "buy"),
        see=("unknown", f"cost:0 risk:{PRICE}", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        buyer={"confirmations": 3},
    )
    yield Case(
        name="chain-ahead",
        about="the chain's clock is hours ahead of everybody's: whatever comes of it, the books agree",
        play=("sell", "expire", "buy"),
        see=("unknown|refused|delivered|error",),
        charged=(0, 1),
    )


def stores() -> Iterator[Case]:
    """A store that does not answer loses nothing."""
    yield Case(
        name="store-locked-before",
        about="nothing is signed where nothing can be kept",
        play=("sell", "buy call=warm", "lock buyer", "buy", "sent", "unlock", "buy"),
        see=("delivered", "error|refused", "payments:1", "delivered"),
        charged=2,
        runs=2,
    )
    yield Case(
        name="store-locked-after-sign",
        about="signed, and it cannot be kept: it does not leave",
        play=("sell", "buy fault=lock-after-sign", "sent", "buy"),
        see=("error|refused|reserved", "payments:0", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        signed=1,
    )
    yield Case(
        name="store-locked-while-sent",
        about="the answer comes and cannot be kept: the same call gets it again",
        play=("sell", "gate paid=before:lock_buyer", "buy", "unlock", "buy"),
        see=("error|unknown|settled|delivered", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        signed=1,
    )
    yield Case(
        name="store-seller-locked-before-claim",
        about="what cannot be claimed is not sold",
        play=("sell", "gate paid=before:lock_seller", "buy", "unlock", "wait 1.1", "buy"),
        see=("unknown", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
        buyer=CHEAP,
    )
    yield Case(
        name="store-seller-locked-while-settling",
        about="settled on the chain, and the seller cannot keep that: nothing is lost",
        play=("sell", "fac settle=after:lock_seller", "buy", "unlock", "wait 1.1", "buy"),
        see=("settled|unknown", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
        buyer=CHEAP,
    )
