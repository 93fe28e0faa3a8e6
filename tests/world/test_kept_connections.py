"""Connections that are used again: fewer of them, and never an answer to somebody else's question."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mayfly.world import KeptConnections, _http_client, address_of


class Echo(ThreadingHTTPServer):
    """Answer with what was sent, and count connections; *closing* ends each after its answer, without saying so."""

    daemon_threads = True
    # The backlog of five that the class has is full when 16 threads connect at once on a slow machine: a reset then.
    request_queue_size = 64

    def __init__(self) -> None:
        self.connections = 0
        self.closing = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = server.closing

            def log_message(self, format: str, *args: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def kept(echo: Echo, *, largest: int = 1000) -> KeptConnections:
    return KeptConnections(address_of(f"http://127.0.0.1:{echo.server_port}"), seconds=5, largest=largest)


def test_one_after_the_other_go_over_one_connection(echo: Echo) -> None:
    connections = kept(echo)
    for number in range(5):
        assert connections.exchange("POST", {}, b"%d" % number).body == b"%d" % number
    assert echo.connections == 1


def test_one_that_the_server_closed_is_replaced(echo: Echo) -> None:
    echo.closing = True
    connections = kept(echo)
    for number in range(3):
        assert connections.exchange("POST", {}, b"%d" % number).body == b"%d" % number
    assert echo.connections == 3


def test_an_answer_that_was_not_read_whole_takes_its_connection_with_it(echo: Echo) -> None:
    connections = kept(echo, largest=10)
    assert not connections.exchange("POST", {}, b"x" * 100).whole
    assert connections.exchange("POST", {}, b"y").body == b"y"
    assert echo.connections == 2


def test_many_at_once_get_their_own_answers(echo: Echo) -> None:
    connections = kept(echo)
    with ThreadPoolExecutor(16) as pool:
        said = list(pool.map(lambda n: connections.exchange("POST", {}, b"%d" % n).body, range(200)))
    assert said == [b"%d" % number for number in range(200)]
    assert echo.connections <= 200


def test_one_that_lay_idle_for_long_is_not_used_again(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    connections = kept(echo)
    connections.exchange("POST", {}, b"1")
    monkeypatch.setattr(_http_client, "_IDLE", 0.0)
    connections.exchange("POST", {}, b"2")
    assert echo.connections == 2
