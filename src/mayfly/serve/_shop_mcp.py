"""The MCP side of a shop: what is sold as tools, paid in `_meta` as x402 says, by the same seller as over HTTP.

A call without a payment ends in an error whose data says what is to be paid. One payment is one sale, whichever of the
two ways it comes by: the seller knows it by what was signed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ListToolsResult, Tool, ToolAnnotations

from mayfly import __version__
from mayfly.core import InputError, harmless, one_line, units_text
from mayfly.market import PAYMENT_REQUIRED, REQUIRED_HEADER, RESPONSE_HEADERS
from mayfly.market.seller import parse_payment
from mayfly.serve._listing import is_record, wrapped_schema
from mayfly.serve._reply import ToolReply, value_text
from mayfly.serve._stdio import PATH

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp_types import PaginatedRequestParams

    from mayfly.market import PaymentOffer, ShopApp, ShopReply
    from mayfly.market.seller import Seller, SignedPayment

PAYMENT: Final = "x402/payment"
"""Under which key of `_meta` a call carries its payment, as the specification of x402 for MCP has it."""
RECEIPT: Final = "x402/payment-response"
"""Under which key of `_meta` a result says how the payment was settled."""
_SETTLED: Final = RESPONSE_HEADERS[2]
_GOOD: Final = 200


def shop_with_mcp(
    shop: ShopApp, seller: Seller, offers: Sequence[PaymentOffer], *, most: int, calls: int = 32
) -> ShopApp:
    """Return *shop* with its offers as tools besides, at /mcp; requests have at most *most* bytes, *calls* run at once.

    Nothing is kept between requests, so that strangers cannot fill the memory with sessions.
    """
    inner = _ShopServer(seller, offers, calls).server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=most,
        # A shop is for anybody who pays, from wherever: there is no door that another page could slip through.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    async def app(scope: Any, receive: Any, send: Any) -> None:
        ours = scope["type"] == "lifespan" or scope.get("path") == PATH
        await (inner if ours else shop)(scope, receive, send)

    return app


class _ShopServer:
    """Offers as tools."""

    def __init__(self, seller: Seller, offers: Sequence[PaymentOffer], calls: int) -> None:
        self._seller = seller
        self._offers = {offer.tool: offer for offer in offers}
        self._places = anyio.CapacityLimiter(calls)
        self.server: Server[Any] = Server(
            "mayfly-shop",
            version=__version__,
            instructions=f"Every tool costs money: pay by x402, with the payment in _meta under {PAYMENT}.",
            get_tool_input_schema=lambda name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, context: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_described(offer) for offer in self._offers.values()])

    async def _call_tool(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        offer = self._offers.get(params.name)
        if offer is None:
            raise MCPError(INVALID_PARAMS, f"nothing is sold here as {one_line(params.name, limit=80)}")
        sell = partial(self._sell, offer, params.arguments or {}, dict(params.meta or {}).get(PAYMENT))
        # A buyer that goes away does not end the sale: what was paid is answered, and is there when it asks again.
        return await anyio.to_thread.run_sync(sell, abandon_on_cancel=True, limiter=self._places)

    def _sell(self, offer: PaymentOffer, arguments: Mapping[str, Any], paid: object) -> CallToolResult:
        url = f"mcp://tool/{offer.tool}"
        try:
            payment = _read(paid)
        except InputError as error:
            return _priced(offer.required(url, error.message))
        said = self._seller.sell(offer, url, arguments, payment)
        if said.status == PAYMENT_REQUIRED and REQUIRED_HEADER in said.headers:
            return _priced(_decoded(said.headers[REQUIRED_HEADER]))
        return _answered(offer, said)


def _read(paid: object) -> SignedPayment | None:
    if paid is None:
        return None
    version = paid.get("x402Version") if isinstance(paid, dict) else None
    return parse_payment(paid, 1 if version == 1 else 2)


def _priced(required: Mapping[str, Any]) -> CallToolResult:
    """Say what is to be paid: as data, and as text for clients that see no data."""
    # How it is asked for over HTTP is of no use here, and the schemas stand in the list of tools.
    data = {name: value for name, value in required.items() if name != "extensions"}
    return ToolReply(text=json.dumps(data, ensure_ascii=False), data=data, error=True).to_result()


def _answered(offer: PaymentOffer, said: ShopReply) -> CallToolResult:
    """Hand out what the seller says, with its receipt where there is one."""
    value = json.loads(said.body)
    if said.status == _GOOD:
        plain = is_record(offer.output_schema) and isinstance(value, dict)
        reply = ToolReply(text=value_text(value), data=value if plain else {"result": value})
    else:
        reply = ToolReply(text=value_text(value.get("error", value)), data=value, error=True)
    result = reply.to_result()
    if _SETTLED in said.headers:
        result.meta = {RECEIPT: _decoded(said.headers[_SETTLED])}
    return result


def _decoded(header: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(header))
    return found


def _described(offer: PaymentOffer) -> Tool:
    price = f"[costs {units_text(offer.units, offer.decimals)} {offer.token_name} on {offer.network}, paid by x402]"
    return Tool(
        name=offer.tool,
        description=harmless(f"{one_line(offer.description)} {price}".strip()),
        input_schema=dict(offer.input_schema),
        output_schema=wrapped_schema(offer.output_schema),
        # Money that is spent does not come back: clients ask a person before such a call.
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
    )
