"""What happens between a buyer and a seller: wires, thieves, many at once, caps, clocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.matrix.case import CHEAP, DELIVERED, PATIENT, SETTLED, Case
from market.matrix.parties import PRICE


def wires() -> Iterator[Case]:
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


def caps() -> Iterator[Case]:
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
