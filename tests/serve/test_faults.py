"""What goes wrong: frames that are none, clients that leave, many at once, large and odd texts, tools that vanish."""

import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import Client

from mayfly import testing
from mayfly.core import Settings
from mayfly.runtime import Runtime
from mayfly.store import Ledger

from .conftest import (
    FACES,
    HELLO,
    Face,
    called,
    command,
    each_face,
    environment,
    frame,
    http_server,
    names,
    run,
    text_of,
)

# Far more than a tool may take before its time is over: only an end from outside is quick.
ENDLESS = 10**12


@contextmanager
def stdio_server(state: Path, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command(),
        env=environment(state, **env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def send(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    assert process.stdin is not None
    view = memoryview(data)
    while view:
        view = view[process.stdin.write(view) :]


def answer(process: "subprocess.Popen[bytes]", id: object) -> dict[str, Any]:
    """Return the answer to a request; every line on the way has to be a message, and is gone afterwards."""
    assert process.stdout is not None
    line = b""
    while True:
        piece = process.stdout.read(1 << 20)
        assert piece, "the server has ended"
        line += piece
        *whole, line = line.split(b"\n")
        for one in whole:
            message = json.loads(one)
            assert message["jsonrpc"] == "2.0"
            if "id" in message and message["id"] == id:
                return dict(message)


def call(id: int, name: str, **arguments: Any) -> bytes:
    return frame("tools/call", id, name=name, arguments=arguments)


def ended(state: Path, name: str) -> list[str]:
    """Return how the calls of a tool ended."""
    with Ledger.open(Settings(state_dir=str(state))) as ledger:
        return [str(event.payload["status"]) for event in ledger.read(kind="tool.returned", subject=f"tool:{name}")]


def began(state: Path, name: str) -> int:
    with Ledger.open(Settings(state_dir=str(state))) as ledger:
        return ledger.count(kind="tool.called", subject=f"tool:{name}")


BROKEN = [
    b"\n",
    b"   \n",
    b"nonsense\n",
    b"{\n",
    b"[]\n",
    b"null\n",
    b"1\n",
    b'"text"\n',
    b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "id": true, "method": 7}\n',
    b'[{"jsonrpc": "2.0", "id": 5, "method": "ping"}]\n',
    b'{"jsonrpc": "2.0", "id": 6, "result": {}}\n',
    b"\xff\xfe\x00\x01\n",
    b"[" * 100_000 + b"\n",
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}\n',
    b'{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": {}}}\n',
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n',
]


def test_frames_that_are_none_are_answered_and_the_next_one_is_read(library: Path) -> None:
    with stdio_server(library) as server:
        send(server, b"".join(BROKEN) + HELLO)
        assert answer(server, 0)["result"]["serverInfo"]["name"] == "mayfly"
        send(server, b"".join(BROKEN) + frame("tools/list", 1))
        assert answer(server, 1)["result"]["tools"]
        send(server, b"nonsense\n")
        assert answer(server, None)["error"]["code"] == -32700
        send(server, b'{"jsonrpc": "2.0", "id": 77, "method": 3}\n')
        assert answer(server, 77)["error"]["code"] == -32600


def test_requests_that_are_wrong_get_an_error_and_not_silence(library: Path) -> None:
    with stdio_server(library) as server:
        send(server, HELLO)
        answer(server, 0)
        wrong = (
            frame("tools/call", 1),
            frame("tools/call", 2, name=7),
            frame("tools/call", 3, name="find_tool", arguments=[]),
            frame("tools/list", 4, cursor="no such place"),
            frame("resources/read", 5, uri="mayfly://tools/../../etc/passwd"),
            frame("resources/read", 6, uri="file:///etc/passwd"),
            frame("nothing/such", 7),
        )
        for id, message in enumerate(wrong, 1):
            send(server, message)
            assert "error" in answer(server, id), message
        send(server, call(8, "find_tool", intent=7))
        assert answer(server, 8)["result"]["isError"] is True


def test_a_message_that_is_too_large_is_refused_and_the_next_one_served(library: Path) -> None:
    with stdio_server(library, MAYFLY_MCP_BODY="4096") as server:
        send(server, HELLO + call(1, "find_tool", intent="x" * 100_000))
        assert "MAYFLY_MCP_BODY" in answer(server, None)["error"]["message"]
        send(server, frame("ping", 2))
        answer(server, 2)


def test_the_end_of_the_input_ends_the_server_and_what_it_began(library: Path) -> None:
    with stdio_server(library) as server:
        send(server, HELLO + call(1, "work_for", rounds=ENDLESS))
        assert testing.until(lambda: began(library, "work_for") == 1, 60)
        below = testing.below(server.pid)
        assert below
        assert server.stdin is not None
        server.stdin.close()
        server.wait(30)
        assert server.returncode == 0
        assert testing.until(lambda: not any(map(testing.alive, below)), 20)
    assert ended(library, "work_for") == ["cancelled"]


def test_a_client_that_does_not_read_is_left_behind(library: Path) -> None:
    with stdio_server(library) as server:
        send(server, HELLO)
        answer(server, 0)
        for id in range(1, 20):
            send(server, call(id, "repeat_text", text="x" * 1000, times=500))
        assert testing.until(lambda: began(library, "repeat_text") > 3, 60)
        assert server.stdin is not None
        server.stdin.close()
        server.wait(30)


def test_a_signal_ends_it_quickly_whatever_is_under_way(library: Path) -> None:
    with stdio_server(library) as server:
        send(server, HELLO + call(1, "work_for", rounds=ENDLESS))
        assert testing.until(lambda: began(library, "work_for") == 1, 60)
        below = testing.below(server.pid)
        server.terminate()
        server.wait(20)
        assert testing.until(lambda: not any(map(testing.alive, below)), 20)
    with (
        http_server(library) as (url, process),
        _post(url, _legacy_call(url, "work_for", rounds=ENDLESS), wait=False),
    ):
        assert testing.until(lambda: began(library, "work_for") == 2, 60)
        below = testing.below(process.pid)
        process.terminate()
        process.wait(20)
        assert testing.until(lambda: not any(map(testing.alive, below)), 20)
    assert ended(library, "work_for") == ["cancelled", "cancelled"]


@each_face
def test_a_call_that_is_taken_back_is_ended_in_the_sandbox(face: Face, library: Path) -> None:
    async def take_back() -> None:
        async with face.client(library) as client:
            await names(client)
            with anyio.move_on_after(None) as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, "work_for", {"rounds": ENDLESS})
                    assert await anyio.to_thread.run_sync(testing.until, lambda: began(library, "work_for") == 1, 60.0)
                    scope.cancel()
            assert await anyio.to_thread.run_sync(testing.until, lambda: ended(library, "work_for"), 20.0)
            # The connection goes on.
            await called(client, "repeat_text", text="a", times=2)

    run(take_back)
    assert ended(library, "work_for") == ["cancelled"]


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "by hand", "version": "1"},
}


