"""What is sold over MCP, paid with the official client of x402 and by hand, on the real chain."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import anyio
import httpx
import pytest
from eth_account import Account
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from x402 import x402Client
from x402.mcp import x402MCPClient
from x402.mechanisms.evm.exact import register_exact_evm_client
from x402.mechanisms.evm.signers import EthAccountSigner

from market.shops import PAYER, PRICE, Shop, served
from mayfly.market._requirements import encode_header
from mayfly.market.seller import shop_app
from mayfly.serve import shop_with_mcp

META, RECEIPT = "x402/payment", "x402/payment-response"
HERE = {"url": "mcp://tool/double"}


@pytest.fixture
def url(shop: Shop) -> Iterator[str]:
    app = shop_with_mcp(shop_app(shop.seller, [shop.offer]), shop.seller, [shop.offer], most=20_000)
    with served(app) as address:
        yield address


def asked(url: str, do: Callable[[Client], Awaitable[Any]]) -> Any:
    """Connect the official client and return what *do* does with it."""

    async def connected() -> Any:
        async with Client(f"{url}/mcp") as client:
            return await do(client)

    return anyio.run(connected)


def call(url: str, number: object, paid: object = None, tool: str = "double") -> CallToolResult:
    meta: Any = {} if paid is None else {META: paid}
    found: CallToolResult = asked(url, lambda client: client.call_tool(tool, {"number": number}, meta=meta))
    return found


def paid_for(shop: Shop, **changes: Any) -> dict[str, Any]:
    return {**shop.payload(**changes), "resource": HERE}


class _Older:
    """The official client as the wrapper of x402 knows it: made for an older SDK, it has other names for things."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call_tool(self, asked: dict[str, Any], read_timeout_seconds: timedelta) -> SimpleNamespace:
        seconds = read_timeout_seconds.total_seconds()
        found = await self._client.call_tool(
            asked["name"], asked["arguments"], meta=asked.get("_meta"), read_timeout_seconds=seconds
        )
        return SimpleNamespace(**found.model_dump(by_alias=True, mode="json"))


def test_the_list_says_what_a_tool_costs(url: str) -> None:
    (tool,) = asked(url, lambda client: client.list_tools()).tools
    assert (tool.name, tool.input_schema["required"]) == ("double", ["number"])
    assert "costs 0.01 Test Dollar" in tool.description


def test_the_official_client_of_x402_pays_and_gets_its_answer(shop: Shop, url: str) -> None:
    payer = x402Client().set_spend_controls(False)
    register_exact_evm_client(payer, EthAccountSigner(Account.from_key(PAYER.key)))

    async def pay(client: Client) -> Any:
        return await x402MCPClient(_Older(client), payer, auto_payment=True).call_tool("double", {"number": 21})

    done = asked(url, pay)
    assert (done.is_error, done.payment_made, done.content[0]["text"]) == (False, True, "42")
    assert done.payment_response is not None
    assert done.payment_response.success
    assert shop.earned == PRICE
    assert len(shop.handler.runs) == 1


def test_without_a_payment_the_data_says_what_is_to_be_paid(shop: Shop, url: str) -> None:
    result = call(url, 21)
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["accepts"] == [shop.offer.requirement]
    assert result.structured_content["resource"]["url"] == HERE["url"]
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert (shop.sales(), shop.handler.runs) == ([], [])


def test_one_payment_is_one_sale_over_mcp_and_over_http(shop: Shop, url: str) -> None:
    payment = paid_for(shop)
    first, again = call(url, 21, payment), call(url, 21, payment)
    assert first.structured_content == again.structured_content == {"result": 42}
    assert first.meta is not None
    assert first.meta[RECEIPT]["success"]
    headers = {"PAYMENT-SIGNATURE": encode_header(payment)}
    over_http = httpx.post(f"{url}/tools/double", json={"number": 21}, headers=headers)
    assert (over_http.status_code, over_http.json()) == (200, 42)
    assert call(url, 22, payment).is_error
    assert (len(shop.handler.runs), shop.earned) == (1, PRICE)


def test_a_call_that_fails_is_not_charged(shop: Shop, url: str) -> None:
    result = call(url, 13, paid_for(shop))
    assert result.is_error
    assert result.structured_content == {"error": "thirteen is not doubled", "charged": False}
    assert shop.earned == 0


def test_arguments_that_do_not_fit_are_not_charged(shop: Shop, url: str) -> None:
    result = call(url, "many", paid_for(shop))
    assert result.is_error
    assert "nothing was charged" in result.content[0].text  # type: ignore[union-attr]
    assert (shop.sales(), shop.earned) == ([], 0)


@pytest.mark.first(3)
@pytest.mark.parametrize(
    "paid", ["text", 7, [], {}, {"x402Version": 3}, {"x402Version": True}, {"x402Version": 2, "payload": None}]
)
def test_what_is_no_payment_is_answered_with_the_price(shop: Shop, url: str, paid: object) -> None:
    result = call(url, 21, paid)
    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["accepts"] == [shop.offer.requirement]
    assert shop.sales() == []


def test_a_payment_for_another_tool_pays_for_nothing(shop: Shop, url: str) -> None:
    result = call(url, 21, {**shop.payload(), "resource": {"url": "mcp://tool/triple"}})
    assert result.is_error
    assert "for another resource" in str(result.structured_content)
    assert shop.sales() == []


def test_what_is_not_sold_and_what_is_too_large_is_refused(shop: Shop, url: str) -> None:
    async def refused(client: Client) -> str:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("triple", {})
        return str(raised.value)

    assert asked(url, refused) == "nothing is sold here as triple"
    assert httpx.post(f"{url}/mcp", content=b"x" * 30_000).status_code == 413
    assert httpx.post(f"{url}/mcp", content=b"nonsense").status_code < 500
    assert httpx.get(f"{url}/.well-known/x402").status_code == 200
