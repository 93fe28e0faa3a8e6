"""Who is let in, with what, and how much."""

import http.client
import os
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from serve.conftest import environment

from .conftest import TOKEN, Site, command, told, web_server, wrong


def started(state: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Start a server that has to end by itself."""
    return subprocess.run(command(*args), env=environment(state), capture_output=True, text=True, check=False)


def test_names_of_others_are_kept_out(web: httpx.Client, site: Site) -> None:
    port = urlsplit(site.url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "localhost"):
        assert web.get("/api/health", headers={"Host": host}).status_code == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", ""):
        wrong(web.get("/api/health", headers={"Host": host}), 421, "MAYFLY_WEB_HOSTS")


def test_pages_of_others_cannot_change_or_read_anything(web: httpx.Client, site: Site) -> None:
    other = ("http://evil.example", "null", "http://localhost:1", site.url.replace("http:", "ftp:"), "http://[")
    for origin in other:
        wrong(web.post("/api/runs", json={"intent": "x"}, headers={"Origin": origin}), 403, "pages of others")
        wrong(web.get("/api/runs", headers={"Origin": origin}), 403)
    for kind in ("cross-site", "same-site"):
        wrong(web.delete("/api/tools/work_for", headers={"Sec-Fetch-Site": kind}), 403)
        wrong(web.get("/api/events", headers={"Sec-Fetch-Site": kind}), 403)
    assert web.get("/api/runs", headers={"Origin": site.url, "Sec-Fetch-Site": "same-origin"}).status_code == 200
    # A link on another page may lead to a page of ours.
    assert web.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status_code == 200


def test_every_answer_bears_the_headers_that_keep_pages_apart(web: httpx.Client) -> None:
    for answer in (web.get("/"), web.get("/api/nothing"), web.get("/api/health", headers={"Host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers


def test_a_token_is_needed_for_any_address_but_loopback(library: Path) -> None:
    ran = started(library, "--host", "0.0.0.0", "--port", "0")
    assert ran.returncode == 2
    assert "there is no token" in ran.stderr
    assert "MAYFLY_WEB_TOKEN" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_with_a_token_nothing_is_told_without_it(library: Path) -> None:
    with web_server(library, MAYFLY_WEB_TOKEN=TOKEN) as site, site.client() as web:
        for path in ("/", "/api/health", "/api/openapi.json", "/api/events", "/nothing"):
            answer = web.get(path)
            wrong(answer, 401, "token")
            assert answer.headers["www-authenticate"] == "Bearer"
        for given in ("Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            wrong(web.get("/api/health", headers={"Authorization": given}), 401)
        for cookie in ("mayfly_session=", f"mayfly_session={TOKEN}", "mayfly_session=9999999999.x.y", "=;;="):
            wrong(web.get("/api/health", headers={"Cookie": cookie}), 401)
        assert web.get("/api/health", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        # The process does not hand the token on to what it starts.
        held = Path(f"/proc/{site.process.pid}/environ").read_bytes()
        assert TOKEN not in web.get("/api/config", headers={"Authorization": f"Bearer {TOKEN}"}).text
        assert held.count(TOKEN.encode()) <= 1


def test_a_link_lets_one_browser_in_once(library: Path) -> None:
    with web_server(library, "--workers", "2", MAYFLY_WEB_TOKEN=TOKEN) as site, site.client() as web:
        assert TOKEN not in site.link
        entered = web.get(site.link)
        assert entered.status_code == 303
        assert entered.headers["location"] == "/"
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert web.get("/api/health").status_code == 200
        # What changes something has to say that it comes from a page of ours.
        wrong(web.delete("/api/tools/work_for"), 401)
        wrong(web.delete("/api/tools/work_for", headers={"Origin": "http://evil.example"}), 403)
        assert web.post("/api/policy/permit", json={"action": "file_read", "target": "a"}, headers={"Origin": site.url})
        for _ in range(4):  # whichever process answers
            with site.client() as other:
                wrong(other.get(site.link), 403, "used before")
                wrong(other.get("/enter"), 403)


def test_a_token_that_others_can_read_is_refused(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    ran = started(library, "--token-file", str(file))
    assert ran.returncode == 2
    assert "chmod 600" in ran.stderr


def test_a_request_that_is_too_large_is_refused_before_it_is_read(library: Path) -> None:
    with web_server(library, MAYFLY_WEB_BODY="2000", MAYFLY_WEB_UPLOAD="5000") as site, site.client() as web:
        wrong(web.post("/api/runs", json={"intent": "x" * 3000}), 413, "2000")

        def endless() -> object:
            while True:
                yield b" " * 1000

        wrong(web.post("/api/runs", content=endless(), headers={"Content-Type": "application/json"}), 413)  # type: ignore[arg-type]
        big = {"file": ("a.txt", b"x" * 9000)}
        wrong(web.post("/api/runs/file", files=big, data={"intent": "count lines"}), 413)
        # A length that is a lie does not get more in.
        connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=30)
        connection.putrequest("POST", "/api/runs")
        connection.putheader("Content-Length", "99999999999999999999999")
        connection.endheaders()
        assert connection.getresponse().status in (400, 413)
        connection.close()


def test_too_many_requests_are_sent_away_for_a_second(library: Path) -> None:
    with web_server(library, MAYFLY_WEB_RATE="5") as site, site.client() as web:
        answers = [web.get("/api/health") for _ in range(30)]
        refused = [one for one in answers if one.status_code == 429]
        assert refused
        wrong(refused[0], 429, "too many")
        assert refused[0].headers["retry-after"] == "1"


def test_paths_lead_nowhere_else(web: httpx.Client, site: Site) -> None:
    outside = (
        "../seal.key",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "....//etc/passwd",
        "%00",
        "a%0d%0ab",
    )
    for name in outside:
        for base in (
            "/api/tools/",
            "/api/runs/",
            "/api/chats/",
            "/api/inbox/approvals/",
            "/api/runs/r-1/promises/",
            "/",
        ):
            connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=30)
            connection.request("GET", base + name)
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            assert answer.status in (400, 404, 405, 422), (base + name, answer.status)
            assert b"root:" not in body
            assert b"Traceback" not in body


def test_what_is_no_request_of_ours_is_one_line(web: httpx.Client) -> None:
    wrong(web.get("/api/nothing"), 404, "GET /api/nothing")
    wrong(web.put("/api/runs"), 405)
    wrong(web.post("/api/runs", content=b"{"), 422)
    wrong(web.post("/api/runs", content=b"[" * 100_000, headers={"Content-Type": "application/json"}), 400)
    wrong(web.post("/api/runs", json={"intent": "x", "nonsense": 1}), 422, "nonsense")
    wrong(web.post("/api/runs", json={"intent": ""}), 422, "intent")
    wrong(web.get("/api/runs?limit=0"), 422, "limit")
    wrong(web.get("/api/runs/r-ffffffff"), 404, "no run")


def test_a_port_in_use_is_one_line(library: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = started(library, "--port", str(port))
    assert ran.returncode == 4
    assert ran.stderr.strip().count("\n") == 0
    assert "in use" in ran.stderr
    assert "--port" in ran.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_stream_that_is_open_ends_with_the_server_and_nothing_is_said_of_it(library: Path, workers: str) -> None:
    with web_server(library, "--workers", workers) as site, site.client() as web, web.stream("GET", "/api/events") as s:
        lines = s.iter_lines()
        assert next(lines).startswith("retry")
        site.process.send_signal(signal.SIGTERM)
        assert [line for line in lines if line.startswith("data")] == []
        assert site.process.wait(30) == 0
        assert site.process.stderr is not None
        assert "Traceback" not in site.process.stderr.read()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_ends_it_and_all_it_started(library: Path, workers: str) -> None:
    with web_server(library, "--workers", workers) as site, site.client() as web:
        processes = {told(web.get("/api/health"))["process"] for _ in range(10)}
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(60) == 0
        for pid in processes:
            assert not os.path.exists(f"/proc/{pid}")
