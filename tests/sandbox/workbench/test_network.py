"""A command reaches granted hosts by their doors, its own loopback, and nothing else."""

import http.server
import socketserver
import threading
from collections.abc import Iterator

import pytest

from mayfly.core import InputError
from mayfly.sandbox.workbench import Workbench

from .conftest import Make

FETCH = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:{port}/x').read().decode())"
# The loopback behind the wall is asked directly, so that of the machine only without the exception for it.
ASK_PROXY = {"no_proxy": "", "NO_PROXY": ""}


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while data := self.request.recv(1024):
            self.request.sendall(b"echo " + data)


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"page " + self.path.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def echo() -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_a_granted_host_is_reached_through_the_proxy(bench: Workbench, port: int) -> None:
    code = FETCH.format(port=port)
    ran = bench.run(["python3", "-c", code], grants=[f"net:127.0.0.1:{port}"], environment=ASK_PROXY)
    assert (ran.output, ran.refused_hosts) == ("page /x\n", ())


def test_a_host_that_is_not_granted_is_refused_and_named(bench: Workbench, port: int) -> None:
    code = FETCH.format(port=port)
    ran = bench.run(["python3", "-c", code], environment=ASK_PROXY)
    assert ran.status == "failed"
    assert "403" in ran.output
    assert ran.refused_hosts == (f"127.0.0.1:{port}",)
    other = bench.run(["python3", "-c", code], environment=ASK_PROXY, grants=["net:example.org"])
    assert other.refused_hosts == (f"127.0.0.1:{port}",)


@pytest.mark.later
def test_a_refused_name_is_never_looked_up(bench: Workbench) -> None:
    ran = bench.run(
        "curl -sS --max-time 5 https://secret-data.example.org/ || python3 -c '"
        'import urllib.request; urllib.request.urlopen("https://secret-data.example.org/")\''
    )
    assert ran.status == "failed"
    assert ran.refused_hosts == ("secret-data.example.org:443",)


@pytest.mark.later
def test_a_granted_port_is_a_door_on_the_loopback(bench: Workbench, echo: int) -> None:
    talk = f"exec 3<>/dev/tcp/localhost/{echo}; printf hello >&3; head -c 10 <&3"
    assert bench.run(talk, grants=[f"tcp:127.0.0.1:{echo}"]).output == "echo hello"
    assert bench.run(talk).status == "failed"


def test_a_granted_host_has_its_name_behind_the_wall(bench: Workbench) -> None:
    ran = bench.run("getent hosts db.internal", grants=["tcp:db.internal:5432"])
    assert ran.output.split() == ["127.0.0.1", "db.internal"]


@pytest.mark.later
def test_two_doors_at_once(bench: Workbench, echo: int, port: int) -> None:
    talk = f"exec 3<>/dev/tcp/127.0.0.1/{echo}; printf hello >&3; head -c 10 <&3; echo; " + (
        f"exec 4<>/dev/tcp/127.0.0.1/{port}; printf 'GET /y HTTP/1.0\\r\\n\\r\\n' >&4; tail -1 <&4"
    )
    ran = bench.run(talk, grants=[f"tcp:127.0.0.1:{echo}", f"tcp:127.0.0.1:{port}"])
    assert ran.output == "echo hello\npage /y"


def test_its_own_loopback_works(bench: Workbench) -> None:
    code = """
import http.client, http.server, threading
server = http.server.HTTPServer(("localhost", 80), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.handle_request).start()
connection = http.client.HTTPConnection("localhost", 80)
connection.request("GET", "/a.txt")
print(connection.getresponse().read().decode())
"""
    assert "one\n" in bench.run(["python3", "-c", code]).output


def test_no_other_way_leads_out(bench: Workbench, port: int) -> None:
    tries = f"""
import socket
for family, kind, where in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", {port})),
    (socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("8.8.8.8", 53)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("2001:4860:4860::8888", 53)),
    (40, socket.SOCK_STREAM, (2, 22)),
    (socket.AF_PACKET, socket.SOCK_RAW, ("lo", 0)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "/run/docker.sock"),
):
    try:
        with socket.socket(family, kind) as one:
            one.connect(where)
            print("reached", where)
    except OSError as error:
        print(type(error).__name__)
"""
    assert "reached" not in bench.run(["python3", "-c", tries]).output


@pytest.mark.parametrize(
    "grant",
    ["net", "net:", "tcp:host", "tcp:*:80", "tcp:host:0", "tcp:host:x", "fs:relative", "fs:/", "exec:x", "net:a b"],
)
def test_wrong_grants_are_named(make: Make, grant: str) -> None:
    with pytest.raises(InputError):
        make().run(["true"], grants=[grant])
