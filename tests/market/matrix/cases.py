"""The cases, as data: what is played, and what was expected before anything was tried.

`see` has what each word that shows something has to show; alternatives are separated by `|`. What holds for all cases
is in `world.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.matrix.case import Case
from market.matrix.parties import PRICE

DELIVERED = {"delivered": 1}
RELEASED = {"released": 1}
SETTLED = {"settled": 1}
CHEAP = {"tries": 1}
# Many at once on one small chain, which does one thing at a time.
PATIENT = {"timeout": 20.0, "rpc_timeout": 20.0}


def _kills_of_buyer() -> Iterator[Case]:
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


def _kills_then_reconcile() -> Iterator[Case]:
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


def _kills_of_seller() -> Iterator[Case]:
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


def _facilitator() -> Iterator[Case]:
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
            chaos="slow" in how,
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


def _nodes() -> Iterator[Case]:
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
            chaos=mode == "slow",
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


def _stores() -> Iterator[Case]:
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


def _wires() -> Iterator[Case]:
    """What a network and those in it do."""
    for mode in ("dropbefore", "dropafter", "copies6"):
        yield Case(
            name=f"wire-{mode}",
            about="sent again, it is the same payment",
            play=("sell", f"gate paid={mode}", "buy"),
            see=("delivered",),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
            signed=1,
        )
    for mode, seen in (
        ("502after!", "settled"),
        ("slowafter!", "settled"),
        ("redirect!", "unknown"),
        ("strip!", "unknown"),
        ("dropbefore!", "unknown"),
    ):
        yield Case(
            name=f"wire-{mode.rstrip('!')}-for-long",
            about="open until the wire is well, and one signature throughout",
            play=("sell", f"gate paid={mode}", "buy", "gate paid=ok", "buy"),
            see=(seen, "delivered"),
            charged=1,
            runs=1,
            payments=DELIVERED,
            sales=SETTLED,
            signed=1,
            chaos="slow" in mode,
        )
    for mode in ("redirect", "dropbefore"):
        yield Case(
            name=f"wire-quote-{mode}",
            about="no quote, nothing signed",
            play=("sell", f"gate quote={mode}!", "buy", "sent", "gate quote=ok", "buy"),
            see=("refused", "payments:0", "delivered"),
            charged=1,
            runs=1,
        )
    yield Case(
        name="thief-first",
        about="a stranger in between spends the payment on a request of its own: the buyer is charged once, and told",
        play=("sell", "gate paid=thief", "buy", "expire", "reconcile", "money"),
        see=("settled", "disputed:1", f"cost:{PRICE} risk:0"),
        charged=1,
        runs=1,
        lost=True,
        buyer=CHEAP,
    )
    yield Case(
        name="thief-later-other-body",
        about="a payment that was used buys nothing else",
        play=("sell", "buy", "thief body=other"),
        see=("delivered", "http:409"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="thief-later-same-body",
        about="the same request again gets the answer that was kept",
        play=("sell", "buy", "thief", "stop", "sell", "thief"),
        see=("delivered", "http:200", "http:200"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="stolen-to-the-chain",
        about="a third party sends the authorization to the chain before the seller does",
        play=("sell", "gate paid=before:steal", "buy", "buy"),
        see=("delivered|settled", "delivered"),
        charged=1,
        runs=1,
        payments=DELIVERED,
        sales=SETTLED,
    )
    tampers: list[tuple[str, dict[str, Any], str, int]] = [
        ("payTo=FRIEND", {"payees": "PAYEE"}, "refused", 0),
        ("amount=20000", {}, "refused", 0),
        ("amount=5000", {}, "unknown", 1),
        ("url=http://127.0.0.1:1/other", {}, "refused", 0),
        ("asset=0x00000000000000000000000000000000000000aa", {}, "refused", 0),
        ("network=eip155:1", {}, "refused", 0),
        ("maxTimeoutSeconds=300", {}, "refused", 0),
    ]
    for what, settings, seen, signed in tampers:
        yield Case(
            name=f"tampered-{what.split(':')[0]}",
            about="terms that were changed on their way cost nothing",
            play=("sell", f"tamper {what}", "buy"),
            see=(seen,),
            charged=0,
            runs=0,
            signed=signed,
            buyer={**settings, **CHEAP},
        )


def _caps() -> Iterator[Case]:
    """Caps hold, however many buy at once."""
    for processes in (1, 4):
        yield Case(
            name=f"caps-hour-{processes}",
            about="twenty buyers with a cap for four",
            play=("sell", f"buy calls=20 processes={processes}"),
            see=("delivered:4 refused:16",),
            charged=4,
            runs=4,
            payments={"delivered": 4},
            buyer={"per_hour": "0.04", **PATIENT},
            seller={"lease": 20.0, "settle_wait": 10.0, **PATIENT},
            chaos=processes > 1,
        )
    yield Case(
        name="caps-agent",
        about="six purchases of an agent with a cap for two",
        play=("sell", "buy calls=6 agent=ann", "buy call=other agent=bob"),
        see=("delivered:2 refused:4", "delivered"),
        charged=3,
        runs=3,
        buyer={"per_agent": "0.02", **PATIENT},
        seller={"lease": 10.0, "settle_wait": 5.0, **PATIENT},
    )
    yield Case(
        name="funds-for-four",
        about="twenty buyers with money for four: four are charged, and the others get nothing",
        play=("sell", "buy calls=20"),
        see=("delivered:4…",),
        charged=4,
        payments=None,
        funds=4 * PRICE,
        buyer={"tries": 1, **PATIENT},
        seller={"lease": 20.0, "settle_wait": 1.0, **PATIENT},
    )
    yield Case(
        name="no-funds",
        about="an empty wallet buys nothing",
        play=("sell", "buy"),
        see=("refused|unknown",),
        charged=0,
        runs=0,
        funds=0,
        buyer=CHEAP,
    )
    for copies, processes in ((6, 1), (4, 4)):
        yield Case(
            name=f"same-call-{copies}x{processes}",
            about="copies of one call at once are one purchase",
            play=("sell", f"buy copies={copies} processes={processes}"),
            see=(f"delivered:{copies}",),
            charged=1,
            runs=1,
            payments=DELIVERED,
            signed=1,
            buyer={"takeover": 5.0, **PATIENT},
            seller={"lease": 10.0, "settle_wait": 5.0, **PATIENT},
        )
    yield Case(
        name="same-call-again",
        about="a call that is delivered is told again and not paid again",
        play=("sell", "buy", "stop", "buy"),
        see=("delivered", "delivered"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="same-call-other-body",
        about="one call id buys one thing",
        play=("sell", "buy", "buy about=wind"),
        see=("delivered", "error|refused"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="caps-call",
        about="dearer than one purchase may be",
        play=("sell", "buy max=1"),
        see=("refused",),
        charged=0,
        signed=0,
        buyer={"per_call": "0.005"},
    )
    yield Case(
        name="caps-zero",
        about="zero means zero",
        play=("sell", "buy"),
        see=("refused",),
        charged=0,
        signed=0,
        buyer={"per_hour": "0"},
    )
    yield Case(
        name="caps-unknown-counts",
        about="what is unknown counts as spent",
        play=("sell", "fac settle=down!", "buy call=a", "buy call=b", "fac settle=ok", "wait 1.1", "buy call=a"),
        see=("unknown", "refused", "delivered"),
        charged=1,
        buyer={"per_hour": "0.01"},
    )
    yield Case(
        name="caps-released-counts-not",
        about="what was given back may be spent",
        play=("sell", "buy call=a fault=die-after-PaymentReserved", "reconcile", "buy call=b"),
        see=("killed", "released:1", "delivered"),
        charged=1,
        buyer={"per_hour": "0.01"},
    )
    yield Case(
        name="host-not-named",
        about="nobody is paid who is not named",
        play=("sell", "buy"),
        see=("refused|error",),
        charged=0,
        signed=0,
        buyer={"hosts": "example.com"},
    )
    for price in ("-1", "1e4", "abc", "0.0000001", "0", "NaN", "0.005"):
        yield Case(
            name=f"max-price-{price}",
            about="a price that is none, or is less than what is asked",
            play=("sell", f"buy max={price}"),
            see=("refused|error",),
            charged=0,
            signed=0,
        )
    for skew in (-3600, 3600, -200, 200):
        yield Case(
            name=f"skew{skew:+}",
            about="a buyer whose clock is wrong is charged once or not at all",
            play=("sell", f"buy skew={skew}", f"buy skew={skew}"),
            see=("unknown|refused|delivered", "unknown|refused|delivered"),
            charged=(0, 1),
            buyer=CHEAP,
        )


def _raw() -> Iterator[Case]:
    """Payments made by hand, sent to our shop."""
    for say, seen, charged in (
        ("version=2", "http:200", 1),
        ("version=1", "http:200", 1),
        ("before=-10", "http:402", 0),
        ("before=3", "http:402", 0),
        ("after=1000 before=1200", "http:402", 0),
        ("units=10001", "http:402", 0),
        ("units=9999", "http:402", 0),
        ("units=0", "http:402|http:400", 0),
        ("payee=FRIEND", "http:402", 0),
        ("token=0x00000000000000000000000000000000000000aA", "http:402", 0),
        ("chain=1", "http:402", 0),
        ("signature=random", "http:402", 0),
        ("signature=short", "http:402|http:400", 0),
        ("signer=903", "http:402", 0),
        ("payer=904", "http:402", 0),
        ("accepted_amount=1", "http:402", 0),
        ("accepted_asset=0x00000000000000000000000000000000000000aa", "http:402", 0),
        ("accepted_network=eip155:1", "http:402", 0),
        ("accepted_scheme=upto", "http:402|http:400", 0),
        ("accepted_payTo=0x00000000000000000000000000000000000000aa", "http:402", 0),
        ("value=1e4", "http:402|http:400", 0),
        ("value=-1", "http:402|http:400", 0),
        ("value=0.01", "http:402|http:400", 0),
        (f"value={2**256}", "http:402|http:400", 0),
        (f"value={2**63}", "http:402|http:400", 0),
        ("written_nonce=0x12", "http:402|http:400", 0),
        ("header=junk", "http:402|http:400", 0),
        ("header=deep", "http:402|http:400|http:431", 0),
        ("header=number", "http:402|http:400", 0),
        ("header=list", "http:402|http:400", 0),
        ("header=long", "http:402|http:400|http:431", 0),
    ):
        yield Case(
            name=f"raw-{say.replace(' ', '-')[:40]}",
            about="what does not pay the price exactly gets nothing",
            play=("sell", f"raw {say}"),
            see=(seen,),
            charged=charged,
            runs=charged,
            sales=SETTLED if charged else {},
        )
    again = (
        ("raw again", "http:200"),
        ('raw again body={"about":_"wind"}', "http:409"),
        ("raw again tool=joke", "http:409"),
        ("raw again twisted", "http:409|http:402|http:200"),
        ("raw again upper", "http:200|http:409|http:402|http:400"),
    )
    for second, seen in again:
        yield Case(
            name=f"raw-twice-{second[4:].replace(' ', '-')[:30]}",
            about="a payment is good for one request, however it is written",
            play=("sell", "raw", second),
            see=("http:200", seen),
            charged=1,
            runs=1,
        )
    yield Case(
        name="raw-same-nonce-other-end",
        about="another authorization under the same nonce is another payment, and never runs the tool",
        play=("sell", f"raw nonce={'1' * 64}", f"raw nonce={'1' * 64} before=200"),
        see=("http:200", "http:409|http:402"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="raw-copies",
        about="six copies at once: one run, one charge, six answers",
        play=("sell handler=slow:0.3", "raw copies=6"),
        see=("http:200*6",),
        charged=1,
        runs=1,
        seller={"lease": 10.0, "settle_wait": 5.0, **PATIENT},
    )
    yield Case(
        name="raw-copies-other-bodies",
        about="six requests at once with one payment: one is answered",
        play=("sell handler=slow:0.3", "raw copies=6 bodies=all"),
        see=("http:200 http:409*5",),
        charged=1,
        runs=1,
        seller={"lease": 10.0, "settle_wait": 5.0, **PATIENT},
    )
    yield Case(
        name="raw-settled-by-another",
        about="the authorization is on the chain before the seller has seen it",
        play=("sell", "raw only", "rawsettle", "raw again", "raw again"),
        see=("made", "http:200|http:402|http:503", "http:200"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="raw-settled-by-another-junk",
        about="who does not have the signature gets nothing for a payment that is on the chain; who has it does",
        play=("sell", "raw only", "rawsettle", "raw again junk", "raw again"),
        see=("made", "http:402", "http:200"),
        charged=1,
        runs=1,
    )
    yield Case(
        name="raw-settled-by-another-fails",
        about="paid before it came, and the tool fails: it stays owed, and is delivered once the tool is well",
        play=("sell handler=fail", "raw only", "rawsettle", "raw again", "sell", "raw again"),
        see=("made", "http:503", "http:200"),
        charged=1,
        runs=2,
        sales=SETTLED,
    )
    yield Case(
        name="raw-cancelled",
        about="a cancelled authorization buys nothing",
        play=("sell", "raw only", "rawcancel", "raw again"),
        see=("made", "http:402"),
        charged=0,
        runs=0,
    )
    yield Case(
        name="raw-drained",
        about="the payer moves its money away while the tool works: nothing is handed out",
        play=("sell handler=drain", "drainer", "raw", "raw again"),
        see=("http:402|http:503", "http:402|http:503"),
        charged=0,
        runs=1,
    )
    for handler in ("fail", "raise"):
        yield Case(
            name=f"raw-handler-{handler}",
            about="a tool that fails is not paid, also when it is asked again",
            play=(f"sell handler={handler}", "raw", "raw again"),
            see=("http:500", "http:500"),
            charged=0,
            runs=1,
            sales={"failed": 1},
        )
    yield Case(
        name="raw-bad-arguments",
        about="arguments that do not fit are not sold",
        play=("sell", 'raw body={"about":_7}', "raw body=[1]", "raw body=nonsense"),
        see=("http:400", "http:400", "http:400"),
        charged=0,
        runs=0,
        sales={},
    )
    yield Case(
        name="raw-handler-dies",
        about="killed while the tool works; the payment is sent again before the lease is over, and after",
        play=("sell handler=die", "raw", "sell", "raw again", "wait 1.1", "raw again"),
        see=("http:0", "http:200|http:503", "http:200"),
        charged=1,
        runs=2,
    )


def _strangers() -> Iterator[Case]:
    """Sellers that are not ours."""
    amounts: list[Any] = ["0.01", "-1", "1e4", str(2**256), str(2**63), "0", "", "+5", "0x10", " 10000", "10000 "]
    amounts += ["10_000", "١٠٠", 10000.5, True, None, ["1"], "1" * 5000]
    for number, amount in enumerate(amounts):
        yield Case(
            name=f"amount-{number}-{str(amount)[:12]}",
            about="an amount that is no whole number of units is refused before anything is signed",
            play=("buy",),
            see=("refused|error",),
            charged=0,
            signed=0,
            shop="stranger",
            terms={"amount": amount},
        )
    oddities: list[tuple[str, dict[str, Any]]] = [
        ("seconds-0", {"maxTimeoutSeconds": 0}),
        ("seconds-5", {"maxTimeoutSeconds": 5}),
        ("seconds-minus", {"maxTimeoutSeconds": -5}),
        ("seconds-absurd", {"maxTimeoutSeconds": 10**12}),
        ("seconds-text", {"maxTimeoutSeconds": "300"}),
        ("seconds-true", {"maxTimeoutSeconds": True}),
        ("scheme", {"scheme": "upto"}),
        ("payee-short", {"payTo": "0x12"}),
        ("payee-nobody", {"payTo": "0x" + "0" * 40}),
        ("payee-none", {"payTo": None}),
        ("network", {"network": "eip155:1"}),
        ("network-other-family", {"network": "solana:101"}),
        ("asset", {"asset": "0x" + "1" * 40}),
        ("url", {"url": "http://example.com/tools/poem"}),
        ("price", {"amount": str(2 * PRICE)}),
        ("extra", {"extra": {"name": 7}}),
        ("empty-402", {"raw_status": 402}),
        ("junk-402", {"raw_status": 402, "raw_header": "!!!"}),
        ("body-402", {"raw_status": 402, "raw_body": "[" * 100_000}),
        ("large-402", {"raw_status": 402, "raw_body": "x" * 6_000_000}),
        ("status-500", {"raw_status": 500}),
    ]
    for name, terms in oddities:
        yield Case(
            name=f"odd-{name}",
            about="terms that are odd are refused before anything is signed",
            play=("buy",),
            see=("refused|error",),
            charged=0,
            signed=0,
            shop="stranger",
            terms=terms,
        )
    yield Case(
        name="stranger-two-ways",
        about="of two ways to pay the one that may be paid is taken",
        play=("buy",),
        see=("delivered",),
        charged=1,
        shop="stranger",
        terms={
            "also": [
                {
                    "scheme": "exact",
                    "network": "eip155:1",
                    "asset": "0x" + "1" * 40,
                    "amount": "1",
                    "payTo": "0x" + "2" * 40,
                    "maxTimeoutSeconds": 300,
                    "extra": {"name": "X", "version": "1"},
                }
            ]
        },
    )
    for how, seen, charged, end in (
        ("take", "delivered", 1, "delivered"),
        ("give", "unknown", 0, "released"),
        ("giveother", "unknown", 0, "released"),
        ("refuse", "unknown", 0, "released"),
        ("dearer", "unknown", 0, "released"),
        ("redirect", "unknown", 0, "released"),
        ("500", "settled", 1, "disputed"),
        ("404", "settled", 1, "disputed"),
        ("302", "settled", 1, "disputed"),
        ("take402", "settled", 1, "disputed"),
        ("takedrop", "settled", 1, "disputed"),
        ("takehuge", "settled", 1, "disputed"),
        ("takeslow", "settled", 1, "delivered|disputed"),
    ):
        yield Case(
            name=f"stranger-{how}",
            about="what a seller says proves nothing: the chain says whether it was paid",
            play=(f"shop how={how}", "buy", "expire", "reconcile"),
            see=(seen, "none" if how == "take" else "|".join(f"{one}:1" for one in end.split("|"))),
            charged=charged,
            signed=1,
            payments={end: 1} if "|" not in end else None,
            shop="stranger",
            buyer={"answer_size": 100_000},
            chaos=how == "takeslow",
        )
    yield Case(
        name="stranger-free",
        about="what costs nothing is not paid",
        play=("shop how=free", "buy"),
        see=("free",),
        charged=0,
        signed=0,
        payments={},
        shop="stranger",
    )
    yield Case(
        name="stranger-drops-then-gives",
        about="charged without an answer; the same payment gets it the next time",
        play=("shop how=takedrop", "buy", "shop how=take", "buy"),
        see=("settled", "delivered"),
        charged=1,
        signed=1,
        shop="stranger",
    )
    yield Case(
        name="stranger-late",
        about="taken after a 504, while nobody looks",
        play=("shop how=late", "buy", "late", "reconcile", "shop how=take", "buy"),
        see=("unknown", "settled:1", "delivered"),
        charged=1,
        signed=1,
        shop="stranger",
    )
    yield Case(
        name="stranger-disputed-then-gives",
        about="an answer that comes after the dispute is still taken",
        play=("shop how=500", "buy", "expire", "reconcile", "shop how=take", "buy"),
        see=("settled", "disputed:1", "delivered"),
        charged=1,
        signed=1,
        shop="stranger",
    )
    yield Case(
        name="stranger-v1",
        about="a seller that speaks version 1",
        play=("shop version=1", "buy"),
        see=("delivered",),
        charged=1,
        shop="stranger",
    )
    for amount in ("0.01", "-1", str(2**256)):
        yield Case(
            name=f"stranger-v1-{amount[:6]}",
            about="odd amounts in version 1",
            play=("shop version=1", "buy"),
            see=("refused|error",),
            charged=0,
            signed=0,
            shop="stranger",
            terms={"amount": amount},
        )
    yield Case(
        name="stranger-killed-after-take",
        about="the buyer dies before it records what the chain shows, and the seller is gone: disputed, once",
        play=("buy fault=die-before-PaymentSettled", "shop how=500", "buy", "expire", "reconcile"),
        see=("killed", "settled", "disputed:1"),
        charged=1,
        signed=1,
        shop="stranger",
    )


def _sdk() -> Iterator[Case]:
    """The x402 SDK on the other side."""
    yield Case(
        name="sdk-buys",
        about="its client buys from our shop",
        play=("sell", "sdk"),
        see=("http:200",),
        charged=1,
        runs=1,
        sales=SETTLED,
    )
    yield Case(
        name="sdk-buys-504",
        about="its client buys while the facilitator times out after settling",
        play=("sell", "fac settle=504after", "sdk"),
        see=("http:200",),
        charged=1,
        runs=1,
        sales=SETTLED,
    )
    yield Case(
        name="sdk-buys-copies",
        about="a network that makes six copies of what its client sends",
        play=("sell", "gate paid=copies6", "sdk"),
        see=("http:200",),
        charged=1,
        runs=1,
        sales=SETTLED,
    )
    yield Case(
        name="sdk-sells",
        about="our buyer buys from its server",
        play=("buy",),
        see=("delivered",),
        charged=1,
        runs=1,
        shop="sdk",
    )
    yield Case(
        name="sdk-sells-504",
        about="its server loses the settlement: our buyer is charged once, however often it asks",
        play=("fac settle=504after", "buy", "buy", "expire", "reconcile"),
        see=("settled", "settled", "disputed:1"),
        charged=1,
        payments={"disputed": 1},
        shop="sdk",
    )
    yield Case(
        name="sdk-sells-refused",
        about="its facilitator says no: nothing is charged",
        play=("fac verify=invalid!", "buy"),
        see=("unknown",),
        charged=0,
        runs=0,
        payments=RELEASED,
        shop="sdk",
    )


CASES: tuple[Case, ...] = (
    *_kills_of_buyer(),
    *_kills_then_reconcile(),
    *_kills_of_seller(),
    *_facilitator(),
    *_nodes(),
    *_stores(),
    *_wires(),
    *_caps(),
    *_raw(),
    *_strangers(),
    *_sdk(),
)
