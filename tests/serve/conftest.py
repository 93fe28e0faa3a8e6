"""Real servers in processes of their own, the official client, and a library that was made once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult

from mayfly.core import Settings
from mayfly.runtime import Runtime

ROMAN = '''\
def roman_to_int(text: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    last = 0
    for letter in reversed(text):
        value = values[letter]
        total += value if value >= last else -value
        last = max(last, value)
    return total
'''
TESTS = """\
def test_the_sum():
    assert roman_to_int("MDCLXVI") == 1666

def test_what_is_taken_away():
    assert roman_to_int("XL") == 40
"""
EXAMPLES = [{"input": "MCMXC", "output": 1990}, {"input": "IV", "output": 4}]
WORK = '''\
def work_for(rounds: int) -> int:
    """Add numbers for a while."""
    total = 0
    for number in range(rounds):
        total += number % 7
    return total
'''
REPEAT = '''\
def repeat_text(text: str, times: int) -> str:
    """Repeat a text."""
    return text * times
'''
CODES = '''\
def text_of_codes(codes: list[int]) -> str:
    """Make a text of the numbers of its characters."""
    return "".join(chr(code) for code in codes)
'''
SPLIT = '''\
def split_name(name: str) -> dict[str, str]:
    """Part a full name into its first word and the rest."""
    first, _, rest = name.partition(" ")
    return {"first": first, "rest": rest}
'''
Called = Callable[[Client], Awaitable[None]]


@pytest.fixture(scope="session")
def made_library(tmp_path_factory: pytest.TempPathFactory, type_cache: Path, compiled_rules: Path) -> Path:
    """Return a state directory with a few tools, to copy."""
    state = tmp_path_factory.mktemp("library") / "state"
    state.mkdir(mode=0o700)
    (state / "mypy-cache").symlink_to(type_cache)
    shutil.copy2(compiled_rules / "seal.key", state)
    shutil.copytree(compiled_rules / "rules-cache", state / "rules-cache")
    with Runtime(Settings(state_dir=str(state))) as runtime:
        given = (
            (WORK, [{"input": {"rounds": 3}, "output": 3}]),
            (REPEAT, [{"input": {"text": "ab", "times": 2}, "output": "abab"}]),
            (CODES, [{"input": {"codes": [65, 66]}, "output": "AB"}]),
            (SPLIT, [{"input": {"name": "Ada King"}, "output": {"first": "Ada", "rest": "King"}}]),
        )
        for source, examples in given:
            made = runtime.tools.write("", source=source, examples=examples, by="tests")
            assert made.accepted, made.reason
    return state


@pytest.fixture
def library(tmp_path: Path, made_library: Path) -> Path:
    """Return a state directory of the test's own in which there are tools."""
    return shutil.copytree(made_library, tmp_path / "state", symlinks=True)


def environment(state: Path, **more: str) -> dict[str, str]:
    """Return the environment of a server: no settings from outside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
    return {**kept, "MAYFLY_STATE_DIR": str(state), **more}


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "mayfly.cli", "mcp", *args]


@contextmanager
def http_server(state: Path, *args: str, **env: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a server on a free port of loopback; yield its address and process, and end it."""
    process = subprocess.Popen(
        command("--http", "--port", "0", "--json", *args),
        env=environment(state, **env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        yield json.loads(line)["url"], process
    finally:
        process.terminate()
        process.wait(30)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@dataclass(kw_only=True)
class Face:
    """A way to reach a server: over which transport, in which revision of the protocol."""

    transport: str
    mode: str
    env: dict[str, str] = field(default_factory=dict)

    @asynccontextmanager
    async def client(self, state: Path, **options: Any) -> AsyncIterator[Client]:
        """Start a server and connect to it with the official client."""
        options = {"mode": self.mode, "read_timeout_seconds": 120.0, **options}
        if self.transport == "stdio":
            first, *rest = command()
            params = StdioServerParameters(command=first, args=rest, env=environment(state, **self.env))
            async with Client(params, **options) as client:
                yield client
        else:
            with http_server(state, **self.env) as (url, _):
                async with Client(url, **options) as client:
                    yield client


FACES = [Face(transport=transport, mode=mode) for transport in ("stdio", "http") for mode in ("legacy", "auto")]
each_face = pytest.mark.parametrize("face", FACES, ids=lambda face: f"{face.transport}-{face.mode}")


def run(work: Callable[[], Awaitable[None]], seconds: float = 240.0) -> None:
    """Run what a test does on an event loop, within a time."""

    async def bounded() -> None:
        with anyio.fail_after(seconds):
            await work()

    anyio.run(bounded)


def text_of(result: CallToolResult) -> str:
    block = result.content[0]
    assert block.type == "text"
    return block.text


async def called(client: Client, name: str, /, **arguments: Any) -> CallToolResult:
    """Call a tool that has to work."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    return result


async def refused(client: Client, name: str, /, **arguments: Any) -> str:
    """Call a tool that has to say no, and return what it says."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, text_of(result)
    return text_of(result)


async def names(client: Client) -> list[str]:
    """Return the names of all tools, page by page."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return found


def frame(method: str, id: int | None = 1, **params: Any) -> bytes:
    """Return one message as it goes over a pipe."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if id is not None:
        message["id"] = id
    return json.dumps(message).encode() + b"\n"


HELLO = frame(
    "initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "by hand", "version": "1"}
) + frame("notifications/initialized", None)
