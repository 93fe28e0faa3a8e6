"""Pages from a real server on this machine, which a rule has to name before it is reached."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mayfly.core import InputError, Invocation, MayflyError, ToolSettings
from mayfly.world._web import fetch, web_tools

from .places import Here, call

PAGE = b"""<!doctype html><html><head><title>Fish &amp; chips</title><script>alert(1)</script></head><body>
<h1>Menu</h1><ul><li>cod</li><li>hake</li></ul><p>See <a href="more.html?x=1">more</a>.</p></body></html>"""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.seen: list[tuple[str, str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def says(self, path: str, body: bytes, *, status: int = 200, **headers: str) -> str:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = (status, named, body)
        return self.url + path


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append((self.command, self.path, dict(self.headers.items())))
        status, headers, body = self.server.answers.get(self.path, (404, {}, b"no"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def named(here: Here) -> Here:
    here.facts.append('allowed_host("127.0.0.1")')
    return here


def test_a_page_comes_as_text_with_its_title_links_and_lists(named: Here, server: Server) -> None:
    url = server.says("/a/b.html", PAGE, content_type="text/html; charset=utf-8")
    said = call(web_tools(named), "web_fetch", url=url)
    assert "title: Fish & chips" in said
    assert "# Menu\n\n- cod\n- hake" in said
    assert f"[more]({server.url}/a/more.html?x=1)" in said
    assert "alert" not in said
    assert server.seen[0][0] == "GET"
    assert not {"cookie", "authorization", "referer"} & {name.lower() for name in server.seen[0][2]}


def test_this_machine_is_asked_for_by_the_rules_and_refused_unless_named(here: Here) -> None:
    tool = web_tools(here)[0]
    asked = tool.asks(Invocation(arguments={"url": "http://127.0.0.1:1/"}))
    assert [(one.action, one.target) for one in asked] == [("web_fetch", "http://127.0.0.1:1/")]
    assert here.kernel().permitted(*asked[0]).decision == "deny"
    here.facts.append('allowed_host("127.0.0.1")')
    assert here.kernel().permitted(*asked[0]).decision == "permit"


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "https://user:pw@example.org/", "http://a b/", "http:///x"]
)
def test_what_is_no_address_of_a_page_is_refused_before_the_rules_are_asked(here: Here, url: str) -> None:
    with pytest.raises(InputError):
        web_tools(here)[0].asks(Invocation(arguments={"url": url}))


def test_a_redirect_is_followed_when_the_rules_permit_where_it_leads(named: Here, server: Server) -> None:
    server.says("/new", b"here it is", content_type="text/plain")
    url = server.says("/old", b"", status=301, location="/new#part")
    said = call(web_tools(named), "web_fetch", url=url)
    assert "here it is" in said
    assert f"{server.url}/new" in said


@pytest.mark.parametrize("where", ["http://10.0.0.7/secret", "http://169.254.169.254/latest/", "http://localhost:1/"])
def test_a_redirect_to_another_machine_of_ours_is_not_followed(named: Here, server: Server, where: str) -> None:
    url = server.says("/old", b"", status=302, location=where)
    with pytest.raises(InputError, match=r"leads to .*not on the list"):
        call(web_tools(named), "web_fetch", url=url)
    assert len(server.seen) == 1


@pytest.mark.parametrize("where", ["file:///etc/passwd", "javascript:alert(1)", "http://[::1", "gopher://x/"])
def test_a_redirect_to_what_is_no_page_is_an_error(named: Here, server: Server, where: str) -> None:
    with pytest.raises(MayflyError):
        call(web_tools(named), "web_fetch", url=server.says("/old", b"", status=302, location=where))


def test_redirects_in_a_circle_end(named: Here, server: Server) -> None:
    server.says("/b", b"", status=302, location="/a")
    with pytest.raises(InputError, match="circles"):
        call(web_tools(named), "web_fetch", url=server.says("/a", b"", status=302, location="/b"))
    for number in range(20):
        server.says(f"/{number}", b"", status=302, location=f"/{number + 1}")
    with pytest.raises(InputError, match="circles"):
        call(web_tools(named), "web_fetch", url=f"{server.url}/0")


def test_a_public_name_that_leads_to_this_machine_is_refused(
    named: Here, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(2, 1, 6, "", ("127.0.0.1", server.server_port))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **kwargs: found)
    with pytest.raises(MayflyError, match="not a public address"):
        fetch(f"http://rebind.example.com:{server.server_port}/", refuse=lambda url: "")
    assert not server.seen


def test_no_more_is_taken_than_the_limit(named: Here, server: Server) -> None:
    url = server.says("/long", b"x" * 5000, content_type="text/plain")
    said = call(web_tools(named, ToolSettings(web_bytes=1000)), "web_fetch", url=url)
    assert "x" * 1000 in said
    assert "x" * 1001 not in said
    assert "it goes on" in said


def test_an_answer_that_unpacks_to_far_more_is_cut(named: Here, server: Server) -> None:
    bomb = gzip.compress(b"y" * 10_000_000)
    url = server.says("/bomb", bomb, content_type="text/plain", content_encoding="gzip")
    said = call(web_tools(named, ToolSettings(web_bytes=100_000)), "web_fetch", url=url)
    assert 100_000 <= len(said) < 101_000
    assert "it goes on" in said


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("größe".encode(), "text/plain"),
        ("größe".encode("latin-1"), "text/plain; charset=ISO-8859-1"),
        ("größe".encode("utf-16"), "text/plain"),
        ("größe".encode("cp1252"), "text/plain; charset=nonsense"),
        (b"<html><meta charset=latin-1><p>" + "größe".encode("latin-1"), "text/html"),
        ("größe".encode(), "text/plain; charset=rot13"),
    ],
)
def test_text_is_decoded_by_what_is_said_of_it(named: Here, server: Server, body: bytes, kind: str) -> None:
    assert "größe" in call(web_tools(named), "web_fetch", url=server.says("/t", body, content_type=kind))


def test_what_is_no_text_is_named_and_not_shown(named: Here, server: Server) -> None:
    url = server.says("/image", b"\x89PNG\0\0" + b"z" * 100, content_type="image/png")
    said = call(web_tools(named), "web_fetch", url=url)
    assert "image/png, 106 bytes: no text" in said
    assert "zzz" not in said


def test_raw_gives_the_source(named: Here, server: Server) -> None:
    # The source of a page is text as well.
    url = server.says("/p", PAGE, content_type="text/html")
    assert "<h1>Menu</h1>" in call(web_tools(named), "web_fetch", url=url, raw=True)


def test_an_error_of_the_server_is_told_without_its_query(named: Here, server: Server) -> None:
    with pytest.raises(InputError, match="404") as raised:
        call(web_tools(named), "web_fetch", url=f"{server.url}/missing?token=abc")
    assert "abc" not in str(raised.value)


def test_nobody_there_is_one_line(named: Here) -> None:
    with pytest.raises(MayflyError, match=r"127\.0\.0\.1:1/"):
        call(web_tools(named), "web_fetch", url="http://127.0.0.1:1/")
