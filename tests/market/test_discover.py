"""Discovery: priced resources from lists and from 402 answers, and nothing from anybody who was not asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from market.shops import PAYEE, PRICE, Shop, open_shop, served
from mayfly.core import InputError, Invocation, MachineError, Settings
from mayfly.market import as_capability, discover
from mayfly.market._asgi import HttpAsked, ShopReply, json_reply, small_app
from mayfly.market._discover import _Asker, _read_all
from mayfly.market.seller import shop_app
from mayfly.testing.chain import LocalChain, RpcServer


@pytest.fixture
def shop(chain: LocalChain, rpc: RpcServer, tmp_path: Path) -> Iterator[Shop]:
    with open_shop(chain, rpc, Settings(state_dir=str(tmp_path / "state"))) as opened:
        yield opened


def way(**changes: Any) -> dict[str, Any]:
    return {
        "scheme": "exact",
        "network": "eip155:8453",
        "asset": "0x" + "a" * 40,
        "amount": "2500",
        "payTo": PAYEE.address,
        "maxTimeoutSeconds": 60,
        "extra": {"name": "USDC", "version": "2"},
        **changes,
    }


def answering(pages: dict[str, object]) -> Any:
    """Return an application that answers each path with its value, 404 for any other."""
    asked: list[str] = []

    def answer(request: HttpAsked) -> ShopReply:
        asked.append(request.path)
        value = pages.get(request.path)
        if value is None:
            return json_reply(404, {})
        return value if isinstance(value, ShopReply) else json_reply(200, value)

    app = small_app(answer, most=1000)
    app.asked = asked  # type: ignore[attr-defined]
    return app


def test_s_31_priced_resources_are_listed_from_lists_and_from_402_answers(shop: Shop) -> None:
    with served(shop_app(shop.seller, [shop.offer])) as url:
        for place in ("", "/", "/.well-known/x402", "/discovery/resources", "/tools/double", "/nothing"):
            found = discover(url + place)
            assert found.problems == ()
            (one,) = found.resources
            assert (one.name, one.url, one.method) == ("double", f"{url}/tools/double", "POST")
            assert one.description == "Double a number."
            assert one.input_schema == shop.offer.input_schema
            assert one.output_schema == {"type": "integer"}
            assert [(way.units, way.network, way.payee) for way in one.terms] == [
                (PRICE, shop.chain.network, PAYEE.address)
            ]
        assert json.loads(json.dumps(found.resources[0].to_json()))["accepts"][0]["units"] == str(PRICE)


def test_a_discovered_resource_is_a_capability_that_is_bought_once_for_a_key(shop: Shop) -> None:
    with served(shop_app(shop.seller, [shop.offer])) as url:
        (one,) = discover(url).resources
    bought: list[tuple[str, bytes, str]] = []

    def buy(resource: Any, arguments: Any, key: str) -> object:
        bought.append((*resource.request(arguments), key))
        return 42

    capability = as_capability(one, buy)
    assert (capability.name, capability.effect, capability.grants) == ("double", "idempotent", ("buy:127.0.0.1",))
    assert capability.call(Invocation(arguments={"number": 21}, key="k1")) == 42
    assert bought == [(one.url, b'{"number": 21}', "k1")]
    with pytest.raises(InputError, match="call id"):
        capability.call(Invocation(arguments={"number": 21}))
    with pytest.raises(InputError, match="number"):
        capability.check_arguments({"number": "x"})


def test_bad_entries_are_said_and_the_others_stay() -> None:
    entries: list[object] = [
        {"resource": "https://good.example/a", "accepts": [way()], "x402Version": 2, "description": "good"},
        {"resource": "https://good.example/b/a", "accepts": [way(amount="0.01")]},
        {"resource": "http://0x7f.1.nip.io/x", "accepts": [way()]},
        {"resource": "file:///etc/passwd", "accepts": [way()]},
        {"resource": "https://user:secret@good.example/", "accepts": [way()]},
        {"resource": 5},
        {"accepts": []},
        "https://other.example/y",
        None,
        {"resource": "https://good.example/c", "accepts": [{**way(), "scheme": "upto"}]},
        {"resource": "https://good.example/c", "x402Version": 1, "accepts": [{**way(), "maxAmountRequired": "7"}]},
        {"resource": "https://good.example/d/a", "accepts": [way(payTo="0x" + "0" * 40)]},
        {"resource": "https://good.example/e/a", "accepts": [way()]},
    ]
    app = answering({"/.well-known/x402": {"resources": entries}})
    with served(app) as url:
        found = discover(url)
    assert [(one.name, one.terms[0].units) for one in found.resources] == [("a", 2500), ("c", 7), ("a_2", 2500)]
    assert len(found.problems) == len(entries) - 3
    assert app.asked == ["/.well-known/x402"]
    assert not any("secret" in said and "example" not in said for said in found.problems)


@pytest.mark.parametrize(("place", "number"), [("127.0.0.1", 4), ("192.168.1.2", 3), ("bazaar.org", 1)])
def test_a_list_names_nothing_that_is_nearer_to_us_than_itself(place: str, number: int) -> None:
    hosts = ("127.0.0.1:9", "192.168.1.1", "shop.internal", "good.org")
    entries: list[object] = [{"resource": f"http://{host}/x", "accepts": [way()]} for host in hosts]
    found = _read_all(entries, f"http://{place}/list", _Asker(f"http://{place}/list", 1.0))
    assert len(found.resources) == number
    assert all("nearer" in said for said in found.problems)


def test_addresses_without_terms_are_asked_on_the_same_host_only(shop: Shop) -> None:
    with served(shop_app(shop.seller, [shop.offer])) as other:
        pages: dict[str, object] = {
            "/.well-known/x402": {"version": 1, "resources": ["/paid", f"{other}/tools/double"]}
        }
        app = answering(pages)
        with served(app) as url:
            required = {"x402Version": 1, "accepts": [{**way(), "maxAmountRequired": "9", "resource": f"{url}/paid"}]}
            pages["/paid"] = json_reply(402, required)
            found = discover(url)
    assert [one.terms[0].units for one in found.resources] == [9]
    assert "another host" in found.problems[0]


def test_lists_are_bounded() -> None:
    entry = {"resource": "https://good.example/a", "accepts": [way()]}
    pages = {"/discovery/resources": {"items": [entry] * 600}, "/many": {"resources": ["/x"] * 100}}
    app = answering(pages)
    with served(app) as url:
        found = discover(url)
        assert len(found.resources) == 500
        assert "100 more entries" in found.problems[0]
        before = len(app.asked)
        assert discover(f"{url}/many").resources == ()
        assert len(app.asked) - before <= 1 + 2 * 32


@pytest.mark.parametrize(
    "page",
    [
        {"hello": 1},
        ShopReply(status=200, body=b"<html>"),
        ShopReply(status=500, body=b""),
        ShopReply(status=302, body=b"", headers={"location": "http://127.0.0.1:9/"}),
        {"resources": "all"},
    ],
)
def test_what_sells_nothing_is_said_in_one_line(page: object) -> None:
    with served(answering({"/": page})) as url, pytest.raises(MachineError, match="nothing is for sale"):
        discover(url)


def test_a_402_that_is_none_of_x402_is_an_error_of_one_line() -> None:
    for body in (b"pay me", b"{}", b'{"x402Version": 2, "accepts": []}', b"[" * 100_000):
        with served(answering({"/a": ShopReply(status=402, body=body)})) as url, pytest.raises(InputError):
            discover(f"{url}/a")


@pytest.mark.parametrize("url", ["", "shop", "ftp://x.example/", "http://u:p@x.example/", "http://x.example:x/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError):
        discover(url)


def test_nobody_there_is_said_in_one_line() -> None:
    with pytest.raises(MachineError, match="does not answer"):
        discover("http://127.0.0.1:9/", seconds=2)


def test_a_get_resource_is_asked_for_with_a_query() -> None:
    about = {
        "info": {"input": {"type": "http", "method": "GET"}},
        "schema": {"properties": {"input": {"properties": {"queryParams": {"type": "object"}}}}},
    }
    entry = {"resource": "https://good.example/w?a=1", "accepts": [way()], "extensions": {"bazaar": about}}
    with served(answering({"/.well-known/x402": {"resources": [entry]}})) as url:
        (one,) = discover(url).resources
    assert one.method == "GET"
    assert one.request({"city": "Zürich & co", "days": 3}) == (
        "https://good.example/w?a=1&city=Z%C3%BCrich+%26+co&days=3",
        b"",
    )
