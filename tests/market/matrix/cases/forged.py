"""Payments made by hand, sent to our shop; and the x402 SDK on the other side."""

from __future__ import annotations

from collections.abc import Iterator

from market.matrix.case import PATIENT, RELEASED, SETTLED, Case


def raw() -> Iterator[Case]:
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


def sdk() -> Iterator[Case]:
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
