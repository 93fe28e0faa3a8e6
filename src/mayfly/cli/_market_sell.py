"""`mayfly market sell` and `pnl`: tools of the library as paid routes, and what was earned and spent."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._frame import Shown, kept_ledger, require, shows
from mayfly.cli._output import AsJson, answer_json, command, note, prepare_server, table
from mayfly.core import InputError, Settings, one_line, units_text
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.library import ToolOutcome
    from mayfly.market import Offer
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


def _ready(address: str, offer: Offer, *, mcp: bool, as_json: bool) -> None:
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
