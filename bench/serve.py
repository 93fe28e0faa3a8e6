"""The MCP server: a call of a known tool against the same function on a plain server of the official SDK."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning

from bench._table import Spread, Table, number, spread
from mayfly.core import Settings
from mayfly.runtime import Runtime

_SOURCE = '''
def roman(numeral: str) -> int:
    """Convert a roman numeral to a whole number."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for letter in reversed(numeral):
        value = values[letter]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total
'''
_PLAIN = f"""
from mcp.server import MCPServer

server = MCPServer("plain")
{_SOURCE}
server.tool()(roman)
server.run()
"""
_EXAMPLES = [{"input": "IV", "output": 4}, {"input": "XLII", "output": 42}, {"input": "MMXXVI", "output": 2026}]
_OWN = "mayfly mcp, the tool by its own name"
_CALL = "mayfly mcp, by call_tool"
_BARE = "a plain SDK server, the function in its process, no wall, no record"
_PING = "mayfly mcp, ping: what the protocol takes alone"


def measure(*, quick: bool) -> list[Table]:
    """Return one table of calls over stdio."""
    with tempfile.TemporaryDirectory() as place:
        state = Path(place) / "state"
        with Runtime(Settings(state_dir=str(state))) as runtime:
            made = runtime.tools.write("convert a roman numeral", name="roman", source=_SOURCE, examples=_EXAMPLES)
            assert made.accepted, made.reason
        found = anyio.run(_calls, state, 50 if quick else 500)
    ratio = found[_OWN].middle / found[_BARE].middle
    return [
        Table(
            title="A call over MCP, stdio, official client",
            caption=f"Milliseconds at the client, interleaved. By p50 the tool takes {ratio:.1f} × the plain server's.",
            head=("what", "min", "p50", "p99"),
            rows=[(name, *(number(value) for value in one)) for name, one in found.items()],
        )
    ]


@asynccontextmanager
async def _client(args: list[str], state: Path) -> AsyncIterator[Client]:
    env = {**os.environ, "MAYFLY_STATE_DIR": str(state)}
    async with Client(StdioServerParameters(command=sys.executable, args=args, env=env), mode="legacy") as client:
        await client.list_tools()
        yield client


async def _calls(state: Path, rounds: int) -> dict[str, Spread]:
    given = {"numeral": "MCMXC"}
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(_client(["-m", "mayfly.cli", "mcp"], state))
        plain = await stack.enter_async_context(_client(["-c", _PLAIN], state))
        contenders: dict[str, Callable[[], Awaitable[object]]] = {
            _OWN: lambda: ours.call_tool("roman", given),
            _CALL: lambda: ours.call_tool("call_tool", {"name": "roman", "arguments": given}),
            _BARE: lambda: plain.call_tool("roman", given),
            _PING: ours.send_ping,
        }
        samples: dict[str, list[float]] = {name: [] for name in contenders}
        # The SDK warns at every ping that the newest revision has none.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        # The first calls make the worker, and fill what is kept.
        for round_ in range(rounds + 10):
            for name, call in contenders.items():
                started = time.perf_counter()
                await call()
                if round_ >= 10:
                    samples[name].append((time.perf_counter() - started) * 1000)
    return {name: spread(sample) for name, sample in samples.items()}
