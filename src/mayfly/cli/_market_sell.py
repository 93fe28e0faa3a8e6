"""`mayfly market sell`, `pnl`, `discover` and `buy`: paid routes, their profit and loss, and paying for an answer."""

from __future__ import annotations

import base64
import os
import secrets
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, kept_ledger, require, shows
from mayfly.cli._output import AsJson, answer_json, command, foreign, note, prepare_server, table
from mayfly.cli._wallet import PasswordFd, password_of
from mayfly.core import InputError, MayflyError, Settings, one_line, parse_json, units_text, with_checksums
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.core import MarketSettings
    from mayfly.library import ToolOutcome
    from mayfly.market import PaymentOffer, PaymentTerms, PricedResource
    from mayfly.operations import ProfitAndLoss, ProfitRow

_HEAD = ("NETWORK", "ASSET", "REVENUE", "COST", "PROFIT", "AT RISK", "RESERVED", "GAS", "SOLD", "BOUGHT")
# Enough of an address to tell tokens apart at a glance; --json has all of it.
_ADDRESS = 10


@shows
def pnl(
    *,
    by: Annotated[
        str, typer.Option(help="One row for each of these.", metavar="tool|strategy|host|day|total")
    ] = "total",
) -> Shown:
    """Show revenue, cost, what is at risk and gas, exactly; and fill the tables an agent made for them."""
    from mayfly.operations import ProfitAndLoss, payments_to_look_at
    from mayfly.operations import pnl as add_up
    from mayfly.store import SUMS_BY
    from mayfly.store.schema import fill_agent_tables

    wanted = next((one for one in SUMS_BY if one == by), None)
    if wanted is None:
        raise InputError(f"--by {one_line(by, limit=60)}: it is one of {', '.join(SUMS_BY)}")
    found, problems, odd = ProfitAndLoss(by=wanted), list[str](), list[dict[str, Any]]()
    settings = Settings.load()
    with kept_ledger(settings) as ledger:
        if ledger is not None:
            found = add_up(ledger, by=wanted)
            problems = list(fill_agent_tables(ledger, settings).problems)
            odd = payments_to_look_at(ledger, now=time.time())
    data = {**found.to_json(), "problems": problems, "look_at": odd}
    hints = [f"mayfly: {one_line(said, limit=300)}" for said in problems]
    if not found.totals:
        hints.append(f"nothing was bought or sold yet: {command()} market buy URL, or {command()} market sell TOOL")
        return Shown(data, hint="\n".join(hints))
    return Shown(data, table(pnl_rows(found)), "\n".join([*hints, *(f"look at   {payment_line(one)}" for one in odd)]))


def payment_line(one: dict[str, Any]) -> str:
    """Say in one line how a payment stands that somebody has to look at."""
    state = "disputed" if one["state"] == "disputed" else "at risk"
    said = f"{one['id']}: {one['shown']} to {one['host']} is {state}, {one['reason'] or 'and nobody says why'}"
    return f"{one_line(said, limit=300)}; {command()} log --id payment:{one['id']}"


def pnl_rows(found: ProfitAndLoss) -> list[tuple[str, ...]]:
    """Return the rows of the table, with its head and the totals."""
    return [(found.by.upper(), *_HEAD), *(_profit_cells(row, row.key or "-") for row in (*found.rows, *found.totals))]


def short_asset(asset: str) -> str:
    """Return enough of an address to tell tokens apart at a glance."""
    return asset if len(asset) <= _ADDRESS else f"{asset[:_ADDRESS]}…"


def _profit_cells(row: ProfitRow, key: str) -> tuple[str, ...]:
    amounts = row.shown()
    shown = (amounts[name] for name in ("revenue", "cost", "profit", "at_risk", "reserved"))
    return (
        one_line(key, limit=60),
        row.network,
        short_asset(row.asset),
        *shown,
        str(row.gas),
        str(row.sold),
        str(row.bought),
    )


