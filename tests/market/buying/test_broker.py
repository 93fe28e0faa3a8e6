"""The process that has the key: what it does for others, and what nobody gets out of it."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import ConflictError, InputError, MachineError, Settings
from mayfly.market import (
    BrokerClient,
    BrokerProcess,
    Wallet,
    close_broker,
    fund_test,
    open_broker,
    password_from,
)
from mayfly.store import Ledger
from mayfly.testing.chain import LocalChain

from .conftest import World
from .shop import PRICE, Shop

PASSWORD = "a password of a test"
# The least that scrypt takes: the tests try no guesses.
WORK = 2


@pytest.fixture
def settings(world: World, tmp_path: Path) -> Settings:
    """Return settings of a state directory whose path is longer than a socket's address."""
    deep = tmp_path / ("d" * 100) / "state"
    made = replace(world.settings, state_dir=str(deep), sources={})
    address = Wallet(made).create(PASSWORD, work=WORK)
    fund_test(made, address, 20 * PRICE)
    return made


@pytest.fixture
def broker(settings: Settings) -> Iterator[BrokerProcess]:
    with open_broker(settings, PASSWORD) as started:
        yield started


def units(settings: Settings) -> int:
    return int(BrokerClient(settings).balance()["units"])


def test_s_32_buying_through_the_broker(settings: Settings, broker: BrokerProcess, shop: Shop) -> None:
    client = BrokerClient(settings)
    done = client.buy("c1", f"{shop.base}/x", "0.01", body=b"hi", agent="a", run="r", tool="t", strategy="s")
    assert done["status"] == "delivered", done
    assert done["payment"]["agent"] == "a"
    assert units(settings) == 19 * PRICE
    assert client.status("c1")["status"] == "delivered"
    assert client.status("none")["status"] == "none"
    with pytest.raises(ConflictError, match="another request"):
        client.buy("c1", f"{shop.base}/y", "0.01")


def test_the_same_call_by_twenty_clients_is_one_payment(settings: Settings, broker: BrokerProcess, shop: Shop) -> None:
    client = BrokerClient(settings)
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda _: client.buy("c1", f"{shop.base}/x", "0.01")["status"], range(20)))
    assert set(done) == {"delivered"}
    assert units(settings) == 19 * PRICE
    assert len(shop.paid) == 1


def test_s_36_the_key_is_in_no_place_that_others_look_at(settings: Settings, broker: BrokerProcess, shop: Shop) -> None:
    key = bytes(Wallet(settings).unlock(PASSWORD).key)
    spellings = [key, key.hex().encode(), key.hex().upper().encode(), PASSWORD.encode()]
    done = BrokerClient(settings).buy("c1", f"{shop.base}/x", "0.01")
    assert not any(word.decode("latin-1") in json.dumps(done) for word in spellings)
    for path in settings.state.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not any(word in data for word in spellings), path
    with Ledger.open(settings) as ledger:
        for event in ledger.read():
            assert not any(word.decode("latin-1") in repr(event) for word in spellings)
    assert Path(f"/proc/{broker.pid}/cmdline").read_bytes().find(PASSWORD.encode()) == -1


def test_s_36_the_process_of_the_key_cannot_be_looked_into(settings: Settings, broker: BrokerProcess) -> None:
    limits = Path(f"/proc/{broker.pid}/limits").read_text()
    assert [line.split()[4:6] for line in limits.splitlines() if line.startswith("Max core")] == [["0", "0"]]
    # What a process that is not dumpable has in /proc belongs to root.
    assert Path(f"/proc/{broker.pid}/environ").stat().st_uid == 0
    if os.geteuid() == 0:
        assert Path(f"/proc/{broker.pid}/environ").read_bytes() == b""
    else:
        for name in ("environ", "mem", "maps"):
            with pytest.raises(PermissionError):
                Path(f"/proc/{broker.pid}/{name}").read_bytes()


UNKNOWN = (
    b'{"op": "sign", "data": "00"}',
    b'{"op": "export"}',
    b'{"op": "sign_authorization"}',
    b'{"op": "_buy"}',
    b'{"op": ["buy"]}',
    b'{"op": "balance", "key": "yes"}',
    b'{"op": "buy", "call_id": 1}',
    b'{"op": "buy", "call_id": "c", "url": "file:///etc/passwd", "max_price": "1"}',
    b'{"op": "buy", "call_id": "c", "url": "http://u:p@127.0.0.1/", "max_price": "1"}',
    b'{"op": "buy", "call_id": "c", "url": "http://127.0.0.1/", "max_price": "1", "body": "!"}',
    b'{"op": "buy", "call_id": "c", "url": "http://127.0.0.1/", "max_price": "1", "headers": ["x"]}',
    b"{}",
)


