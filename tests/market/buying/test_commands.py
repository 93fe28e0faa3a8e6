"""`mayfly wallet` and `mayfly market buy`, as a person types them."""

from __future__ import annotations

import json
import os
import stat
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mayfly.cli._app import run
from mayfly.core import Settings, with_checksums
from mayfly.market import Wallet, keep_in_keyring, password_in_keyring
from mayfly.testing.chain import LocalChain, RpcServer

from .shop import PAYEE, Shop

PASSWORD = "a password of a test"


class Ran(NamedTuple):
    """What a command line ended in."""

    status: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run command lines in an empty directory, with no settings from outside and a state directory of their own."""
    for name in [name for name in os.environ if name.startswith("MAYFLY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Ran:
        capsys.readouterr()
        status = run(list(args))
        return Ran(status, *capsys.readouterr())

    return call


@contextmanager
def password(word: str = PASSWORD) -> Iterator[str]:
    """Yield the number of a descriptor that gives a password."""
    reader, writer = os.pipe()
    os.write(writer, word.encode() + b"\n")
    os.close(writer)
    try:
        yield str(reader)
    finally:
        os.close(reader)


@pytest.fixture
def market(cli: Cli, chain: LocalChain, rpc: RpcServer, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"RPC_URL": rpc.url, "NETWORK": chain.network, "ASSET": chain.asset, "CONFIRMATIONS": "0"}
    for name, value in {**told, "HOSTS": "127.0.0.1"}.items():
        monkeypatch.setenv(f"MAYFLY_MARKET_{name}", value)
    monkeypatch.setenv("MAYFLY_POLICY_SPEND_LIMIT", "10")


@pytest.fixture
def wallet(market: None) -> str:
    # As little work as scrypt takes; the command itself does as much as other wallets do.
    return Wallet(Settings.load()).create(PASSWORD, work=2)


def test_a_wallet_is_made_once_and_shown(cli: Cli) -> None:
    assert "mayfly wallet init" in cli("wallet", "show").err
    with password() as number:
        made = cli("wallet", "init", "--password-fd", number, "--json")
    assert made.status == 0, made.err
    address = json.loads(made.out)["address"]
    with password() as number:
        again = cli("wallet", "init", "--password-fd", number)
    assert (again.status, "there is a wallet already" in again.err) == (2, True)
    shown = json.loads(cli("wallet", "show", "--json").out)
    assert (shown["address"], shown["open"], shown["units"]) == (with_checksums(address), False, None)
    assert address == with_checksums(address)
    assert PASSWORD not in made.out + made.err


def test_without_somebody_to_ask_the_option_is_named(cli: Cli, wallet: str) -> None:
    refused = cli("wallet", "open")
    assert (refused.status, "--password-fd" in refused.err) == (2, True)


def test_what_is_not_set_is_named(cli: Cli) -> None:
    refused = cli("market", "buy", "http://127.0.0.1:1/x")
    assert refused.status == 2
    assert refused.err.strip().endswith("set MAYFLY_MARKET_RPC_URL")


def test_buying_with_a_wallet_that_is_open_for_it(cli: Cli, wallet: str, chain: LocalChain) -> None:
    assert cli("wallet", "fund-test", "1").out == "it has 1.00 now\n"
    with Shop(chain).open() as shop:
        with password() as number:
            done = cli(
                "market", "buy", f"{shop.base}/x", "--call", "c1", "--input", '{"a": 1}', "--password-fd", number
            )
        assert (done.status, done.out) == (0, 'sold: {"a": 1}\n'), done.err
        with password() as number:
            refused = cli("market", "buy", f"{shop.base}/x", "--max-price", "0.001", "--password-fd", number, "--json")
        assert refused.status == 1
        assert json.loads(refused.out)["status"] == "refused"
        assert len(shop.paid) == 1
    assert "has      0.99\n" in cli("wallet", "show").out


def test_addresses_are_shown_with_their_checksums_however_the_settings_spell_them(
    cli: Cli, wallet: str, chain: LocalChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAYFLY_MARKET_ASSET", chain.asset.lower())
    cli("wallet", "fund-test", "1", "--json")
    with Shop(chain).open() as shop, password() as number:
        done = cli("market", "buy", f"{shop.base}/x", "--call", "c1", "--password-fd", number, "--json")
    paid = json.loads(done.out)["payment"]
    assert (paid["payer"], paid["payee"], paid["asset"]) == (wallet, with_checksums(PAYEE), chain.asset)
    assert json.loads(cli("wallet", "show", "--json").out)["asset"] == chain.asset
    assert chain.asset in cli("market", "pnl", "--json").out
    told = cli("log", "--id", f"payment:{paid['id']}", "--json").out
    assert wallet in told
    assert wallet.lower() not in told


def test_a_keyring_has_the_password_whatever_the_spelling_it_was_kept_under(
    wallet: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[tuple[str, str], str] = {}
    ring: Any = types.ModuleType("keyring")
    ring.get_password = lambda service, name: kept.get((service, name))
    ring.set_password = lambda service, name, word: kept.update({(service, name): word})
    monkeypatch.setitem(sys.modules, "keyring", ring)
    keep_in_keyring(wallet.lower(), PASSWORD)
    assert password_in_keyring(wallet) == PASSWORD
    keep_in_keyring(wallet, "another")
    assert list(kept.values()) == ["another"]


def test_a_wallet_is_opened_and_closed(cli: Cli, wallet: str, chain: LocalChain) -> None:
    cli("wallet", "fund-test", "1", "--json")
    with password() as number:
        opened = cli("wallet", "open", "--password-fd", number, "--json")
    assert opened.status == 0, opened.err
    try:
        with Shop(chain).open() as shop:
            named = cli("market", "buy", "poem", "--from", shop.base, "--json")
            assert json.loads(named.out)["payment"]["url"] == f"{shop.base}/tools/poem"
        assert json.loads(cli("wallet", "show", "--json").out)["open"] is True
    finally:
        closed = cli("wallet", "close", "--json")
    assert json.loads(closed.out) == {"pid": json.loads(opened.out)["pid"]}
    again = cli("wallet", "close")
    assert (again.status, "not open" in again.err) == (4, True)


def test_a_name_in_the_list_of_a_seller_is_bought_where_and_how_the_list_says(
    cli: Cli, wallet: str, chain: LocalChain
) -> None:
    cli("wallet", "fund-test", "1", "--json")
    shop = Shop(chain)
    info = {"input": {"type": "http", "method": "GET", "queryParams": {"of": {"type": "string"}}}}
    entry = {
        **shop.offer(f"{shop.base}/far/away/poem"),
        "resource": f"{shop.base}/far/away/poem",
        "extensions": {"bazaar": {"info": info}},
    }
    lists = (200, {"content-type": "application/json"}, json.dumps({"resources": [entry]}).encode())
    shop.quote = lambda url: lists if url.endswith("/.well-known/x402") else shop.required(url)
    with shop.open(), password() as number:
        asked = ("market", "buy", "poem", "--from", shop.base, "--input", '{"of": "rain"}', "--json")
        done = cli(*asked, "--password-fd", number)
        assert json.loads(done.out)["payment"]["url"] == f"{shop.base}/far/away/poem?of=rain", done.err
    assert len(shop.paid) == 1


def test_what_a_seller_with_a_list_takes_is_an_object(cli: Cli, wallet: str, chain: LocalChain) -> None:
    shop = Shop(chain)
    entry = {**shop.offer(f"{shop.base}/poem"), "resource": f"{shop.base}/poem"}
    lists = (200, {"content-type": "application/json"}, json.dumps({"resources": [entry, entry]}).encode())
    shop.quote = lambda url: lists
    with shop.open():
        refused = cli("market", "buy", "poem", "--from", shop.base, "--input", "[1]")
        assert (refused.status, "takes an object of JSON" in refused.err) == (2, True)
        assert cli("market", "buy", "poem", "--from", shop.base, "--input", "nonsense").status == 2
    assert not shop.paid


def test_a_name_needs_its_seller(cli: Cli, wallet: str) -> None:
    refused = cli("market", "buy", "poem")
    assert (refused.status, "--from URL" in refused.err) == (2, True)


def test_what_a_person_agrees_to_in_the_inbox_is_bought(
    cli: Cli, wallet: str, chain: LocalChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAYFLY_POLICY_SPEND_LIMIT")
    cli("wallet", "fund-test", "1", "--json")
    with Shop(chain).open() as shop, password() as number:
        assert cli("wallet", "open", "--password-fd", number).status == 0
        try:
            buying = ("market", "buy", f"{shop.base}/x", "--call", "c1")
            asked = cli(*buying)
            assert asked.status == 3, asked.err
            (waits,) = json.loads(cli("inbox", "--json").out)
            assert f"mayfly approve {waits['id']}; then the same again with --call c1" in asked.err
            assert (waits["action"], waits["target"], "c1" in waits["payload"]) == ("buy", f"{shop.base}/x", True)
            # Asked twice it waits once.
            assert json.loads(cli(*buying, "--json").out)["approval"] == waits["id"]
            assert cli("approve", waits["id"], "--reason", "worth it").status == 0
            assert cli("market", "buy", f"{shop.base}/x", "--call", "c1", "--input", '{"b": 1}').status == 3
            assert cli("market", "buy", f"{shop.base}/x", "--call", "c2").status == 3
            assert shop.paid == []
            assert cli(*buying).status == 0
            assert cli(*buying).status == 0
            assert len(shop.paid) == 1
        finally:
            cli("wallet", "close")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("NETWORK", "base", "market.network: 'base' is no EVM network; write it like eip155:8453"),
        ("RPC_URL", "node", "market.rpc_url: the address must begin with http:// or https://"),
        ("ASSET", "0x12", "market.asset: '0x12' is no address"),
        ("PER_HOUR", "1e3", "market.per_hour: '1e3' is no price; write it like 0.01"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named_before_a_password_is_asked_for(
    cli: Cli, wallet: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(f"MAYFLY_MARKET_{name}", value)
    refused = cli("wallet", "open")
    assert (refused.status, says in refused.err, len(refused.err.splitlines())) == (2, True, 1)


def test_a_place_that_is_not_ours_is_named_with_what_to_set(
    cli: Cli, market: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(tmp_path / "taken"))
    for word in ("show", "init", "open", "close"):
        with password() as number:
            refused = cli("wallet", word, *(("--password-fd", number) if word in ("init", "open") else ()))
        told = "Not a directory; set MAYFLY_STATE_DIR to a directory that is yours"
        assert (refused.status, told in refused.err, len(refused.err.splitlines())) == (4, True, 1), word


def test_the_directory_of_the_wallet_is_the_owners_alone_whoever_made_it(cli: Cli, wallet: str) -> None:
    place = Settings.load().state / "wallet"
    place.chmod(0o755)
    with password() as number:
        assert cli("wallet", "open", "--password-fd", number).status == 0
    try:
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert stat.S_IMODE((place / "broker.sock").stat().st_mode) == 0o600
    finally:
        cli("wallet", "close")