def sell(
    tool: Annotated[str, typer.Argument(help="The tool of the library that is sold.", metavar="TOOL")],
    *,
    price: Annotated[str, typer.Option(help="What one call costs, in whole coins.", metavar="0.01")],
    pay_to: Annotated[
        str, typer.Option(help="Address that is paid; market.payee or the wallet's otherwise.", metavar="ADDRESS")
    ] = "",
    host: Annotated[str | None, typer.Option(help="The address to listen on.", metavar="HOST")] = None,
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; 0 takes a free one.", min=0, max=65535, metavar="PORT")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sell calls of a tool over x402 until Ctrl-C: POST /tools/TOOL answers once it is paid, and so does MCP at /mcp.

    Each payment is answered once and charged once; a call that fails is not charged. Buyers find the price at
    /.well-known/x402 and in the answer 402.
    """
    settings = Settings.load()
    require_seller("selling", "serve,x402")
    from mayfly.market.seller import make_offer, open_seller, shop_app
    from mayfly.runtime import Runtime
    from mayfly.serve import serve_shop

    prepare_server("market")
    market = settings.market
    with Runtime(settings) as runtime:
        capability = runtime.tools.capability(tool)
        if capability is None:
            raise InputError(f"there is no tool {one_line(tool, limit=80)}", fix=f"{command()} tools list")
        offer = make_offer(settings, capability, price, pay_to=pay_to)

        def handler(name: str, version: int, arguments: Mapping[str, Any], key: str) -> ToolOutcome:
            # Half of the lease: who works on a sale is believed to be alive for twice as long as the tool may take.
            return runtime.tools.call(name, dict(arguments), version=version, key=key, seconds=market.lease / 2)

        seller = open_seller(settings, runtime.parts.ledger, handler)
        app = shop_app(seller, [offer], base=market.sell_url, most=market.body_size)
        # Who has the SDK of MCP sells over it too; a shop over HTTP needs it no more than its buyers do.
        mcp = find_spec("mcp") is not None
        if mcp:
            from mayfly.serve import shop_with_mcp

            app = shop_with_mcp(app, seller, [offer], most=market.body_size)
        serve_shop(
            app,
            seller,
            host=host or market.sell_host,
            port=market.sell_port if port is None else port,
            every=market.reconcile,
            ready=lambda address: _ready(market.sell_url.rstrip("/") or address, offer, mcp=mcp, as_json=as_json),
        )


def _ready(address: str, offer: PaymentOffer, *, mcp: bool, as_json: bool) -> None:
    over_mcp = f"{address}/mcp" if mcp else ""
    shown = units_text(offer.units, offer.decimals)
    if as_json:
        about = pick_fields(offer, "tool version network asset payee")
        price = {"price": shown, "units": str(offer.units)}
        answer_json({"url": address + offer.path, "mcp": over_mcp, **about, **price, "pid": os.getpid()})
        sys.stdout.flush()
        return
    note(f"selling   {offer.tool} version {offer.version} for {shown} at {address}{offer.path}")
    if mcp:
        note(f"over MCP  {over_mcp}")
    note(f"paid to   {offer.payee} on {offer.network}; Ctrl-C ends it")


def require_seller(what: str, extras: str) -> None:
    """Import what a seller needs, or say how to get it for *what* is wanted."""
    require(what, extras, "eth_utils.address", "uvicorn")


@shows
def discover(
    url: Annotated[str, typer.Argument(help="A seller, a list of resources, or one priced address.", metavar="URL")],
) -> Shown:
    """List what is for sale at an address: prices, schemas, and how it is paid. Nothing is paid."""
    from mayfly.market import discover as look

    settings = Settings.load()
    found = look(url, seconds=settings.market.timeout)
    hints = [f"mayfly: {foreign(one_line(said, limit=300), sys.stderr)}" for said in found.problems]
    rows = [("NAME", "PRICE", "NETWORK", "HOW", "URL", "WHAT IT IS")]
    for one in found.resources:
        way = next((terms for terms in one.terms if _is_ours(terms, settings.market)), one.terms[0])
        rows.append((one.name, _price(way, settings.market), way.network, one.method, one.url, one.description))
    lines = [foreign(line, sys.stdout) for line in table(rows)] if found.resources else []
    hints.append(
        f"to buy one: {command()} market buy URL --input JSON (sellers have to be named in market.hosts)"
        if found.resources
        else "nothing in the list can be bought"
    )
    data = {"resources": [one.to_json() for one in found.resources], "problems": list(found.problems)}
    return Shown(data, lines, "\n".join(hints))


def _is_ours(terms: PaymentTerms, market: MarketSettings) -> bool:
    return (terms.network, terms.asset) == (market.network, with_checksums(market.asset))


def _price(terms: PaymentTerms, market: MarketSettings) -> str:
    """Return the price in coins where the token is ours, otherwise in units: nobody says what they are worth."""
    if _is_ours(terms, market):
        return units_text(terms.units, market.asset_decimals)
    return f"{terms.units} of {terms.asset[:10]}…"


# How a purchase stands, as an exit status: what was refused or lost is 1, what nobody knows yet waits for an answer.
_STATUS = {"delivered": 0, "free": 0, "unknown": 3, "settled": 3}

Seller = Annotated[
    str,
    typer.Option("--from", help="The seller of NAME.", metavar="URL", show_default="those of market.shops"),
]
Method = Annotated[
    str,
    typer.Option(help="GET, POST, PUT, PATCH or DELETE.", metavar="METHOD", show_default="what the list says, or POST"),
]


def buy(
    wanted: Annotated[
        str,
        typer.Argument(help="What is bought: a URL, or the name of something in a seller's list.", metavar="NAME|URL"),
    ],
    *,
    seller: Seller = "",
    max_price: Annotated[
        str, typer.Option(help="Whole coins it may cost; what market.per_call says where it is left out.", metavar="P")
    ] = "",
    body: Annotated[str, typer.Option("--input", help="JSON to send; - reads it from stdin.", metavar="JSON")] = "{}",
    method: Method = "",
    call_id: Annotated[
        str, typer.Option("--call", help="Id of the purchase: the same id is never paid twice.", metavar="ID")
    ] = "",
    agent: Annotated[str, typer.Option(help="For which agent it is counted.", metavar="NAME")] = "",
    strategy: Annotated[
        str | None, typer.Option(help="For which strategy it is counted; market.strategy otherwise.", metavar="NAME")
    ] = None,
    password_fd: PasswordFd = None,
    as_json: AsJson = False,
) -> None:
    """Buy an answer from a seller that market.hosts names, and print it.

    Where the wallet is not open, the password is asked for and it is open for this purchase only. When something goes
    wrong in between, the same command with the same --call goes on where it stopped.
    """
    from mayfly.market import BrokerClient, Wallet, check_settings, open_broker

    settings = Settings.load()
    check_settings(settings)
    sent = sys.stdin.buffer.read() if body == "-" else body.encode()
    url, method, sent = _find_resource(wanted, seller, method.upper(), sent, settings)
    call = call_id or f"cli-{secrets.token_hex(8)}"
    client = BrokerClient(settings)
    own = None if client.is_open else open_broker(settings, password_of(Wallet(settings), password_fd))
    try:
        note(f"call      {call}")
        done = client.buy(
            call,
            url,
            max_price or settings.market.per_call,
            method=method,
            body=b"" if method == "GET" else sent,
            agent=agent,
            strategy=strategy,
        )
    finally:
        if own is not None:
            own.close()
    waits = _ask_person(settings, call, url, max_price or settings.market.per_call, done) if done["decision"] else ""
    _tell_purchase(call, done, waits, as_json=as_json)
    raise typer.Exit(3 if waits else _STATUS.get(str(done["status"]), 1))


def _ask_person(settings: Settings, call: str, url: str, price: str, done: dict[str, Any]) -> str:
    """Put what the rules leave to a person into the inbox."""
    from mayfly.runtime import ask_person
    from mayfly.sandbox import PurchaseRequest
    from mayfly.store import Ledger

    with Ledger.open(settings) as ledger:
        request = PurchaseRequest(op="buy", call_id=call, url=url, max_price=price)
        return ask_person(settings, ledger, request, str(done["decision"]), str(done["reason"]))


def _find_resource(wanted: str, seller: str, method: str, sent: bytes, settings: Settings) -> tuple[str, str, bytes]:
    """Return URL, method and body that ask for what is wanted."""
    if "://" in wanted:
        return wanted, method or "POST", sent
    from mayfly.market import shop_urls

    sellers = [seller] if seller else shop_urls(settings)
    found = [one for url in sellers for one in _offered(url, settings) if one.name == wanted]
    if len(found) == 1 and method in ("", found[0].method):
        arguments = parse_json(sent, "--input") if sent else {}
        if not isinstance(arguments, dict):
            raise InputError(f"{wanted} takes an object of JSON, not {one_line(str(arguments), limit=60)}")
        url, body = found[0].request(arguments)
        return url, found[0].method, body
    if len(found) > 1:
        urls = ", ".join(one.url for one in found)
        raise InputError(f"{wanted} is sold at {one_line(urls, limit=300)}", fix="name one of the URLs")
    if not seller:
        tried = f"no shop of the settings has {wanted} in its list" if sellers else f"{wanted} is no URL"
        raise InputError(tried, fix=f"name its seller: {command()} market buy {wanted} --from URL")
    from urllib.parse import quote

    # Where there is no list: the path at which our own sellers have their tools.
    return f"{seller.rstrip('/')}/tools/{quote(wanted, safe='')}", method or "POST", sent


def _offered(url: str, settings: Settings) -> tuple[PricedResource, ...]:
    from mayfly.market import discover

    try:
        return discover(url, seconds=settings.market.timeout).resources
    except MayflyError:
        return ()  # it has no list, or does not answer: the purchase says so


def _tell_purchase(call: str, done: dict[str, Any], waits: str, *, as_json: bool) -> None:
    if as_json:
        answer_json({"call": call, **done, "approval": waits})
        return
    paid, answered = done["payment"], done["answer"]
    if paid is not None:
        from mayfly.core import units_text

        price = units_text(int(paid["units"]), paid["decimals"])
        note(f"payment   {paid['id']}: {price} to {paid['payee']} {paid['transaction']}".rstrip())
    note(f"{done['status']:<9} {one_line(done['reason'], limit=500)}".rstrip())
    if answered is not None:
        text = base64.b64decode(answered["body"]).decode(errors="replace")
        sys.stdout.write(foreign(text, sys.stdout) + "\n")
    elif waits:
        note(f"to agree: {command()} approve {waits}; then the same again with --call {call}")
    elif done["status"] in ("unknown", "settled"):
        note(f"go on with it: {command()} market buy … --call {call}")
