"""The shop over HTTP: what anybody may ask, and what an odd request gets."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import httpx
import pytest

from market.shops import PAYEE, PRICE, Shop, served
from mayfly.market import read_terms
from mayfly.market.seller import shop_app
from mayfly.testing.chain import DOLLAR

HERE = "http://shop.example"


def ask(shop: Shop, method: str, path: str, **given: Any) -> httpx.Response:
    async def call() -> httpx.Response:
        transport = httpx.ASGITransport(app=shop_app(shop.seller, [shop.offer], most=10_000))
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            return await client.request(method, path, **given)

    return asyncio.run(call())


def header(payload: object) -> str:
    return base64.b64encode(json.dumps(payload).encode()).decode()


def test_s_33_a_tool_is_sold_over_http_in_both_versions_of_x402(shop: Shop) -> None:
    asked = ask(shop, "POST", "/tools/double", json={"number": 21})
    assert asked.status_code == 402
    for headers in (dict(asked.headers), {}):
        terms = read_terms(402, headers, asked.content, url=f"{HERE}/tools/double")[0]
        assert (terms.units, terms.payee, terms.version) == (PRICE, PAYEE.address, 2 if headers else 1)

    payload = shop.payload()
    second = ask(shop, "POST", "/tools/double", json={"number": 21}, headers={"PAYMENT-SIGNATURE": header(payload)})
    assert (second.status_code, second.json()) == (200, 42)
    older = shop.payload()
    first = {
        "x402Version": 1,
        "scheme": "exact",
        "network": shop.chain.network,
        "payload": older["payload"],
    }
    answer = ask(shop, "POST", "/tools/double", json={"number": 4}, headers={"X-PAYMENT": header(first)})
    assert (answer.status_code, answer.json()) == (200, 8)
    assert json.loads(base64.b64decode(answer.headers["X-PAYMENT-RESPONSE"]))["success"] is True
    assert shop.balances() == (DOLLAR - 2 * PRICE, 2 * PRICE)


def test_who_only_looks_is_told_the_price(shop: Shop) -> None:
    assert ask(shop, "GET", "/tools/double").status_code == 402
    assert ask(shop, "POST", "/tools/double", content=b"{no json").status_code == 402


def test_the_lists_say_what_is_sold(shop: Shop) -> None:
    known = ask(shop, "GET", "/.well-known/x402").json()["resources"][0]
    assert (known["resource"], known["accepts"]) == (f"{HERE}/tools/double", [shop.offer.requirement])
    page = ask(shop, "GET", "/discovery/resources?limit=5&offset=0").json()
    assert (page["items"], page["pagination"]) == ([known], {"limit": 5, "offset": 0, "total": 1})
    assert ask(shop, "GET", "/discovery/resources?offset=1").json()["items"] == []
    assert ask(shop, "GET", "/discovery/resources?offset=-1&limit=x").json()["items"] == [known]


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", "/", {}, 404),
        ("POST", "/tools/other", {}, 404),
        ("POST", "/tools/double/../other", {}, 404),
        ("DELETE", "/tools/double", {}, 405),
        ("POST", "/.well-known/x402", {}, 404),
        ("POST", "/tools/double", {"content": b"x" * 20_000}, 413),
        ("POST", "/tools/double", {"headers": {"host": "a b"}}, 400),
        ("POST", "/tools/double", {"headers": {"host": "evil/../"}}, 400),
    ],
)
def test_odd_requests_get_one_line(shop: Shop, method: str, path: str, given: dict[str, Any], status: int) -> None:
    answer = ask(shop, method, path, **given)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


@pytest.mark.parametrize("payment", ["", "!", "e30=", header([]), header({"x402Version": 9}), "x" * 20_000])
def test_a_header_that_is_no_payment_gets_the_price_and_the_reason(shop: Shop, payment: str) -> None:
    answer = ask(shop, "POST", "/tools/double", json={"number": 1}, headers={"PAYMENT-SIGNATURE": payment})
    assert answer.status_code == 402
    assert "payment" in answer.json()["error"]
    assert shop.sales() == []


def test_a_paid_request_with_a_body_that_is_none_is_not_charged(shop: Shop) -> None:
    paid = {"PAYMENT-SIGNATURE": header(shop.payload())}
    for content in (b"{no json", b"[1]", b"\xff", b'{"number": NaN}'):
        answer = ask(shop, "POST", "/tools/double", content=content, headers=paid)
        assert answer.status_code == 400
        assert "nothing was charged" in answer.json()["error"]
    assert ask(shop, "GET", "/tools/double", headers=paid).status_code == 405
    assert shop.balances() == (DOLLAR, 0)


def test_a_schema_that_is_too_large_for_a_header_stands_in_the_list(shop: Shop) -> None:
    from dataclasses import replace

    wide = {f"field_{number}": {"type": "string", "description": "x" * 40} for number in range(200)}
    offer = replace(shop.offer, input_schema={"type": "object", "properties": wide})
    with served(shop_app(shop.seller, [offer])) as url:
        asked = httpx.post(f"{url}/tools/double", json={})
        assert (asked.status_code, len(asked.headers["PAYMENT-REQUIRED"]) < 8000) == (402, True)
        listed = httpx.get(f"{url}/.well-known/x402").json()["resources"][0]
        assert "field_199" in json.dumps(listed["extensions"])
