"""The doors of a net grant: whom they lead to, and that every job has a share of its own."""

import asyncio
import contextlib
import http.server
import ipaddress
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from mayfly.sandbox import Sandbox
from mayfly.sandbox.jail import _broker
from mayfly.sandbox.jail._broker import Refused, Rules, Target

FETCH = "import urllib.request\ndef f(url):\n    return urllib.request.urlopen(url, timeout=20).read().decode()\n"
GRANT = ["net:127.0.0.1"]


class Seen(http.server.ThreadingHTTPServer):
    """A server on loopback that notes what it was asked, and holds on to whoever asks for /slow."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.leads_to = ""
        self.held: list[socket.socket] = []

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Seen

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/slow":
            self.server.held.append(self.connection)
            self.connection.recv(1)
            return
        self.send_response(302 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", self.server.leads_to)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"here")

    def log_message(self, format: str, *args: object) -> None:
        return


@contextlib.contextmanager
def serving() -> Iterator[Seen]:
    with Seen() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Seen]:
    with serving() as one:
        yield one


@pytest.fixture(scope="module")
def walled() -> Iterator[Sandbox]:
    with Sandbox(level="namespaces") as box:
        yield box


def eventually(true: Callable[[], object], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return False


# Take as many connections as can be had, ask each for something that never comes, and say so.
HOARD = """
import socket, time
def f(url):
    held = []
    while True:
        try:
            for _ in range(200):
                s = socket.create_connection(('127.0.0.1', 3128), timeout=1)
                s.sendall(f'GET {url} HTTP/1.1\\r\\n\\r\\n'.encode())
                held.append(s)
                if again: held.pop().close()
        except OSError:
            pass  # a busy machine may take longer than that, so once is not enough
        time.sleep(0.2)
        yield len(held)
"""


@pytest.mark.later
@pytest.mark.parametrize("again", [False, True], ids=["all held", "each let go and the next taken"])
def test_w7_jobs_that_hold_every_connection_they_can_take_none_from_a_neighbour(
    walled: Sandbox, server: Seen, again: bool
) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            hoard = walled.stream(f"again = {again}\n{HOARD}", "f", server.url("/slow"), grants=GRANT, timeout=60)
            next(iter(stack.enter_context(hoard)))
        assert eventually(lambda: len(server.held) >= 64)
        for _ in range(3):
            result = walled.run(FETCH, "f", server.url(), grants=GRANT, timeout=20)
            assert result.value == "here", result


def test_w7_the_connections_of_a_job_end_with_it(walled: Sandbox, server: Seen) -> None:
    with walled.stream(f"again = False\n{HOARD}", "f", server.url("/slow"), grants=GRANT, timeout=60) as stream:
        next(iter(stream))
        assert eventually(lambda: len(server.held) >= 10)
    held = server.held[0]
    assert eventually(lambda: held.fileno() < 0), "the server still has a connection of a job that has ended"


def test_a_broker_ends_by_itself_when_its_sandbox_is_closed(server: Seen) -> None:
    with Sandbox(level="namespaces") as box:
        assert box.run(FETCH, "f", server.url(), grants=GRANT).value == "here"
        broker = next(iter(box._pool._zygotes.values())).broker
        assert broker is not None
    assert broker._process.returncode == 0, "it had to be killed: it did not see that the host hung up"


@pytest.mark.later
def test_w7_a_killed_broker_is_replaced_for_workers_that_wait_already(server: Seen) -> None:
    with Sandbox(level="namespaces") as box:
        assert box.run(FETCH, "f", server.url(), grants=GRANT).value == "here"
        zygote = next(iter(box._pool._zygotes.values()))
        for end in (signal.SIGKILL, signal.SIGTERM):
            assert zygote.broker is not None
            before = zygote.broker._process
            os.kill(before.pid, end)
            before.wait()
            assert [box.run(FETCH, "f", server.url(), grants=GRANT).value for _ in range(3)] == ["here"] * 3
            assert zygote.broker._process is not before


def test_w7_names_that_nobody_answers_for_keep_only_their_own_job_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking a name up takes a thread for as long as name servers are silent; nobody takes all of them."""
    silence = threading.Event()

    def getaddrinfo(host: str, *_: object, **__: object) -> list[object]:
        if host == "silent.example":
            silence.wait(60)
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    async def scenario() -> None:
        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        ports = [listener.getsockname()[1] for listener in listeners]
        doors = [_broker.Door(listener, Rules([["*", None]]), 64) for listener in listeners]
        hoard = [await _ask(ports[0], "silent.example") for _ in range(50)]
        async with asyncio.timeout(50):
            reader, writer = await _ask(ports[1], "other.example")
            assert b"cannot be found" in await reader.read()
        writer.close()
        silence.set()
        for door in doors:
            door.close()
        for _, one in hoard:
            one.close()

    asyncio.run(scenario())


