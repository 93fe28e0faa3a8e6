"""Fetch and send, against a real server on this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mayfly.core import InputError, Invocation, LimitError, NotSent, Stop
from mayfly.world import _http_client

from .conftest import Checks, Run, get


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        name = self.path.partition("?")[0]
        if name == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            self.close_connection = True
        elif name == "/noise":
            self.wfile.write(b"this is no HTTP\r\n\r\n")
            self.close_connection = True
        elif name == "/slow":
            self.connection.settimeout(5)
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
            while self._drip():
                pass
        else:
            self.answer(name)

    def _drip(self) -> bool:
        try:
            self.wfile.write(b"a")
            return not threading.Event().wait(0.02)
        except OSError:
            self.close_connection = True
            return False

    def answer(self, name: str) -> None:
        status = {"/missing": 404, "/moved": 302, "/broken": 503, "/made": 201}.get(name, 200)
        content = {"/binary": b"\xff\xfe\x00", "/large": b"x" * 2000, "/latin": "é".encode("latin-1")}.get(name, b"hi")
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=iso-8859-1" if name == "/latin" else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        if status == 302:
            self.send_header("Location", "http://elsewhere.example/x?token=abc")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = handle_any

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_a_page_is_fetched(run: Run, server: Server) -> None:
    value = run("http_get", {"url": f"{server.url}/page?q=1"})
    assert isinstance(value, dict)
    assert (value["status"], value["type"], value["text"], value["bytes"]) == (200, "text/plain", "hi", 2)
    assert server.seen[0][:2] == ("GET", "/page?q=1")


@pytest.mark.parametrize(("path", "encoding", "text"), [("/binary", "base64", "//4A"), ("/latin", "latin-1", "é")])
def test_what_is_not_utf_8_is_told_so(run: Run, server: Server, path: str, encoding: str, text: str) -> None:
    value = run("http_get", {"url": server.url + path})
    assert isinstance(value, dict)
    assert (value["encoding"], value["text"]) == (encoding, text)


def test_a_redirect_is_not_followed(run: Run, server: Server) -> None:
    with pytest.raises(InputError, match=r"answers 302 Found and leads to http://elsewhere.example/x; ") as caught:
        run("http_get", {"url": f"{server.url}/moved"})
    assert "token" not in str(caught.value)
    assert len(server.seen) == 1


def test_an_answer_that_is_no_success_is_an_error_without_the_query(run: Run, server: Server) -> None:
    with pytest.raises(InputError, match=r"/missing answers 404 Not Found") as caught:
        run("http_get", {"url": f"{server.url}/missing?key=abc"})
    assert "abc" not in str(caught.value)


def test_too_large_an_answer_is_a_limit(run: Run, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_http_client, "LARGEST", 1000)
    with pytest.raises(LimitError, match="bytes of"):
        run("http_get", {"url": f"{server.url}/large"})


@pytest.mark.parametrize("path", ["/cut", "/noise"])
def test_half_an_answer_is_none(run: Run, server: Server, path: str) -> None:
    with pytest.raises(NotSent, match=r"ended after|IncompleteRead|no HTTP answer"):
        run("http_get", {"url": server.url + path})


def test_a_server_that_never_ends_is_left(run: Run, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_http_client, "SECONDS", 0.3)
    with pytest.raises(NotSent, match=r"no whole answer within 0.3 seconds"):
        run("http_get", {"url": f"{server.url}/slow"})


def test_nobody_listening_is_told(run: Run) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(NotSent, match="Connection refused"):
            run("http_get", {"url": f"http://127.0.0.1:{held.getsockname()[1]}/"})


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({}, "url is missing"),
        ({"url": "ftp://example.org/"}, "must begin with http"),
        ({"url": "file:///etc/passwd"}, "must begin with http"),
        ({"url": "http://"}, "name a host"),
        ({"url": "http://user:word@example.org/"}, "a user or a password"),
        ({"url": "http://example.org:99999/"}, "not an address"),
        ({"url": "http://exa mple.org/"}, "blanks"),
        ({"url": "http://example.org\\@evil.org/"}, "blanks"),
        ({"url": "http://127.0.0.1.nip.io/"}, "nobody can tell"),
        ({"url": "http://example.org/\r\nX: y"}, "blanks"),
        ({"url": "http://example.org/", "headers": {"Authorization": "x"}}, "may not be set"),
        ({"url": "http://example.org/", "headers": {"Accept": "a\r\nb"}}, "does not have the form"),
        ({"url": "http://example.org/", "headers": ["Accept"]}, "headers must be a record"),
    ],
)
def test_a_wrong_address_reaches_nobody(run: Run, argument: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("http_get", argument)


def test_a_public_name_for_a_private_machine_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(NotSent, match=r"public.org leads to 10.0.0.1, which is not a public address"):
        run("http_get", {"url": "http://public.org/"})


def test_proxies_of_the_environment_are_not_used(run: Run, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert isinstance(run("http_get", {"url": server.url}), dict)


def test_a_changed_text_is_not_accepted(run: Run, checks: Checks, server: Server) -> None:
    value = run("http_get", {"url": server.url})
    assert isinstance(value, dict)
    assert checks("http_get", {"url": server.url}, {**value, "text": "ho"}) is False
    assert checks("http_get", {"url": server.url}, {**value, "status": 500}) is False


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_request_is_sent_with_its_key(run: Run, server: Server, method: str) -> None:
    argument = {"url": f"{server.url}/made", "method": method, "content": {"a": 1}, "honours_keys": True}
    value = run("http_send", argument, key="run-1/a.b")
    assert isinstance(value, dict)
    assert (value["status"], value["text"], value["whole"]) == (201, "hi", True)
    sent, _, headers, body = server.seen[0]
    assert (sent, headers["idempotency-key"], headers["content-type"]) == (method, "run-1/a.b", "application/json")
    assert body == b'{"a": 1}'


def test_without_a_word_about_keys_it_is_not_sent_so(run: Run, server: Server) -> None:
    with pytest.raises(InputError, match="honours_keys is missing"):
        run("http_send", {"url": server.url, "content": "x"})
    assert not server.seen


def test_it_can_be_sent_once(run: Run, server: Server) -> None:
    run("http_send_once", {"url": server.url, "content": "plain"})
    assert (server.seen[0][0], server.seen[0][3]) == ("POST", b"plain")


@pytest.mark.parametrize("path", ["/broken", "/missing", "/moved"])
def test_an_answer_that_is_no_success_proves_nothing(workspace: Path, server: Server, path: str) -> None:
    call = Invocation(arguments={"url": server.url + path, "content": "x"}, key="k", workspace=workspace)
    capability = get("http_send_once")
    assert capability.check(call, capability.call(call)) is False
    assert len(server.seen) == 1


def test_a_large_answer_to_what_was_sent_is_cut_and_not_lost(
    run: Run, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_http_client, "LARGEST", 1000)
    value = run("http_send_once", {"url": f"{server.url}/large", "content": "x"})
    assert isinstance(value, dict)
    assert (value["whole"], value["bytes"]) == (False, 1000)


@pytest.mark.parametrize("path", ["/cut", "/noise"])
def test_a_lost_answer_is_not_taken_for_nothing_sent(run: Run, server: Server, path: str) -> None:
    with pytest.raises(OSError, match=r"ended after|no HTTP answer"):
        run("http_send_once", {"url": server.url + path, "content": "x"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "http://example.org/", "method": "DELETE"},
        {"url": "http://example.org/", "json": 1},
        {"url": "http://example.org/", "content": {1}},
        {"url": "http://example.org/", "honours_keys": True},
        {"content": "x"},
    ],
)
def test_a_wrong_request_is_seen_before_anything_is_sent(run: Run, arguments: object) -> None:
    with pytest.raises(InputError):
        run("http_send_once", arguments)


def test_a_keyed_request_needs_a_key(workspace: Path) -> None:
    arguments = {"url": "http://example.org/", "honours_keys": True}
    with pytest.raises(InputError, match="no key"):
        get("http_send").asks(Invocation(arguments=arguments, key="", workspace=workspace))


def test_a_call_that_is_told_to_stop_lets_go_of_its_connection(workspace: Path, server: Server) -> None:
    stop = Stop()
    call = Invocation(arguments={"url": f"{server.url}/slow"}, workspace=workspace, stop=stop)
    threading.Timer(0.2, stop.cancel).start()
    with pytest.raises(NotSent):
        get("http_get").call(call)
