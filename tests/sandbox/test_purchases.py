"""The grant `buy`: what a job may ask of the wallet, in whose name, how much of it, and that nothing else opens."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mayfly.core import InputError, SandboxSettings
from mayfly.sandbox import PurchaseAnswer, PurchaseReply, PurchaseRequest, Sandbox, Spender
from mayfly.sandbox._purchases import BadRequest, read_request, write_reply

# Ask the wallet for each of a list of [method, path, body], and give the status and the JSON of each answer.
ASK = """
import json, urllib.error, urllib.request
def f(asks):
    told = []
    for method, path, body in asks:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request('http://wallet.mayfly' + path, data=data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                told.append([answer.status, json.load(answer)])
        except urllib.error.HTTPError as error:
            told.append([error.code, json.loads(error.read())])
    return told
"""
ORDER = {"call_id": "one", "url": "http://shop.example/report", "max_price": "0.01", "body": "{}"}
WHO = Spender(agent="ann", run="r-1", tool="pay", strategy="careful")


class Shop:
    """A wallet that buys whatever it is asked for, notes it, and holds on where it is told to."""

    def __init__(self) -> None:
        self.asked: list[PurchaseRequest] = []
        self.finished: list[str] = []
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(self, request: PurchaseRequest) -> PurchaseReply:
        self.asked.append(request)
        self.begun.release()
        assert self.go_on.wait(60)
        self.finished.append(request.call_id)
        if request.op == "balance":
            return PurchaseReply(status="ok", more={"units": 5})
        return PurchaseReply(status="delivered", answer=PurchaseAnswer(200, b"the report"))


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def buying(shop: Shop) -> Iterator[Sandbox]:
    with Sandbox(level="namespaces", purchases=shop) as box:
        yield box
        shop.go_on.set()


def ask(box: Sandbox, *asks: list[Any], grants: list[str] | None = None, **options: Any) -> list[Any]:
    result = box.run(ASK, "f", list(asks), grants=grants or ["buy"], **options)
    assert result.ok, result.error
    assert isinstance(result.value, list)
    return result.value


def eventually(true: Callable[[], object]) -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False


def test_a_job_buys_asks_for_a_status_and_for_the_balance_in_the_name_the_host_gave_it(
    buying: Sandbox, shop: Shop
) -> None:
    told = ask(
        buying, ["POST", "/buy", ORDER], ["GET", "/status?call_id=one", None], ["GET", "/balance", None], spender=WHO
    )
    bought = {"status": "delivered", "reason": "", "answer": {"status": 200, "body": "the report"}}
    assert told == [[200, bought], [200, bought], [200, {"units": 5, "status": "ok", "reason": "", "answer": None}]]
    first, second, third = shop.asked
    assert (first.op, second.op, third.op) == ("buy", "status", "balance")
    assert (first.url, first.max_price, first.method, first.body) == (ORDER["url"], "0.01", "POST", b"{}")
    assert first.call_id == second.call_id == "r-1/pay/one"
    for one in shop.asked:
        assert (one.agent, one.run, one.tool, one.strategy) == tuple(WHO)


def test_no_two_runs_or_tools_share_a_call_id_whatever_they_are_called(buying: Sandbox, shop: Shop) -> None:
    names = [("a", "b"), ("a", "c"), ("b", "b"), ("a/b", ""), ("a", "b/one"), ("", ""), ("", "")]
    names += [("a" * 300, "b"), ("a" * 300, "c"), ("a" * 299, "ab")]
    for run, tool in names:
        ask(buying, ["POST", "/buy", ORDER], spender=Spender(run=run, tool=tool))
    ids = [one.call_id for one in shop.asked]
    assert len(set(ids)) == len(names)
    assert max(map(len, ids)) <= 200
    # Who is in no run has one of its own, not the one of all others that are in none.
    assert all(one.run for one in shop.asked)


@pytest.mark.parametrize("field", ["agent", "run", "tool", "strategy", "headers"])
def test_a_job_cannot_say_who_it_is(buying: Sandbox, shop: Shop, field: str) -> None:
    [[_, told]] = ask(buying, ["POST", "/buy", {**ORDER, field: "somebody"}], spender=WHO)
    assert told["status"] == "refused"
    assert field in told["reason"]
    assert not shop.asked


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"call_id": ""}, "call_id"),
        ({"call_id": "a/b"}, "call_id"),
        ({"call_id": "x" * 101}, "call_id"),
        ({"call_id": 7}, "call_id has to be a text"),
        ({"max_price": 0.01}, "max_price has to be a text"),
        ({"max_price": "-1"}, "max_price"),
        ({"max_price": "1e4"}, "max_price"),
        ({"max_price": "0.01\n"}, "max_price"),
        ({"max_price": "٣"}, "max_price"),
        ({"method": "CONNECT"}, "method"),
        ({"url": "file:///etc/passwd"}, "url"),
        ({"url": "http://shop.example@evil.example/"}, "url"),
        ({"url": "http://shop.example\\@evil.example/"}, "url"),
        ({"url": "http://shop.example/#x"}, "url"),
        ({"url": "http://shop.example/\\x"}, "url"),
        ({"url": "http://shop.example:99999/"}, "port"),
        ({"url": "http://shop.example/ x"}, "url"),
        ({"url": "http://evil.example/"}, "no grant covers buying from evil.example:80"),
        ({"url": "http://shop.example.evil.example/"}, "no grant covers"),
        ({"url": "http://sub.shop.example/"}, "no grant covers"),
        ({"body": "\ud800"}, "body"),
    ],
)
def test_what_cannot_be_meant_or_is_not_granted_is_refused_in_one_line(change: dict[str, Any], said: str) -> None:
    data = json.dumps({**ORDER, **change}).encode()
    with pytest.raises(BadRequest) as caught:
        read_request("buy", data, WHO, ("shop.example",), most=100)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"7", b"{", b'{"call_id": [[[[]]]]}', b"[" * 5000, b"\xff"])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequest):
        read_request("buy", data, WHO, ("*",), most=100)


@pytest.mark.parametrize(
    ("sellers", "url", "covered"),
    [
        (("*",), "https://anybody.example/", True),
        (("shop.example",), "https://shop.example/x?y=1", True),
        (("shop.example",), "https://SHOP.example./", True),
        (("shop.example:443",), "https://shop.example/", True),
        (("shop.example:443",), "http://shop.example/", False),
        (("shop.example:8080",), "http://shop.example:8080/", True),
        (("[::1]:80",), "http://[::1]/", True),
        (("127.0.0.1",), "http://0x7f.1/", False),
        (("127.0.0.1",), "http://2130706433/", False),
    ],
)
def test_a_seller_is_granted_by_its_name_and_port(sellers: tuple[str, ...], url: str, covered: bool) -> None:
    data = json.dumps({**ORDER, "url": url}).encode()
    if covered:
        assert read_request("buy", data, WHO, sellers, most=100).url == url
    else:
        with pytest.raises(BadRequest, match="no grant covers"):
            read_request("buy", data, WHO, sellers, most=100)


def test_an_answer_that_is_not_text_comes_in_base64_and_one_too_large_is_said_to_be() -> None:
    told = json.loads(write_reply(PurchaseReply(status="delivered", answer=PurchaseAnswer(200, b"\xff")), 10))
    assert told["answer"] == {"status": 200, "body": "/w==", "encoding": "base64"}
    told = json.loads(write_reply(PurchaseReply(status="delivered", answer=PurchaseAnswer(200, b"x" * 11)), 10))
    assert told["answer"] is None
    assert "11 bytes" in told["reason"]


def test_only_the_wallet_is_reached_with_buy_and_the_wallet_only_with_buy(buying: Sandbox, shop: Shop) -> None:
    fetch = "import urllib.request\ndef f(url):\n    return urllib.request.urlopen(url, timeout=20).read().decode()\n"
    for url in ("http://127.0.0.1:1/", "http://shop.example/", "https://wallet.mayfly/", "http://1.1.1.1/"):
        assert "403" in str(buying.run(fetch, "f", url, grants=["buy"]).error), url
    for grants in (["net:*"], ["net:127.0.0.1"]):
        [[status, told]] = ask(buying, ["POST", "/buy", ORDER], grants=grants)
        assert status == 403
        assert "no grant covers buying" in told["reason"]
    assert not buying.run(ASK, "f", [["GET", "/balance", None]]).ok
    assert not shop.asked


def test_buy_beside_net_opens_both(buying: Sandbox, shop: Shop) -> None:
    [[_, told]] = ask(buying, ["POST", "/buy", ORDER], grants=["net:example.org", "buy:shop.example"])
    assert told["status"] == "delivered"
    assert len(shop.asked) == 1


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("POST http://wallet.mayfly/buy HTTP/1.1\r\n\r\n", "411"),
        ("POST http://wallet.mayfly/buy HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "411"),
        ("POST http://wallet.mayfly/buy HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"),
        ("POST http://wallet.mayfly/buy HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST http://wallet.mayfly/buy HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "413"),
        ("POST http://wallet.mayfly/sign HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "404"),
        ("GET http://WALLET.mayfly.:8080/buy HTTP/1.1\r\n\r\n", "404"),
        ("CONNECT wallet.mayfly:80 HTTP/1.1\r\n\r\n", "403"),
        ("GET http://wallet.mayfly/status HTTP/1.1\r\n\r\n", "200"),
    ],
)
def test_odd_requests_are_answered_and_bought_nothing_with(
    buying: Sandbox, shop: Shop, request_text: str, status: str
) -> None:
    source = """
import socket
def f(text):
    with socket.create_connection(('127.0.0.1', 3128), timeout=20) as door:
        door.sendall(text.encode())
        return door.makefile('rb').read().decode()
"""
    result = buying.run(source, "f", request_text, grants=["buy"])
    assert str(result.value).split(" ")[1] == status, result
    assert '"refused"' in str(result.value)
    assert not shop.asked


@pytest.mark.parametrize("lane", ["one-shot", "pinned"])
def test_every_lane_buys_in_the_name_of_its_own_call(buying: Sandbox, shop: Shop, lane: Any) -> None:
    for run in ("r-1", "r-2", "r-3"):
        ask(buying, ["POST", "/buy", ORDER], lane=lane, spender=Spender(run=run, tool="pay"))
    assert [one.run for one in shop.asked] == ["r-1", "r-2", "r-3"]


def test_a_stream_buys_as_it_goes(buying: Sandbox, shop: Shop) -> None:
    source = f"{ASK}\ndef g(asks):\n    for one in asks:\n        yield f([one])[0][1]['status']\n"
    asks = [["POST", "/buy", {**ORDER, "call_id": str(number)}] for number in range(3)]
    with buying.stream(source, "g", asks, grants=["buy"], spender=WHO) as stream:
        assert list(stream) == ["delivered"] * 3
    assert [one.call_id for one in shop.asked] == ["r-1/pay/0", "r-1/pay/1", "r-1/pay/2"]


# Send requests and do not wait for the answers.
LEAVE = """
import json, socket, time
def f(given):
    count, order = given
    held = []
    for number in range(count):
        body = json.dumps({**order, 'call_id': str(number)}).encode()
        door = socket.create_connection(('127.0.0.1', 3128), timeout=20)
        door.sendall(b'POST http://wallet.mayfly/buy HTTP/1.1\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(body) + body)
        held.append(door)
    while True:
        time.sleep(0.05)
        yield len(held)
"""


def test_a_purchase_of_a_job_that_ended_is_finished_and_answered_to_nobody(buying: Sandbox, shop: Shop) -> None:
    shop.go_on.clear()
    with buying.stream(LEAVE, "f", [2, ORDER], grants=["buy"], spender=WHO) as stream:
        next(iter(stream))
        for _ in range(2):
            assert shop.begun.acquire(timeout=60)
    shop.go_on.set()
    assert eventually(lambda: sorted(shop.finished) == ["r-1/pay/0", "r-1/pay/1"])
    assert ask(buying, ["GET", "/balance", None])[0][1]["status"] == "ok"


def test_no_purchase_begins_once_the_job_is_over(shop: Shop) -> None:
    settings = SandboxSettings(purchases=1)
    shop.go_on.clear()
    with Sandbox(settings, level="namespaces", purchases=shop) as box:
        result = box.run(LEAVE, "f", [5, ORDER], grants=["buy"], timeout=2)
        assert result.status == "timeout"
        begun = len(shop.asked)
        shop.go_on.set()
        # The next job is served in full, and nothing of the first came after its end.
        assert ask(box, ["GET", "/balance", None])[0][1]["status"] == "ok"
        assert [one.op for one in shop.asked] == ["buy"] * begun + ["balance"]
        assert begun <= 1


def test_a_job_has_so_many_requests_under_way_and_the_others_wait(shop: Shop) -> None:
    shop.go_on.clear()
    settings = SandboxSettings(purchases=2)
    with (
        Sandbox(settings, level="namespaces", purchases=shop) as box,
        box.stream(LEAVE, "f", [6, ORDER], grants=["buy"]) as stream,
    ):
        next(iter(stream))
        for _ in range(2):
            assert shop.begun.acquire(timeout=60)
        assert not shop.begun.acquire(timeout=0.3)
        shop.go_on.set()
        for _ in range(4):
            assert shop.begun.acquire(timeout=60)


def test_a_job_asks_so_often_a_minute_and_a_job_after_it_anew(shop: Shop) -> None:
    with Sandbox(SandboxSettings(purchase_rate=3), level="namespaces", purchases=shop) as box:
        told = ask(box, *[["GET", "/balance", None]] * 5)
        assert [one["status"] for _, one in told] == ["ok"] * 3 + ["refused"] * 2
        assert "more than 3 requests" in told[-1][1]["reason"]
        assert ask(box, ["GET", "/balance", None])[0][1]["status"] == "ok"


def test_a_body_has_its_limit(shop: Shop) -> None:
    with Sandbox(SandboxSettings(purchase_size=100), level="namespaces", purchases=shop) as box:
        told = ask(
            box,
            ["POST", "/buy", {**ORDER, "body": "\x00" * 100}],
            ["POST", "/buy", {**ORDER, "body": "x" * 101}],
            ["POST", "/buy", {**ORDER, "body": "x" * 100_000}],
        )
    assert [(status, one["status"]) for status, one in told] == [(200, "delivered"), (200, "refused"), (413, "refused")]
    assert "purchase_size" in told[1][1]["reason"]


def test_a_wallet_that_fails_leaves_the_purchase_unknown_and_says_nothing_of_its_insides() -> None:
    def fails(request: PurchaseRequest) -> PurchaseReply:
        raise RuntimeError("0xsecret")

    with Sandbox(level="namespaces", purchases=fails) as box:
        [[_, told]] = ask(box, ["POST", "/buy", ORDER])
    assert told["status"] == "unknown"
    assert "0xsecret" not in json.dumps(told)


def test_a_sandbox_without_a_wallet_refuses_clearly() -> None:
    with Sandbox(level="namespaces") as box:
        [[_, told]] = ask(box, ["POST", "/buy", ORDER])
    assert (told["status"], told["answer"]) == ("refused", None)
    assert "no wallet" in told["reason"]


def test_a_proxy_that_died_is_replaced_and_buys(buying: Sandbox, shop: Shop) -> None:
    ask(buying, ["GET", "/balance", None])
    [zygote] = [one for one in buying._pool._zygotes.values() if one.broker is not None]
    assert zygote.broker is not None
    zygote.broker._process.kill()
    zygote.broker._process.wait()
    assert ask(buying, ["POST", "/buy", ORDER])[0][1]["status"] == "delivered"


@pytest.mark.parametrize(
    ("grant", "said"),
    [
        ("buy:", "unknown grant"),
        ("buy:a b", "does not name a host"),
        ("buy:host:99999", "port"),
        ("buy:*.org", "does not name a host"),
        ("buys", "unknown grant"),
        ("net:wallet.mayfly", "names the wallet"),
        ("net:WALLET.MAYFLY.:80", "names the wallet"),
        ("buy:wallet.mayfly", "names the wallet"),
    ],
)
def test_a_grant_that_cannot_be_meant_is_named(grant: str, said: str) -> None:
    with Sandbox() as box, pytest.raises(InputError, match=said):
        box.check_grants([grant])


def test_buy_is_refused_where_there_are_no_namespaces(shop: Shop) -> None:
    with Sandbox(level="landlock", purchases=shop) as box:
        result = box.run(ASK, "f", [["GET", "/balance", None]], grants=["buy"])
    assert result.status == "refused"
    assert "namespaces" in str(result.error)
    assert not shop.asked