async def _ask(port: int, host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    here = socket.socket()
    here.setblocking(False)
    await asyncio.get_running_loop().sock_connect(here, ("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=here)
    writer.write(f"GET http://{host}/ HTTP/1.1\r\n\r\n".encode())
    return reader, writer


MACHINERY = ["169.254.169.254", "168.63.129.16", "192.0.0.192", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"]
NEAR = ["127.0.0.1", "::1", "0.0.0.0", "::", "169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1", "192.0.2.1", "fec0::1"]
REVIEWED = ["192.0.0.192", "64:ff9b:1::a00:1", "fec0::1", "168.63.129.16"]


@pytest.mark.parametrize(
    "address", [*MACHINERY, *NEAR, "::ffff:169.254.169.254", "2002:a9fe:a9fe::", "64:ff9b::7f00:1"]
)
def test_w8_a_granted_name_does_not_lead_to_this_machine_or_its_cloud(address: str) -> None:
    """Whoever owns the name api.example can have it point anywhere, between one question and the next."""
    with pytest.raises(Refused, match="is not a public address"):
        Rules([["api.example", None]]).check(Target("api.example", 80), ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", [*MACHINERY, *NEAR, *REVIEWED, "10.0.0.1", "fd00::1", "::ffff:10.0.0.1", "2002:a00:1::"]
)
def test_w8_the_star_is_for_public_addresses_alone(address: str) -> None:
    rules, number = Rules([["*", None]]), ipaddress.ip_address(address)
    for host in (address, "name.example"):
        with pytest.raises(Refused, match="is not a public address"):
            rules.check(Target(host, 443), number)


def test_w8_addresses_that_are_granted_by_number_are_meant() -> None:
    def is_reached(granted: str, address: str) -> bool:
        try:
            Rules([[granted, None]]).check(Target(granted, 80), ipaddress.ip_address(address))
        except Refused:
            return False
        return True

    near = ("127.0.0.1", "169.254.169.254")
    within = ("10.0.0.1", "8.8.8.8", "fd00::1")
    assert [is_reached(address, address) for address in (*near, *within)] == [True] * 5
    assert [is_reached("intern.example", address) for address in (*near, *within)] == [False] * 2 + [True] * 3


def test_w8_the_address_that_was_reached_is_what_counts(monkeypatch: pytest.MonkeyPatch, server: Seen) -> None:
    """Whatever led there: here a lookup that checked nothing."""

    async def unchecked(target: Target, rules: Rules) -> list[tuple[int, str]]:
        return [(socket.AF_INET, "127.0.0.1")]

    async def scenario() -> bytes:
        monkeypatch.setattr(_broker, "resolve", unchecked)
        listener = socket.create_server(("127.0.0.1", 0))
        door = _broker.Door(listener, Rules([["*", None]]), 64)
        reader, writer = await _ask(listener.getsockname()[1], f"public.example:{server.server_port}")
        answer = await reader.read()
        writer.close()
        door.close()
        return answer

    assert b"403 Forbidden" in asyncio.run(scenario())
    assert server.asked == []


def test_w8_a_redirect_is_a_request_like_any_other(walled: Sandbox, server: Seen) -> None:
    with serving() as elsewhere:
        server.leads_to = elsewhere.url("/secret")
        grants = [f"net:127.0.0.1:{server.server_port}"]
        result = walled.run(FETCH, "f", server.url("/away"), grants=grants)
        assert (result.status, "403" in str(result.error)) == ("error", True), result
        assert elsewhere.asked == []
        assert walled.run(FETCH, "f", server.url("/away"), grants=GRANT).value == "here"
        assert elsewhere.asked == ["/secret"]


@pytest.mark.later
def test_w8_the_hosts_own_proxy_is_not_used(monkeypatch: pytest.MonkeyPatch, server: Seen) -> None:
    with serving() as upstream:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, upstream.url())
        with Sandbox(level="namespaces") as box:
            assert box.run(FETCH, "f", server.url("/direct"), grants=GRANT).value == "here"
    assert (server.asked, upstream.asked) == (["/direct"], [])
