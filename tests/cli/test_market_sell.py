"""`mayfly market sell` and `discover`, as a person types them, on the real chain."""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from mayfly.testing.chain import DOLLAR, Authorization, LocalChain, RpcServer, account

from .conftest import Cli
from .test_tools import ROMAN

PAYER, PAYEE, RELAY = account(31), account(32), account(33)


@pytest.fixture
def configured(cli: Cli, chain: LocalChain, rpc: RpcServer, monkeypatch: pytest.MonkeyPatch) -> LocalChain:
    chain.fund(PAYER.address, units=DOLLAR)
    chain.fund(RELAY.address)
    key = Path("relay.key")
    key.write_text(RELAY.key.hex())
    key.chmod(0o600)
    told = {
        "MARKET_RPC_URL": rpc.url,
        "MARKET_NETWORK": chain.network,
        "MARKET_ASSET": chain.asset,
        "MARKET_CONFIRMATIONS": "0",
        "MARKET_PAYEE": PAYEE.address,
        "MARKET_RELAY_KEY_FILE": str(key.absolute()),
        "GATES_MUTANTS": "0",
        "GATES_INPUTS": "0",
    }
    for name, value in told.items():
        monkeypatch.setenv(f"MAYFLY_{name}", value)
    Path("roman.py").write_text(ROMAN)
    Path("examples.json").write_text(json.dumps([{"input": "IV", "output": 4}, {"input": "XL", "output": 40}]))
    return chain


@contextmanager
def selling(*more: str) -> Iterator[dict[str, Any]]:
    command = [
        sys.executable,
        "-m",
        "mayfly.cli",
        "market",
        "sell",
        "roman",
        "--price",
        "0.01",
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True, env=os.environ.copy()) as shop:
        try:
            assert shop.stdout is not None
            yield json.loads(shop.stdout.readline())
        finally:
            shop.terminate()


def sign(chain: LocalChain, requirement: dict[str, Any]) -> str:
    it = Authorization(
        PAYER.address,
        requirement["payTo"],
        int(requirement["amount"]),
        0,
        int(time.time()) + 300,
        secrets.token_bytes(32),
    )
    payload = {
        "x402Version": 2,
        "accepted": requirement,
        "payload": {
            "signature": "0x" + chain.sign(it, PAYER).hex(),
            "authorization": {
                "from": it.payer,
                "to": it.payee,
                "value": str(it.units),
                "validAfter": "0",
                "validBefore": str(it.valid_before),
                "nonce": "0x" + it.nonce.hex(),
            },
        },
    }
    return base64.b64encode(json.dumps(payload).encode()).decode()


def called(url: str, tool: str, arguments: dict[str, Any], meta: Any) -> object:
    """Call a tool over MCP with the official client."""

    async def connected() -> object:
        async with Client(url) as client:
            return (await client.call_tool(tool, arguments, meta=meta)).structured_content

    return anyio.run(connected)


def test_s_33_a_tool_of_the_library_is_sold_and_s_31_discovered(cli: Cli, configured: LocalChain) -> None:
    made = cli("tools", "write", "convert a roman numeral", "--source", "roman.py", "--examples", "examples.json")
    assert made.status == 0, made.err
    with selling() as shop:
        assert (shop["price"], shop["units"], shop["payee"]) == ("0.01", "10000", PAYEE.address)
        asked = httpx.post(shop["url"], json={"numeral": "MCMXC"})
        assert asked.status_code == 402
        requirement = json.loads(base64.b64decode(asked.headers["PAYMENT-REQUIRED"]))["accepts"][0]
        paid = {"PAYMENT-SIGNATURE": sign(configured, requirement)}
        answer = httpx.post(shop["url"], json={"numeral": "MCMXC"}, headers=paid, timeout=60)
        assert (answer.status_code, answer.text) == (200, "1990")
        assert httpx.post(shop["url"], json={"numeral": "MCMXC"}, headers=paid, timeout=60).text == "1990"
        failed = {"PAYMENT-SIGNATURE": sign(configured, requirement)}
        assert httpx.post(shop["url"], json={"numeral": "?"}, headers=failed, timeout=60).status_code == 500
        assert configured.balance(PAYEE.address) == 10_000

        over_mcp = json.loads(base64.b64decode(sign(configured, requirement)))
        assert called(shop["mcp"], "roman", {"numeral": "XIX"}, {"x402/payment": over_mcp}) == {"result": 19}
        assert configured.balance(PAYEE.address) == 20_000

        listed = cli("market", "discover", shop["url"].removesuffix("/tools/roman"))
        assert (listed.status, listed.out.splitlines()[1].split()[:2]) == (0, ["roman", "0.01"])
        found = json.loads(cli("market", "discover", shop["url"], "--json").out)
        assert found["resources"][0]["input_schema"]["properties"]["numeral"] == {"type": "string"}
    earned = json.loads(cli("market", "pnl", "--json").out)
    assert "20000" in json.dumps(earned)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing", "--price", "0.01"], "there is no tool nothing"),
        (["roman", "--price", "-1"], "is no price"),
        (["roman", "--price", "1e4"], "is no price"),
        (["roman", "--price", "0.00000001"], "decimals of the asset"),
        (["roman", "--price", "0.01", "--pay-to", "0x12"], "is no address"),
    ],
)
def test_what_cannot_be_sold_is_said_in_one_line(cli: Cli, configured: LocalChain, words: list[str], says: str) -> None:
    if "nothing" not in words:
        assert cli("tools", "write", "convert", "--source", "roman.py", "--examples", "examples.json").status == 0
    ran = cli("market", "sell", *words)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert says in ran.err


def test_settings_that_are_missing_are_named(cli: Cli, configured: LocalChain, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("tools", "write", "convert", "--source", "roman.py", "--examples", "examples.json").status == 0
    Path("relay.key").chmod(0o644)
    assert "others can read this key" in cli("market", "sell", "roman", "--price", "0.01").err
    for name, says in (
        ("RELAY_KEY_FILE", "nobody is named to settle"),
        ("PAYEE", "nobody is named to be paid"),
        ("ASSET", "is no address"),
        ("NETWORK", "is no EVM network"),
    ):
        monkeypatch.delenv(f"MAYFLY_MARKET_{name}")
        ran = cli("market", "sell", "roman", "--price", "0.01")
        assert (ran.status, says in ran.err) == (2, True), ran.err


def test_nothing_for_sale_is_said_in_one_line(cli: Cli) -> None:
    ran = cli("market", "discover", "http://127.0.0.1:9/")
    assert (ran.status, ran.err.count("\n"), "does not answer" in ran.err) == (4, 1, True)
    assert cli("market", "discover", "shop").status == 2
