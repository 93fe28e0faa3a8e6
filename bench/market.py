"""Paying for a call: our durable path beside the plain x402 SDK on the same local chain, and beside a free call."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from bench._market_shop import PRICE  # noqa: E402
from bench._table import Table, number, spread  # noqa: E402
from bench.web import _EXAMPLES, _SOURCE  # noqa: E402
from mayfly.core import Settings  # noqa: E402
from mayfly.runtime import Runtime  # noqa: E402

CALLS = 60
_ARGUMENTS = {"numeral": "MCMXC"}
_BODY = json.dumps(_ARGUMENTS).encode()
# The first purchases load modules and compile rules; nobody waits for those a second time.
_WARM = 5
_PASSWORD = "a password of a benchmark"


@dataclass
class TimedChain:
    """The chain's own time: how many questions it was asked, and the seconds it took over them."""

    ask: Callable[[str, list[Any]], dict[str, Any]]
    seconds: float = 0.0
    asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, method: str, params: list[Any]) -> dict[str, Any]:
        began = time.perf_counter()
        try:
            return self.ask(method, params)
        finally:
            with self._lock:
                self.seconds += time.perf_counter() - began
                self.asked += 1


@dataclass
class Taken:
    """Milliseconds of each call, the chain's own among them, and the questions to the node."""

    whole: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)


def measure(*, quick: bool) -> list[Table]:
    """Return one table: the same tool free, paid by the SDK, and paid by us over each database."""
    with ExitStack() as stack:
        calls = opened(stack)
        chain = calls.chain
        taken = {name: Taken() for name in calls.ways}
        for turn in range(_WARM + (10 if quick else CALLS)):
            for name, way in calls.ways.items():
                asked, seconds, began = chain.asked, chain.seconds, time.perf_counter()
                answer = way()
                whole = time.perf_counter() - began
                assert json.loads(answer) == 1990, answer
                if turn >= _WARM:
                    one = taken[name]
                    one.whole.append(whole * 1000)
                    one.ours.append((whole - (chain.seconds - seconds)) * 1000)
                    one.asked.append(chain.asked - asked)
    return [_table(taken)]


def _table(taken: Mapping[str, Taken]) -> Table:
    plain = taken[SDK]
    rows = []
    for name, one in taken.items():
        rows.append(
            (
                name,
                *(number(part) for part in spread(one.whole)),
                *(number(part) for part in spread(one.ours)[1:]),
                f"{median(one.whole) / median(plain.whole):.2f}",
                f"{median(one.ours) - median(plain.ours):+.1f}",
                str(int(median(one.asked))),
            )
        )
    return Table(
        title="A call of a tool, free and paid",
        caption=(
            "Milliseconds at the buyer, interleaved; one chain in the buyer's process (py-evm, a block for each "
            "transaction), one process that sells all three ways, on loopback. The tool runs behind the wall each "
            "time. The SDK: its client over requests, its FastAPI middleware, its facilitator in the seller's process. "
            "Ours: the client, the broker process with the key, the seller with its own facilitator, every step in "
            "two stores (the buyer's and the seller's) before the next begins. *less chain* is without the time the "
            "chain itself took; *ms* is how much more of that than the SDK, by p50."
        ),
        head=("what", "min", "p50", "p99", "less chain p50", "p99", "× SDK", "ms", "node asked"),
        rows=rows,
    )


SDK = "x402 SDK: client, middleware, facilitator"


@dataclass(frozen=True)
class Calls:
    """The ways to call, by name, and the chain under them."""

    chain: TimedChain
    ways: dict[str, Callable[[], bytes]]


def opened(stack: ExitStack, *, databases: tuple[str, ...] = ("SQLite", "PostgreSQL")) -> Calls:
    """Start chain, shops and brokers, and return the calls to make."""
    from mayfly.testing import postgres_schema, postgres_server
    from mayfly.testing.chain import LocalChain, RpcServer

    place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    chain = LocalChain()
    timed = TimedChain(chain.ask)
    rpc = stack.enter_context(RpcServer(timed))
    ways: dict[str, Callable[[], bytes]] = {}
    server = stack.enter_context(postgres_server()) if "PostgreSQL" in databases else ""
    for database in databases:
        here = place / database
        stores = ["", ""]
        if database == "PostgreSQL":
            stores = [stack.enter_context(postgres_schema(server)) for _ in range(2)]
        shop = stack.enter_context(_shop(chain, rpc.url, here / "seller", stores[0]))
        if SDK not in ways:
            ways["the same tool free, over HTTP"] = _free(stack, shop)
            ways[SDK] = _sdk(stack, chain, shop)
        ways[f"mayfly: broker, seller, own facilitator; {database}"] = _ours(
            stack, chain, rpc.url, here / "buyer", stores[1], shop
        )
    return Calls(timed, ways)