def test_s_36_it_does_nothing_but_what_it_offers(settings: Settings, broker: BrokerProcess) -> None:
    for line in UNKNOWN:
        with _connected(settings) as connection, connection.makefile("rb") as file:
            connection.sendall(line + b"\n")
            said = json.loads(file.readline())
        assert (said["ok"], said["code"]) == (False, "INPUT"), line
    # What is no question at all ends the connection, and not the broker.
    for line in (b"no json\n", b"[]\n", b"[" * 200_000 + b"\n", b'{"op":' * 200_000 + b"\n"):
        with _connected(settings) as connection:
            connection.sendall(line)
            assert connection.recv(10) == b""
    assert units(settings) == 20 * PRICE


def test_socket_and_directory_are_the_owners_alone(settings: Settings, broker: BrokerProcess) -> None:
    folder = settings.state / "wallet"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes.pop("wallet") == 0o700
    assert set(modes.values()) == {0o600}


def test_there_is_one_broker_for_a_wallet(settings: Settings, broker: BrokerProcess) -> None:
    with pytest.raises(MachineError, match="open already"):
        open_broker(settings, PASSWORD)


def test_a_wrong_password_opens_nothing(settings: Settings) -> None:
    with pytest.raises(InputError, match="password"):
        open_broker(settings, "wrong password")
    with pytest.raises(MachineError, match="not open"):
        BrokerClient(settings).balance()


def test_a_broker_that_was_killed_leaves_nothing_in_the_way(settings: Settings, shop: Shop) -> None:
    started = open_broker(settings, PASSWORD)

    def die() -> None:
        os.kill(started.pid, signal.SIGKILL)

    shop.after_settling = die
    with pytest.raises(MachineError, match="lost"):
        BrokerClient(settings).buy("c1", f"{shop.base}/x", "0.01")
    started.close()
    shop.after_settling = lambda: None
    with open_broker(settings, PASSWORD):
        done = BrokerClient(settings).buy("c1", f"{shop.base}/x", "0.01")
        assert done["status"] == "delivered"
        assert units(settings) == 19 * PRICE
    assert len(set(shop.headers)) == 1


def test_a_lasting_broker_is_closed_by_anybody_of_the_same_user(settings: Settings) -> None:
    started = open_broker(settings, PASSWORD, lasting=True)
    assert close_broker(settings) == started.pid
    _wait_for_end(started.pid)
    assert not BrokerClient(settings).is_open


def test_it_ends_with_the_process_that_started_it(settings: Settings) -> None:
    told = {one.variable: str(one.value) for one in settings.show() if one.value != one.default}
    script = (
        "import json, os, sys\nfrom pathlib import Path\n"
        "from mayfly.core import Settings\nfrom mayfly.market import open_broker\n"
        "s = Settings.load(environ=json.loads(sys.argv[1]), directory=Path('/nonexistent'))\n"
        f"print(open_broker(s, {PASSWORD!r}).pid, flush=True)\nos._exit(0)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, json.dumps(told)], capture_output=True, text=True, check=True)
    _wait_for_end(int(ran.stdout))


def _wait_for_end(pid: int) -> None:
    """Wait until a process that is nobody's child here is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    try:
        assert select.select([descriptor], [], [], 30)[0]
    finally:
        os.close(descriptor)


def _connected(settings: Settings) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    folder = os.open(settings.state / "wallet", os.O_RDONLY)
    try:
        connection.connect(f"/proc/self/fd/{folder}/broker.sock")
    finally:
        os.close(folder)
    return connection


def test_a_wallet_is_never_overwritten(tmp_path: Path) -> None:
    wallet = Wallet(Settings(state_dir=str(tmp_path)))
    first = wallet.create(PASSWORD, work=WORK)
    with pytest.raises(ConflictError):
        wallet.create("another password", work=WORK)
    assert wallet.address == first
    assert [path.name for path in wallet.path.parent.iterdir()] == ["keystore.json"]
    assert stat.S_IMODE(wallet.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["", "[]", "{}", "no json"])
def test_a_damaged_keystore_is_told_in_one_line(tmp_path: Path, damage: str) -> None:
    wallet = Wallet(Settings(state_dir=str(tmp_path)))
    wallet.create(PASSWORD, work=WORK)
    wallet.path.write_text(damage)
    for ask in (lambda: wallet.address, lambda: wallet.unlock(PASSWORD)):
        with pytest.raises(InputError):
            ask()


def test_a_keystore_that_others_read_is_not_used(tmp_path: Path) -> None:
    wallet = Wallet(Settings(state_dir=str(tmp_path)))
    wallet.create(PASSWORD, work=WORK)
    wallet.path.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        wallet.unlock(PASSWORD)


def test_a_short_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 8"):
        Wallet(Settings(state_dir=str(tmp_path))).create("short")


def test_a_password_comes_from_a_descriptor() -> None:
    reader, writer = os.pipe()
    word = secrets.token_hex(8)
    os.write(writer, f"{word}\nmore".encode())
    os.close(writer)
    assert password_from(reader) == word
    os.close(reader)
    with pytest.raises(InputError):
        password_from(reader)


def test_money_is_not_made_up_on_another_machine(world: World, chain: LocalChain) -> None:
    market = replace(world.settings.market, rpc_url="https://mainnet.example.org/")
    with pytest.raises(InputError, match="not this machine"):
        fund_test(replace(world.settings, market=market), world.address, 1)
