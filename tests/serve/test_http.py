"""The door of the HTTP server, and what it takes to start one."""

import http.client
import json
import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from .conftest import HELLO, called, command, environment, http_server, run

TOKEN = "a-token-that-nobody-guesses-0123"


def post(url: str, body: bytes = HELLO.splitlines()[0], **headers: str) -> tuple[int, bytes]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    given = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    try:
        connection.request("POST", where.path, body, given)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def test_pages_of_others_and_names_of_others_are_kept_out(library: Path) -> None:
    with http_server(library) as (url, _):
        port = urlsplit(url).port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "localhost"):
            assert post(url, Host=host)[0] == 200, host
        for host in (
            "evil.example.com",
            f"evil.example.com:{port}",
            "127.0.0.1.evil.com",
            "",
            "localhost.evil.com",
            "[x",
        ):
            assert post(url, Host=host)[0] in (400, 421), host
        for origin in (
            "http://evil.example.com",
            "null",
            "https://localhost.evil.com",
            "file://",
            "http://127.0.0.1.nip.io",
        ):
            assert post(url, Origin=origin)[0] == 403, origin
        for origin in (f"http://localhost:{port}", "http://127.0.0.1:3000"):
            assert post(url, Origin=origin)[0] == 200, origin


def test_bodies_that_are_no_message_or_too_large_are_refused(library: Path) -> None:
    with http_server(library, MAYFLY_MCP_BODY="4096") as (url, process):
        for body in (b"", b"nonsense", b"[]", b"{}", b"\xff\xfe", b'{"jsonrpc": "2.0"}', b"[" * 4000):
            status, said = post(url, body)
            assert 400 <= status < 500, body
            assert b"Traceback" not in said
        assert post(url, b"x" * 5000)[0] == 413
        status, _ = post(url, b"x" * 100_000, Transfer_Encoding="chunked")
        assert 400 <= status < 500
        assert post(url)[0] == 200
        assert process.poll() is None


def test_with_a_token_nobody_comes_in_without_it(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    with http_server(library, "--token-file", str(file)) as (url, process):
        assert post(url)[0] == 401
        for given in (f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}", "Bearer ", "Bearer"):
            assert post(url, Authorization=given)[0] == 401, given
        assert post(url, Authorization=f"Bearer {TOKEN}")[0] == 200

        async def with_it() -> None:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                httpx2.AsyncClient(headers=headers) as inner,
                Client(streamable_http_client(url, http_client=inner)) as client,
            ):
                await called(client, "repeat_text", text="a", times=2)

        run(with_it)
        # It is nowhere that others look.
        assert TOKEN.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()


def test_a_token_from_the_environment_is_not_handed_on(library: Path) -> None:
    with http_server(library, MAYFLY_MCP_TOKEN=TOKEN) as (url, _):
        assert post(url)[0] == 401
        assert post(url, Authorization=f"Bearer {TOKEN}")[0] == 200


def start(state: Path, *args: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*args),
        env=environment(state, **env),
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.com", "localhost.example.com"])
def test_others_are_not_served_without_a_token(host: str, state: Path) -> None:
    ran = start(state, "--http", "--host", host, "--port", "0")
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1
    assert "token" in ran.stderr
    assert ran.stdout == ""


def test_a_token_that_others_could_read_or_guess_is_refused(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    assert "chmod 600" in start(state, "--http", "--token-file", str(file)).stderr
    file.chmod(0o600)
    file.write_text("short")
    assert "at least" in start(state, "--http", "--token-file", str(file)).stderr
    file.write_text("")
    assert "empty" in start(state, "--http", "--token-file", str(file)).stderr
    assert "cannot read" in start(state, "--http", "--token-file", str(tmp_path / "none")).stderr
    assert start(state, "--http", MAYFLY_MCP_TOKEN="short").returncode == 2


def test_options_that_do_not_go_together_and_ports_that_are_taken(library: Path) -> None:
    assert "--http" in start(library, "--port", "0").stderr
    assert start(library, "--json").returncode == 2
    with http_server(library) as (url, _):
        ran = start(library, "--http", "--port", str(urlsplit(url).port))
        assert ran.returncode == 4
        assert "--port 0" in ran.stderr
        assert len(ran.stderr.splitlines()) == 1


def test_the_configuration_of_each_client_starts_this_server(state: Path) -> None:
    import tomllib

    known = ("claude-desktop", "cursor", "vscode", "codex", "zed", "gemini", "opencode")
    for client in known:
        ran = start(state, "--print-config", client)
        assert ran.returncode == 0
        read = tomllib.loads(ran.stdout) if client == "codex" else json.loads(ran.stdout)
        server = next(iter(read.values()))["mayfly"]
        words = server["command"] if client == "opencode" else [server["command"], *server["args"]]
        assert os.path.isabs(words[0])
        assert words[-1] == "mcp"
        env = server.get("env") or server.get("environment")
        assert env == {"MAYFLY_STATE_DIR": str(state)}
        started = subprocess.run(words, env={**environment(state), **env}, input=HELLO, capture_output=True, timeout=60)
        assert json.loads(started.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "mayfly"
    ran = start(state, "--print-config", "claude-code", "--json")
    assert " -- " in json.loads(ran.stdout)["config"]
    ran = start(state, "--print-config", "nobody")
    assert ran.returncode == 2
    assert "claude-code" in ran.stderr
