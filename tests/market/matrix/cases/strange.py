"""Sellers that are not ours, with any terms and manners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from market.matrix.case import Case
from market.matrix.parties import PRICE


def strangers() -> Iterator[Case]:
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
