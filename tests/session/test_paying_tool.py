"""An agent makes a tool that pays, with the grant `buy` alone, and uses it: the key and the network stay outside."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import GateSettings, Settings
from mayfly.runtime import Runtime, Session
from mayfly.sandbox import PurchaseAnswer, PurchaseReply, PurchaseRequest
from mayfly.session import ToolReturned
from mayfly.testing import write_script

# What a model would write: it knows the wallet's address and nothing of keys, chains or payments.
SOURCE = '''
import hashlib
import json
from urllib.request import Request, urlopen


def weather_report(city: str, shop: str) -> str:
    """Buy the weather of a city."""
    body = json.dumps({"city": city})
    call = hashlib.sha256(f"{shop} {body}".encode()).hexdigest()
    order = {"call_id": call, "url": shop, "max_price": "0.01", "body": body}
    request = Request("http://wallet.mayfly/buy", data=json.dumps(order).encode(), method="POST")
    with urlopen(request, timeout=20) as reply:
        told = json.load(reply)
    if told["status"] != "delivered":
        raise ValueError(str(told["reason"]))
    return str(json.loads(told["answer"]["body"])["weather"])
'''.lstrip()


class PaidShop(http.server.ThreadingHTTPServer):
    """A shop on loopback that asks for a payment first and counts what it was paid."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Till)
        self.paid: list[str] = []
        self.unpaid = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/weather"


class _Till(http.server.BaseHTTPRequestHandler):
    server: PaidShop

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        paid = self.headers.get("PAYMENT-SIGNATURE")
        if paid:
            self.server.paid.append(paid)
        else:
            self.server.unpaid += 1
        answer = json.dumps({"weather": f"rain in {json.loads(body)['city']}"} if paid else {"accepts": []}).encode()
        self.send_response(200 if paid else 402)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        return


class SpeaksHttp:
    """A wallet that pays whatever a shop asks for, once for each call id, and remembers who asked."""

    def __init__(self) -> None:
        self.asked: list[PurchaseRequest] = []
        self._answers: dict[str, PurchaseAnswer] = {}
        self._lock = threading.Lock()

    def __call__(self, request: PurchaseRequest) -> PurchaseReply:
        with self._lock:
            self.asked.append(request)
            if request.call_id not in self._answers:
                self._answers[request.call_id] = self._pay(request)
            return PurchaseReply(status="delivered", answer=self._answers[request.call_id])

    def _pay(self, request: PurchaseRequest) -> PurchaseAnswer:
        sent = urllib.request.Request(request.url, data=request.body, method=request.method)
        with pytest.raises(urllib.error.HTTPError, match="402"):
            urllib.request.urlopen(sent, timeout=20)
        sent.add_header("PAYMENT-SIGNATURE", request.call_id)
        with urllib.request.urlopen(sent, timeout=20) as answer:
            return PurchaseAnswer(answer.status, answer.read())


@pytest.fixture
def shop() -> Iterator[PaidShop]:
    with PaidShop() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def wallet(monkeypatch: pytest.MonkeyPatch) -> SpeaksHttp:
    """The wallet of every runtime of the test: what a runtime asks is told to this one."""
    speaks = SpeaksHttp()
    monkeypatch.setattr("mayfly.runtime._purchases.purchase", lambda settings, request: speaks(request))
    return speaks


@pytest.fixture
def settings(tmp_path: Path, type_cache: Path) -> Settings:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    return Settings(state_dir=str(state), gates=GateSettings(mutants=0, inputs=0))


def call(tool: str, /, **arguments: object) -> dict[str, object]:
    return {"for": "chat", "answer": {"text": "", "calls": [{"name": tool, "arguments": arguments}]}}


def test_s_37_an_agent_writes_a_paying_tool_with_the_grant_buy_alone_and_uses_it(
    settings: Settings, workspace: Path, shop: PaidShop, wallet: SpeaksHttp
) -> None:
    example = {"input": {"city": "Ulm", "shop": shop.url}, "output": "rain in Ulm"}
    intent = "buy the weather report of a city from a shop"
    order = {"name": "weather_report", "intent": intent, "source": SOURCE, "examples": [example]}
    model = write_script(
        workspace.parent / "script.jsonl",
        call("tool_write", **order, grants=["net:*"]),
        call("tool_write", **order, grants=["buy:127.0.0.1"]),
        call("weather_report", city="Rome", shop=shop.url),
        call("tool_use", name="weather_report", arguments={"city": "Rome", "shop": shop.url}),
        call("weather_report", city="Rome", shop="http://localhost:1/"),
        {"for": "chat", "answer": "It rains."},
    )
    done: list[ToolReturned] = []

    def observe(happened: object) -> None:
        one = happened[0] if isinstance(happened, tuple) else happened
        if isinstance(one, ToolReturned):
            done.append(one)

    with Session(settings, workspace=workspace, model=model, observe=observe) as session:
        session.turn("create a tool that buys the weather of a city, then use it on Rome")
        id, card = session.id, session.runtime.tools.show("weather_report")[0]
    assert [one.status for one in done] == ["error", "ok", "ok", "ok", "error"], done
    # Without the grant its test could not be passed; nothing was bought then, and nothing while it was proven.
    assert "net" not in card.opened
    assert (card.opened, card.effect) == (("buy:127.0.0.1",), "once")
    assert [one.text for one in done[2:4]] == ["rain in Rome"] * 2
    assert "no grant covers buying from localhost:1" in done[4].text
    # Its test bought once, and both calls for Rome are one purchase of this session.
    assert len(shop.paid) == len(set(shop.paid)) == 2
    assert [one.tool for one in wallet.asked] == ["weather_report"] * 3
    assert [one.run for one in wallet.asked[1:]] == [id, id]
    assert wallet.asked[0].run != id


def test_without_a_wallet_a_paying_tool_is_told_what_to_type(settings: Settings, shop: PaidShop) -> None:
    probe = SOURCE.replace('raise ValueError(str(told["reason"]))', 'return str(told["reason"])')
    with Runtime(settings) as runtime:
        made = runtime.tools.write(
            "buy the weather report of a city from a shop",
            name="weather_report",
            source=probe,
            tests="def test_it():\n    assert 'wallet' in weather_report('Ulm', 'http://127.0.0.1:1/')\n",
            grants=["buy"],
        )
        assert made.accepted, made.reason
        told = runtime.tools.call("weather_report", {"city": "Ulm", "shop": shop.url})
    assert "mayfly wallet init" in str(told.value)
    assert (shop.paid, shop.unpaid) == ([], 0)
