"""What the processes of the matrix do: buy, look after open payments, sell, look after open sales."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from market.matrix.zygote import say
from mayfly.core import MarketSettings, MayflyError, PolicySettings, Settings, StoreSettings
from mayfly.store import Ledger, PaymentList, SaleList

TOOLS = ("poem", "joke")
_SCHEMA = {
    "type": "object",
    "properties": {"about": {"type": "string"}},
    "required": ["about"],
    "additionalProperties": False,
}


def load() -> None:
    """Import what actors need, once for all of them."""
    import uvicorn  # noqa: F401

    from mayfly.market import Buyer, KeySigner, OpenPayments, PurchaseFacts, decider, reconcile  # noqa: F401
    from mayfly.market.facilitator import FacilitatorClient, SelfFacilitator  # noqa: F401
    from mayfly.market.seller import open_seller, shop_app  # noqa: F401
    from mayfly.serve import serve_shop  # noqa: F401
    from mayfly.testing.chain import account

    account(1)
    # The rules are compiled and read once for all: it takes seconds, and is none of what is tried here.
    with TemporaryDirectory(prefix="mayfly-matrix-") as state:
        asset = "0x" + "1" * 40
        settings = settings_of({"state": state, "market": {"network": "eip155:1", "asset": asset}})
        about = PurchaseFacts(
            url="http://127.0.0.1/", payee=asset, asset=asset, network="eip155:1", units=1, decimals=6
        )
        with Ledger.open(settings) as ledger:
            decider(settings, ledger)(about)


def settings_of(config: Mapping[str, Any]) -> Settings:
    """Return the settings of one side."""
    return Settings(
        state_dir=config["state"],
        store=StoreSettings(database_url=config.get("database", ""), busy_timeout=config.get("busy", 1.0)),
        policy=PolicySettings(spend_limit=config.get("spend_limit", 10)),
        market=MarketSettings(**config["market"]),
    )


# Faults at a step: "die before PaymentSent", "die after sign", "lock after sign".


def _strike(what: str, config: Mapping[str, Any]) -> None:
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)  # the signal may come a moment later, and nothing may happen until then
    # Kept on purpose: the lock lasts as long as this process.
    _HELD.append(lock_ledger(config["state"], config.get("database", "")))


_HELD: list[Any] = []


def lock_ledger(state: str, database: str) -> Any:
    """Return a connection that keeps everybody else from appending to a ledger, as long as it is open."""
    if database:
        import psycopg

        server = psycopg.connect(database)
        server.execute("LOCK TABLE mayfly_events IN ACCESS EXCLUSIVE MODE")
        return server
    held = sqlite3.connect(Path(state) / "ledger.db", isolation_level=None, check_same_thread=False, timeout=5)
    held.execute("BEGIN IMMEDIATE")
    return held


def _struck(function: Callable[..., Any], fault: list[str], config: Mapping[str, Any], *, place: int) -> Any:
    """Return *function* with a fault before or after it; *place* is the argument whose type is the step."""

    @wraps(function)
    def outer(*args: Any, **named: Any) -> Any:
        what, when, step = fault
        hit = place < 0 or type(args[place]).__name__ == step
        if hit and when == "before":
            _strike(what, config)
        found = function(*args, **named)
        if hit and when == "after":
            _strike(what, config)
        return found

    return outer


def arm(config: Mapping[str, Any]) -> list[str]:
    """Have a fault happen at a step of the ledger; return the fault, in words."""
    fault = str(config.get("fault", "")).split("-")
    if len(fault) != 3:
        return []
    if fault[2].startswith("Payment"):
        PaymentList.reserve = _struck(PaymentList.reserve, fault, config, place=1)  # type: ignore[method-assign]
        PaymentList.move = _struck(PaymentList.move, fault, config, place=2)  # type: ignore[method-assign]
    if fault[2].startswith("Sale"):
        SaleList.claim_sale = _struck(SaleList.claim_sale, fault, config, place=1)  # type: ignore[method-assign]
        SaleList.move = _struck(SaleList.move, fault, config, place=2)  # type: ignore[method-assign]
    return fault


# The buyer.


def _reader(settings: Settings) -> Any:
    from mayfly.market import ChainReader

    market = settings.market
    return ChainReader(market.rpc_url, confirmations=market.confirmations, timeout=market.rpc_timeout)


def buy(config: dict[str, Any], out: str) -> None:
    """Buy what *calls* say, all at once, and say how each ended."""
    from mayfly.market import Buyer, KeySigner, decider
    from mayfly.testing.chain import account

    settings = settings_of(config)
    fault = arm(config)
    with Ledger.open(settings) as ledger:
        decide = decider(settings, ledger)
        signer = KeySigner(account(config["payer"]), longest=settings.market.longest_validity)
        if fault and fault[2] == "decide":
            decide = _struck(decide, fault, config, place=-1)
        if fault and fault[2] == "sign":
            signer.sign_authorization = _struck(signer.sign_authorization, fault, config, place=-1)  # type: ignore[method-assign]
        skew = float(config.get("skew", 0))
        clocks = {"clock": lambda: time.time() + skew} if skew else {}
        buyer = Buyer(ledger, signer, settings, decide, _reader(settings), **clocks)
        with ThreadPoolExecutor(len(config["calls"])) as pool:
            said = list(pool.map(lambda one: _bought(buyer, one), config["calls"]))
    say(out, {"purchases": said})


def _bought(buyer: Any, one: Mapping[str, Any]) -> dict[str, Any]:
    try:
        made = buyer.buy(
            one["call"],
            one["url"],
            one["max"],
            method=one.get("method", "POST"),
            body=one["body"].encode(),
            headers=[("content-type", "application/json")],
            agent=one.get("agent", ""),
        )
    except MayflyError as error:
        return {"status": "error", "reason": f"{type(error).__name__}: {error}", "body": ""}
    answer = made.answer
    return {
        "status": made.status,
        "reason": made.reason,
        "body": answer.body.decode("utf-8", "replace") if answer else "",
        "http": answer.status if answer else 0,
    }


def reconcile_open(config: dict[str, Any], out: str) -> None:
    """Look at every open payment."""
    from mayfly.market import OpenPayments, reconcile

    settings = settings_of(config)
    with Ledger.open(settings) as ledger:
        looks = OpenPayments(ledger, settings, _reader(settings), clock=lambda: time.time() + config["passed"])
        done = reconcile(looks)
    say(out, {"moved": sorted(done.moved.values())})


# The seller.


@dataclass(frozen=True, kw_only=True)
class Made:
    """What the tool gave."""

    ok: bool
    value: object = None
    error: str = ""


def _handler(config: Mapping[str, Any]) -> Callable[..., Made]:
    runs = Path(config["runs"])
    how = str(config.get("handler", "ok")).split(":")

    def run(tool: str, version: int, arguments: Mapping[str, Any], key: str) -> Made:
        with runs.open("a") as file:
            file.write(f"{tool} {key}\n")
        if how[0] == "die":
            _strike("die", config)
        if how[0] == "slow":
            time.sleep(float(how[1]))
        if how[0] == "raise":
            raise RuntimeError("the tool broke")
        if how[0] == "fail":
            return Made(ok=False, error="no inspiration")
        if how[0] == "drain":
            # The driver moves the payer's money away while the tool works.
            Path(config["runs"] + ".drain").touch()
            deadline = time.monotonic() + 10
            while not Path(config["runs"] + ".drained").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
        return Made(ok=True, value={"text": f"{tool} about {arguments['about']}"})

    return run


def _seller(config: dict[str, Any], settings: Settings, ledger: Ledger) -> Any:
    from mayfly.market.seller import open_seller

    return open_seller(settings, ledger, _handler(config))


def sell(config: dict[str, Any], out: str) -> None:
    """Serve the shop until somebody ends the process."""
    from mayfly.market import PaymentOffer
    from mayfly.market.seller import shop_app
    from mayfly.serve import serve_shop

    settings, market = settings_of(config), config["market"]
    arm(config)
    offers = [
        PaymentOffer(
            tool=tool,
            version=1,
            units=config["units"],
            network=market["network"],
            asset=market["asset"].lower(),
            payee=config["payee"].lower(),
            token_name="Test Dollar",
            token_version="2",
            seconds=settings.market.offer_seconds,
            description=f"a {tool}",
            input_schema=_SCHEMA,
        )
        for tool in TOOLS
    ]
    with Ledger.open(settings) as ledger:
        seller = _seller(config, settings, ledger)
        serve_shop(
            shop_app(seller, offers, base=settings.market.sell_url),
            seller,
            host="127.0.0.1",
            port=0,
            every=settings.market.reconcile,
            ready=lambda address: say(out, {"url": address}),
        )


def recover(config: dict[str, Any], out: str) -> None:
    """Look at every open sale."""
    settings = settings_of(config)
    with Ledger.open(settings) as ledger:
        done = _seller(config, settings, ledger).recover()
    said = {"settled": done.settled, "lapsed": done.lapsed, "failed": done.failed, "open": done.open}
    say(out, {"recovered": said})


ROLES: dict[str, Callable[[dict[str, Any], str], None]] = {
    "buy": buy,
    "reconcile": reconcile_open,
    "sell": sell,
    "recover": recover,
}
