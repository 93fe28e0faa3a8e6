"""`mayfly market sell`: tools of the library as paid routes."""

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from mayfly.cli import _typer as typer
from mayfly.cli._output import AsJson, answer_json, command, note, prepare_server
from mayfly.core import InputError, MachineError, Settings, one_line, units_text

if TYPE_CHECKING:
    from mayfly.library import ToolOutcome
    from mayfly.market import Offer


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
    load_seller("selling", "serve,x402")
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

        def handler(name: str, version: int, arguments: Mapping[str, Any], key: str) -> "ToolOutcome":
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


def _ready(address: str, offer: "Offer", *, mcp: bool, as_json: bool) -> None:
    over_mcp = f"{address}/mcp" if mcp else ""
    shown = units_text(offer.units, offer.decimals)
    if as_json:
        about = {"tool": offer.tool, "version": offer.version, "price": shown, "units": str(offer.units)}
        paid = {"network": offer.network, "asset": offer.asset, "payee": offer.payee}
        answer_json({"url": address + offer.path, "mcp": over_mcp, **about, **paid, "pid": os.getpid()})
        sys.stdout.flush()
        return
    note(f"selling   {offer.tool} version {offer.version} for {shown} at {address}{offer.path}")
    if mcp:
        note(f"over MCP  {over_mcp}")
    note(f"paid to   {offer.payee} on {offer.network}; Ctrl-C ends it")


def load_seller(what: str, extras: str) -> None:
    """Import what a seller needs, or say how to get it for *what* is wanted."""
    try:
        import eth_utils.address  # noqa: F401 -- whether they are there
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MachineError(
            f"{what} needs the package {error.name} and others", fix=f"pip install 'mayfly-agents[{extras}]'"
        ) from None
