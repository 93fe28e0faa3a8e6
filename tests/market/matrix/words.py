"""The words that cases are written in: who buys, sells, fails and looks, each a process of its own where it matters."""

from __future__ import annotations

import base64
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx

from market.matrix.actors import lock_ledger, settings_of
from market.matrix.case import FRIEND, FUNDS, PAYEE, PAYER, RELAY, SPARE, Bench, Case
from market.matrix.parties import PRICE, authorization_in, decoded, kill
from market.matrix.stranger import RawBuyer, SdkShop, sdk_buys, twisted_again
from market.matrix.zygote import Actor
from mayfly import testing
from mayfly.operations import pnl
from mayfly.store import Ledger, PaymentList
from mayfly.testing.chain import Authorization, account

BODY = '{"about": "sea"}'
# Past the end of everything that was signed: offers are valid for five minutes, and skewed clocks for an hour more.
LATER = 9_000


class Words:
    """One case while it is played."""

    def __init__(self, bench: Bench, case: Case, directory: Path) -> None:
        self.bench, self.case, self.directory = bench, case, directory
        self.chain = bench.chain
        self.payer = PAYER if case.funds == FUNDS else SPARE
        self.actors: dict[str, Actor] = {}
        self.held: dict[str, Any] = {}
        self.databases: dict[str, str] = {}
        self.opened = ExitStack()
        self.said: list[dict[str, Any]] = []
        self.sdk: SdkShop | None = None
        self.raw = RawBuyer(self.chain, bench.gate.door.url)
        self.raw_paid, self.passed = False, 0
        for party in (bench.settler, bench.gate, bench.stranger):
            party.reset()
        for node in bench.nodes.values():
            node.set("ok")
        bench.act = self.do
        for side in ("buyer", "seller"):
            if bench.server:
                self.databases[side] = self.opened.enter_context(testing.postgres_schema(bench.server))
            state = directory / side
            state.mkdir(mode=0o700)
            shutil.copy2(bench.rules / "seal.key", state)
            shutil.copytree(bench.rules / "rules-cache", state / "rules-cache")
        self._fund()

    def _fund(self) -> None:
        if self.payer == SPARE:
            self.chain.fund(account(SPARE).address, units=self.case.funds)
        self.bench.settler.other = self.bench.stranger.other = self.bench.other
        self.start = self.chain.balance(account(PAYEE).address)
        self.before = len(self.chain.transfers())

    def close(self) -> None:
        """End every process of the case."""
        self.do("unlock")
        for one in self.actors.values():
            one.close()
        if self.sdk is not None:
            self.sdk.close()
        self.opened.close()
        self.bench.act = lambda _: None

    # Configuration.

    def config(self, side: str, **more: Any) -> dict[str, Any]:
        """Return what an actor of a side is told; a setting of the case stands above."""
        market: dict[str, Any] = {
            "rpc_url": self.bench.nodes[side].server.url,
            "network": self.chain.network,
            "asset": self.chain.asset,
            "confirmations": 0,
            "rpc_timeout": 1.0,
            "timeout": 1.5,
        }
        if side == "buyer":
            market |= {"hosts": "127.0.0.1", "tries": 2, "try_delay": 0.05, "takeover": 0.3}
            special = dict(self.case.buyer)
            if special.get("payees") == "PAYEE":
                special["payees"] = account(PAYEE).address
        else:
            market |= {"payee": account(PAYEE).address, "lease": 1.0, "settle_wait": 0.5, "reconcile": 30.0}
            market["sell_url"] = self.bench.gate.door.url
            special = dict(self.case.seller)
            if special.pop("relay", False):
                key = self.directory / "relay.key"
                key.touch(mode=0o600)
                key.write_text("0x" + bytes(account(RELAY).key).hex())
                market["relay_key_file"] = str(key)
            else:
                market["facilitator_url"] = self.bench.settler.door.url
        made: dict[str, Any] = {"state": str(self.directory / side), "market": {**market, **special}, "busy": 0.5}
        made["database"] = self.databases.get(side, "")
        made |= more
        return {**made, "payer": self.payer, "payee": account(PAYEE).address, "runs": str(self._runs), "units": PRICE}

    @property
    def _runs(self) -> Path:
        return self.directory / "runs.txt"

    def runs(self) -> int:
        """Return how often the tool ran, or was begun."""
        if self.sdk is not None:
            return self.sdk.runs
        return len(self._runs.read_text().splitlines()) if self._runs.exists() else 0

    @property
    def url(self) -> str:
        """What is bought."""
        if self.case.shop == "sdk":
            assert self.sdk is not None
            return f"{self.sdk.url}/tools/poem"
        return (self.bench.gate.door.url if self.case.shop == "ours" else self.bench.stranger.door.url) + "/tools/poem"

    # Words.

    def play(self) -> list[str]:
        """Play the case and return what was seen."""
        if self.case.shop == "sdk":
            self.sdk = SdkShop(self.chain, account(PAYEE).address, self.bench.settler.door.url)
        self.bench.stranger.terms.update({k: v for k, v in self.case.terms.items() if not k.startswith("raw_")})
        self.bench.stranger.raw.update({k[4:]: v for k, v in self.case.terms.items() if k.startswith("raw_")})
        return [seen for line in self.case.play if (seen := self.do(line)) is not None]

    def do(self, line: str) -> str | None:
        """Do what a line says; what is seen of it, if anything, is returned."""
        word, *rest = line.split(" ")
        named = dict(one.split("=", 1) for one in rest if "=" in one)
        plain = [one for one in rest if "=" not in one]
        found: str | None = getattr(self, f"_{word}")(plain, named)
        return found

    def _sell(self, _: list[str], named: dict[str, str]) -> None:
        self._stop([], {})
        actor = self.bench.zygote.start("sell", self.config("seller", **named), self.directory)
        self.actors["seller"] = actor
        self.bench.gate.target = actor.ready()["url"]

    def _stop(self, _: list[str], __: dict[str, str]) -> None:
        old = self.actors.pop("seller", None)
        if old is not None:
            old.close()
        self.bench.gate.target = ""

    def _kill(self, plain: list[str], _: dict[str, str]) -> None:
        deadline = time.monotonic() + 5
        while plain[0] not in self.actors and time.monotonic() < deadline:
            time.sleep(0.001)
        kill(self.actors[plain[0]].pid)

    def _buy(self, _: list[str], named: dict[str, str]) -> str:
        """Buy: so many `calls` (ids c1, c2, …) in so many `processes`, or `copies` of one call."""
        calls, copies = int(named.pop("calls", "1")), int(named.pop("copies", "1"))
        processes = int(named.pop("processes", "1"))
        one = {
            "url": named.pop("url", self.url),
            "max": named.pop("max", "0.01"),
            "body": f'{{"about": "{named.pop("about", "sea")}"}}',
            "agent": named.pop("agent", ""),
        }
        call = named.pop("call", "c")
        orders = [{**one, "call": f"{call}{n + 1}" if calls > 1 else call} for n in range(calls) for _ in range(copies)]
        started = []
        for n in range(processes):
            config = self.config("buyer", calls=orders[n::processes] or orders, **named)
            started.append(self.bench.zygote.start("buy", config, self.directory))
            self.actors["buyer"] = started[-1]
        ended = [actor.wait() for actor in started]
        self.actors.pop("buyer", None)
        for actor in started:
            actor.close()
        return self._told(started, ended)

    def _told(self, started: list[Actor], ended: list[dict[str, Any] | None]) -> str:
        words: Counter[str] = Counter()
        for actor, said in zip(started, ended, strict=True):
            # One that was killed at once has not even begun to write.
            file = actor.out.with_suffix(".log")
            log = file.read_text() if file.exists() else ""
            if said is None and "Traceback" in log:
                raise AssertionError(log[-3000:])
            for one in said["purchases"] if said else [{"status": "killed"}]:
                self.said.append(one)
                words[one["status"]] += 1
        if len(words) == 1 and sum(words.values()) == 1:
            return next(iter(words))
        return " ".join(f"{word}:{count}" for word, count in sorted(words.items()))

    def _reconcile(self, _: list[str], __: dict[str, str]) -> str:
        said = self._once("reconcile", "buyer")
        return " ".join(f"{word}:{count}" for word, count in sorted(Counter(said["moved"]).items())) or "none"

    def _recover(self, _: list[str], __: dict[str, str]) -> str:
        said = self._once("recover", "seller")["recovered"]
        return " ".join(f"{word}:{count}" for word, count in sorted(said.items()) if count) or "none"

    def _once(self, role: str, side: str) -> dict[str, Any]:
        actor = self.bench.zygote.start(role, self.config(side, passed=self.passed), self.directory)
        said = actor.wait()
        actor.close()
        assert said is not None, actor.out.with_suffix(".log").read_text()[-3000:]
        return said

    def _gate(self, plain: list[str], named: dict[str, str]) -> None:
        for word, modes in named.items():
            self.bench.gate.modes.set(word, modes)

    def _tamper(self, _: list[str], named: dict[str, str]) -> None:
        self.bench.gate.tamper = {name: self._place(value) for name, value in named.items()}
        self.bench.gate.modes.set("quote", "tamper!")

    def _place(self, value: str) -> str:
        return account(FRIEND).address if value == "FRIEND" else value

    def _fac(self, _: list[str], named: dict[str, str]) -> None:
        for word, modes in named.items():
            self.bench.settler.modes.set(word, modes)

    def _node(self, _: list[str], named: dict[str, str]) -> None:
        for side, mode in named.items():
            self.bench.nodes[side].set(mode)

    def _shop(self, _: list[str], named: dict[str, str]) -> None:
        self.bench.stranger.how = named.get("how", self.bench.stranger.how)
        self.bench.stranger.version = int(named.get("version", self.bench.stranger.version))

    def _lock(self, plain: list[str], _: dict[str, str]) -> None:
        config = self.config(plain[0])
        self.held[plain[0]] = lock_ledger(config["state"], config["database"])

    def _unlock(self, _: list[str], __: dict[str, str]) -> None:
        while self.held:
            self.held.popitem()[1].close()

    def _expire(self, _: list[str], __: dict[str, str]) -> None:
        """Let time pass: on the chain, and for whoever looks at what is open afterwards."""
        self.chain.advance(LATER)
        self.passed = LATER

    def _mine(self, plain: list[str], _: dict[str, str]) -> None:
        self.chain.mine(int(plain[0]))

    def _wait(self, plain: list[str], _: dict[str, str]) -> None:
        time.sleep(float(plain[0]))

    def _late(self, _: list[str], __: dict[str, str]) -> None:
        """Have settled what was only promised; the same twice is the chain's to refuse."""
        for payload in {str(one): one for one in [*self.bench.settler.late, *self.bench.stranger.late]}.values():
            with suppress(RuntimeError):
                self.bench.settler.till.take(payload)

    def _steal(self, _: list[str], __: dict[str, str]) -> None:
        """Have a third party send to the chain what the gate has seen."""
        self.bench.settler.till.take(decoded(self.bench.gate.paid[-1].payment))

    def _state(self, _: list[str], __: dict[str, str]) -> str:
        with Ledger.open(settings_of(self.config("buyer"))) as ledger:
            return " ".join(
                f"{state}:{count}" for state, count in sorted(count_states(PaymentList(ledger).each()).items())
            )

    def _money(self, _: list[str], __: dict[str, str]) -> str:
        with Ledger.open(settings_of(self.config("buyer"))) as ledger:
            total = pnl(ledger).totals
        cost, risk = sum(one.cost for one in total), sum(one.at_risk for one in total)
        return f"cost:{cost} risk:{risk}"

    def _sent(self, _: list[str], __: dict[str, str]) -> str:
        paid = {one.payment for one in self.bench.gate.paid}
        return f"payments:{len(paid)}"

    def _thief(self, _: list[str], named: dict[str, str]) -> str:
        """Have a third party send the payment that the gate saw last, for itself."""
        seen = self.bench.gate.paid[-1]
        body = None if named.get("body", "same") == "same" else b'{"about": "theft"}'
        told = self.bench.gate.forward(seen, body=body)
        return f"http:{told.status if told else 0}"

    def _raw(self, plain: list[str], named: dict[str, str]) -> str:
        """Send a payment made by hand; `again` sends the last one, `only` makes it and sends nothing."""
        self.raw_paid = True
        copies, bodies = int(named.pop("copies", "1")), named.pop("bodies", "")
        if "header" in named:
            return f"http:{self.raw.send(_header(named['header'])).status_code}"
        if "again" not in plain:
            say = {name: self._place(value) for name, value in named.items()}
            self.raw.last = self.raw.payment(say, payer=self.payer, payee=account(PAYEE).address)
        payment = twisted_again(self.raw.last) if "twisted" in plain else self.raw.last
        if "junk" in plain:
            payment = {**payment, "payload": {**payment["payload"], "signature": "0x" + "11" * 64 + "1b"}}
        if "upper" in plain:
            payment = _upper(payment)
        if "only" in plain:
            return "made"
        body = named.get("body", BODY).replace("_", " ")
        texts = [f'{{"about": "{n}"}}' if bodies else body for n in range(copies)]
        return self._send_all(payment, named.get("tool", "poem"), texts)

    def _send_all(self, payment: Mapping[str, Any], tool: str, texts: list[str]) -> str:
        found: Counter[str] = Counter()
        lock = threading.Lock()

        def one(text: str) -> None:
            status = 0
            with suppress(httpx.HTTPError):
                status = self.raw.send(payment, tool=tool, body=text).status_code
            with lock:
                found[f"http:{status}"] += 1

        threads = [threading.Thread(target=one, args=(text,)) for text in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return " ".join(word if count == 1 else f"{word}*{count}" for word, count in sorted(found.items()))

    def _rawsettle(self, _: list[str], __: dict[str, str]) -> None:
        self.bench.settler.till.take(self.raw.last)

    def _rawcancel(self, _: list[str], __: dict[str, str]) -> None:
        it, _sig = authorization_in(self.raw.last)
        types = {
            "CancelAuthorization": [{"name": "authorizer", "type": "address"}, {"name": "nonce", "type": "bytes32"}]
        }
        domain = {
            "name": "Test Dollar",
            "version": "2",
            "chainId": self.chain.chain_id,
            "verifyingContract": self.chain.asset,
        }
        made = account(self.payer).sign_typed_data(domain, types, {"authorizer": it.payer, "nonce": it.nonce}).signature
        cancel = self.chain.token.functions.cancelAuthorization
        with self.chain.lock:
            cancel(it.payer, it.nonce, made[64], bytes(made[:32]), bytes(made[32:64])).transact(
                {"from": self.chain.evm.get_accounts()[3], "gas": 1_000_000}
            )

    def _drainer(self, _: list[str], __: dict[str, str]) -> None:
        """Move the payer's money away as soon as the tool works on its request."""
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        asked, done = Path(f"{self._runs}.drain"), Path(f"{self._runs}.drained")
        deadline = time.monotonic() + 10
        while not asked.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        key, now = account(self.payer), self.chain.now
        everything = self.chain.balance(key.address)
        it = Authorization(key.address, account(FRIEND).address, everything, 0, now + 1000, b"\5" * 32)
        self.chain.send(it, self.chain.sign(it, key))
        done.touch()

    def _sdk(self, _: list[str], __: dict[str, str]) -> str:
        self.raw_paid = True
        return f"http:{sdk_buys(self.url, self.payer, BODY)}"


def count_states(rows: Iterable[Any]) -> dict[str, int]:
    """Return how many rows are in each state."""
    return dict(Counter(row.state for row in rows))


def _header(kind: str) -> str:
    deep = base64.b64encode(b'{"x402Version":2,"payload":' * 3000 + b"1" + b"}" * 3000).decode()
    made = {"junk": "!!!", "deep": deep[:60000], "number": "Mg==", "list": "W10=", "long": "QUFB" * 12000}
    return made[kind]


def _upper(payment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same payment, written otherwise: the nonce in capitals, addresses in small letters."""
    inner = payment["payload"]
    it = inner["authorization"]
    other = {**it, "nonce": "0x" + it["nonce"][2:].upper(), "from": it["from"].lower(), "to": it["to"].lower()}
    return {**payment, "payload": {**inner, "authorization": other}}