def _post(url: str, request: tuple[dict[str, str], bytes], *, wait: bool = True) -> socket.socket:
    headers, body = request
    where = urlsplit(url)
    assert where.hostname
    assert where.port
    made = socket.create_connection((where.hostname, where.port), timeout=30)
    lines = {
        "Host": where.netloc,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    made.sendall(f"POST {where.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
    if wait:
        made.recv(1)
    return made


def _legacy_call(url: str, name: str, **arguments: Any) -> tuple[dict[str, str], bytes]:
    """Open a session and return the request for a call in it."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.netloc, timeout=30)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    hello, ready = HELLO.splitlines()
    connection.request("POST", where.path, hello, headers)
    reply = connection.getresponse()
    session = {"Mcp-Session-Id": reply.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
    reply.read()
    connection.request("POST", where.path, ready, {**headers, **session})
    connection.getresponse().read()
    connection.close()
    return session, call(5, name, **arguments)


def _modern_call(url: str, name: str, **arguments: Any) -> tuple[dict[str, str], bytes]:
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}
    return headers, frame("tools/call", 5, name=name, arguments=arguments, _meta=MODERN)


@pytest.mark.parametrize("request_of", [_legacy_call, _modern_call])
def test_a_client_that_vanishes_in_mid_call_leaves_nothing_behind(request_of: Any, library: Path) -> None:
    with http_server(library) as (url, process):
        connection = _post(url, request_of(url, "work_for", rounds=ENDLESS), wait=False)
        assert testing.until(lambda: began(library, "work_for") == 1, 60)
        threads = _threads(process.pid)
        connection.close()
        assert testing.until(lambda: ended(library, "work_for"), 20)
        assert ended(library, "work_for") == ["cancelled"]
        # Many more, and no thread or descriptor is left of them.
        before = _descriptors(process.pid)
        for number in range(2, 12):
            connection = _post(url, request_of(url, "work_for", rounds=ENDLESS), wait=False)
            assert testing.until(partial(_has_begun, library, number), 60)
            connection.close()
            assert testing.until(partial(_has_ended, library, number), 30)
        assert testing.until(lambda: _threads(process.pid) <= threads + 4, 20)
        assert testing.until(lambda: _descriptors(process.pid) <= before + 8, 20)


def _has_begun(state: Path, number: int) -> bool:
    return began(state, "work_for") == number


def _has_ended(state: Path, number: int) -> bool:
    return len(ended(state, "work_for")) == number


def _threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def test_a_hundred_clients_at_once_are_all_served(library: Path) -> None:
    async def storm(url: str) -> None:
        results: list[object] = []

        async def one(number: int) -> None:
            async with Client(url, mode="legacy" if number % 2 else "auto", read_timeout_seconds=200) as client:
                result = await called(
                    client, "call_tool", name="repeat_text", arguments={"text": "ab", "times": number}
                )
                results.append(result.structured_content["result"])

        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(one, number)
        assert sorted(map(str, results)) == sorted("ab" * number for number in range(100))

    with http_server(library) as (url, process):
        run(lambda: storm(url))
        assert process.poll() is None


@each_face
def test_ten_megabytes_are_taken_or_refused_in_one_line(face: Face, library: Path) -> None:
    async def send_much() -> None:
        large = "x" * 10_000_000
        async with face.client(library) as client:
            result = await client.call_tool("repeat_text", {"text": large, "times": 0})
            assert not result.is_error, text_of(result)[:300]
            # What comes back has a limit of its own, and says so.
            result = await client.call_tool("repeat_text", {"text": large, "times": 1})
            assert result.is_error
            assert "MAYFLY_LIBRARY_RESULT" in text_of(result)
            result = await client.call_tool("find_tool", {"intent": large})
            assert result.is_error
            assert len(text_of(result)) < 1000
            result = await client.call_tool(large[:10_000], {})  # more than fits into a header is no request
            assert result.is_error
            assert len(text_of(result)) < 1000
            await called(client, "repeat_text", text="a", times=2)

    run(send_much)


ODD = [0, 7, 10, 13, 27, 31, 127, 0x9B, 0x202E, 0x2028, 0x1F600, 0xFEFF]


@each_face
def test_script_and_control_characters_come_back_as_they_are_and_obey_nobody(face: Face, library: Path) -> None:
    async def odd() -> None:
        async with face.client(library) as client:
            await names(client)
            result = await called(client, "text_of_codes", codes=ODD)
            assert result.structured_content == {"result": "".join(map(chr, ODD))}
            assert "\x1b" not in text_of(result)
            assert "\u202e" not in text_of(result)
            script = "<script>alert(1)</script>"
            result = await called(client, "repeat_text", text=script, times=1)
            assert result.structured_content == {"result": script}
            # Half of a character can be in no message: it is replaced, or the call is refused.
            result = await client.call_tool("text_of_codes", {"codes": [65, 0xD800, 66]})
            assert "\ud800" not in text_of(result)
            for name in ("\x1b[31mred", "../../etc/passwd", "<script>", "a\u202eb", "", "tool\nname", "library-"):
                result = await client.call_tool("call_tool", {"name": name})
                assert result.is_error
                assert "\x1b" not in text_of(result)
                assert "\u202e" not in text_of(result)
            result = await client.call_tool("create_tool", {"intent": "x", "name": "\x1b[31mred", "source": "x = 1"})
            assert result.is_error
            assert "\x1b" not in text_of(result)
            await called(client, "repeat_text", text="a", times=2)

    run(odd)


@each_face
def test_a_tool_that_is_deleted_while_it_is_called_ends_its_call(face: Face, library: Path) -> None:
    async def delete() -> None:
        async with face.client(library) as client:
            await names(client)
            found: list[Any] = []

            async def work() -> None:
                found.append(await client.call_tool("work_for", {"rounds": 20_000_000}))

            async with anyio.create_task_group() as group:
                group.start_soon(work)
                assert await anyio.to_thread.run_sync(testing.until, lambda: began(library, "work_for") == 1, 60.0)
                await called(client, "delete_tool", name="work_for")
                assert not found
            assert not found[0].is_error, text_of(found[0])
            assert (await client.call_tool("work_for", {"rounds": 1})).is_error

    run(delete)


def test_the_kill_switch_holds_here_too(library: Path) -> None:
    async def stopped() -> None:
        async with FACES[0].client(library) as client:
            await called(client, "repeat_text", text="a", times=2)
            with Runtime(Settings(state_dir=str(library))) as runtime:
                runtime.parts.switch.turn_on(by="tests", reason="")
            time.sleep(1.1)  # what one process has seen of the switch holds for a second
            result = await client.call_tool("repeat_text", {"text": "a", "times": 2})
            assert result.is_error
            assert "mayfly kill off" in text_of(result)

    run(stopped)
