"""Make a tool over MCP and call it, as a coding agent would; needs the extra `mcp` and no model."""

import asyncio
import os

from mcp import Client
from mcp.client.stdio import StdioServerParameters

SOURCE = '''\
def initials(name: str) -> str:
    """Return the first letters of a name."""
    return "".join(word[0].upper() for word in name.split())
'''
TESTS = """\
def test_two_words():
    assert initials("ada lovelace") == "AL"


def test_blanks_do_not_count():
    assert initials("  grace  brewster hopper ") == "GBH"


def test_nothing():
    assert initials("") == ""
"""


async def main() -> None:
    """Start a server, look for a tool, make it where there is none, and use it."""
    server = StdioServerParameters(command="mayfly", args=["mcp"], env=dict(os.environ))
    async with Client(server) as client:
        made = await client.call_tool(
            "create_tool", {"intent": "initials of a name", "name": "initials", "source": SOURCE, "tests": TESTS}
        )
        print(made.structured_content["status"])
        called = await client.call_tool("initials", {"name": "ada lovelace"})
        print(called.structured_content["result"])


if __name__ == "__main__":
    asyncio.run(main())