def _settings(chain: Any, rpc: str, place: Path, database: str, **more: str) -> dict[str, str]:
    told = {
        "STATE_DIR": str(place),
        "MARKET_RPC_URL": rpc,
        "MARKET_NETWORK": chain.network,
        "MARKET_ASSET": chain.asset.lower(),
        "MARKET_CONFIRMATIONS": "0",
        "MARKET_RECONCILE": "3600",
        **more,
    }
    if database:
        told["DATABASE_URL"] = database
    return {f"MAYFLY_{name}": value for name, value in told.items()}


@contextmanager
def _shop(chain: Any, rpc: str, place: Path, database: str) -> Iterator[str]:
    from mayfly.testing.chain import account

    relay, other, payee = account(1), account(2), account(3)
    for one in (relay, other):
        chain.fund(one.address)
    place.mkdir(mode=0o700, parents=True)
    key = place / "relay.key"
    key.write_text(relay.key.hex())
    key.chmod(0o600)
    told = _settings(chain, rpc, place, database, MARKET_RELAY_KEY_FILE=str(key), MARKET_PAYEE=payee.address)
    with Runtime(Settings.load(environ=told, directory=place)) as runtime:
        made = runtime.tools.write("convert a roman numeral", name="roman", source=_SOURCE, examples=_EXAMPLES)
        assert made.accepted, made.reason
    line = {
        "settings": told,
        "rpc": rpc,
        "network": chain.network,
        "asset": chain.asset,
        "payee": payee.address,
        "key": other.key.hex(),
    }
    command = [sys.executable, str(HERE / "_market_shop.py")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        yield str(json.loads(process.stdout.readline())["url"])
    finally:
        process.terminate()
        process.wait(60)


def _free(stack: ExitStack, shop: str) -> Callable[[], bytes]:
    import requests

    session = stack.enter_context(requests.Session())
    return lambda: session.post(f"{shop}/free/roman", json=_ARGUMENTS, timeout=60).content


def _sdk(stack: ExitStack, chain: Any, shop: str) -> Callable[[], bytes]:
    import requests
    from x402 import x402ClientSync
    from x402.http.clients.requests import wrapRequestsWithPayment
    from x402.mechanisms.evm.exact import register_exact_evm_client

    from mayfly.testing.chain import DOLLAR, account

    payer: Any = account(4)
    chain.fund(payer.address, units=1000 * DOLLAR)
    client = register_exact_evm_client(x402ClientSync().set_spend_controls(False), payer)
    session = wrapRequestsWithPayment(stack.enter_context(requests.Session()), client)
    return lambda: session.post(f"{shop}/sdk/roman", json=_ARGUMENTS, timeout=60).content


def _ours(stack: ExitStack, chain: Any, rpc: str, place: Path, database: str, shop: str) -> Callable[[], bytes]:
    import base64
    import itertools

    from mayfly.market import BrokerClient, Wallet, open_broker
    from mayfly.testing.chain import DOLLAR

    more = {
        "MARKET_HOSTS": "127.0.0.1",
        "MARKET_PER_HOUR": "1000",
        "MARKET_PER_AGENT": "1000",
        "POLICY_SPEND_LIMIT": "100",
    }
    settings = Settings.load(environ=_settings(chain, rpc, place, database, **more), directory=HERE)
    place.mkdir(mode=0o700, parents=True)
    # The keystore is opened once, so what a guess costs is no part of a purchase.
    address = Wallet(settings).create(_PASSWORD, work=2)
    chain.fund(chain.token.w3.to_checksum_address(address), units=1000 * DOLLAR, fuel=False)
    stack.enter_context(open_broker(settings, _PASSWORD))
    client, calls = BrokerClient(settings), itertools.count()

    def buy() -> bytes:
        done = client.buy(f"c{next(calls)}", f"{shop}/tools/roman", PRICE, body=_BODY, agent="bench")
        assert done["status"] == "delivered", done
        return base64.b64decode(done["answer"]["body"])

    return buy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run, for a first look")
    chosen = parser.parse_args()
    print(*(table.markdown() for table in measure(quick=chosen.quick)), sep="\n\n")
