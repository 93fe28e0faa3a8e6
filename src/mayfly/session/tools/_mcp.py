"""Tools of other MCP servers as capabilities: named by their server, held to the same rules, described by strangers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    Asked,
    Capability,
    Effect,
    InputError,
    Invocation,
    MayflyError,
    Tier,
    ToolSettings,
    clipped,
    content_hash,
    harmless,
    one_line,
    replace,
)
from mayfly.session.tools._mcp_link import LinkLoop, Listed, McpLink, load_sdk
from mayfly.session.tools._mcp_schema import cleaned_schema
from mayfly.session.tools._mcp_servers import Configured, McpServerConfig, load_servers
from mayfly.world import TEXT, said, takes
from mayfly.world import tool as declared

if TYPE_CHECKING:
    from mcp.types import CallToolResult, Tool

# What providers of models take as the name of a tool.
_LONGEST_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_DESCRIPTION = 1000
# The whole of a result goes to the ledger; this is a long document.
_LONGEST = 400_000
# Time beyond that of a call in which the line itself has to say what went wrong.
_SLACK = 2.0


class McpServers:
    """The configured servers. Each is connected when its tools are asked for; a context manager closes them all."""

    def __init__(self, configured: Configured, *, directory: Path, limits: ToolSettings | None = None) -> None:
        """Take the servers; programs are started in *directory* unless their configuration says where."""
        self.problems: list[str] = list(configured.problems)
        self._limits = limits or ToolSettings()
        self._loop = LinkLoop()
        self._links = {
            server.name: McpLink(server, directory=str(directory), connecting=self._limits.mcp_connect)
            for server in configured.servers
        }
        self._listed: dict[str, Listed] = {}
        self._used = False
        self._capabilities: tuple[Capability, ...] | None = None

    @classmethod
    def load(cls, path: Path, limits: ToolSettings | None = None) -> McpServers:
        """Read the configuration at *path*."""
        return cls(load_servers(path), directory=path.absolute().parent, limits=limits)

    def __enter__(self) -> McpServers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all connections, and the programs behind them."""
        for link in self._links.values() if self._used else ():
            try:
                # Closing is bounded by the line itself; twice that is a loop that stands still.
                self._loop.run(link.close(), seconds=40.0, what=f"closing {link.server.name}")
            except MayflyError as error:
                self.problems.append(str(error))
        self._loop.close()

    @property
    def servers(self) -> tuple[McpServerConfig, ...]:
        """The servers as they are configured."""
        return tuple(link.server for link in self._links.values())

    def capabilities(self) -> tuple[Capability, ...]:
        """Connect to all servers at once and return their tools; one that cannot be used is named in *problems*."""
        if self._capabilities is None:
            with ThreadPoolExecutor(max_workers=max(1, len(self._links))) as pool:
                listed = list(pool.map(self._list, self._links))
            found = [tool for name, one in zip(self._links, listed, strict=True) for tool in self._tools_of(name, one)]
            self._capabilities = tuple(found)
        return self._capabilities

    def _list(self, name: str) -> Listed | MayflyError:
        """Return the tools of a server, or why there are none; asked again it does not ask the server again."""
        if name not in self._listed:
            self._used = True
            seconds = self._limits.mcp_connect
            try:
                load_sdk()
                self._listed[name] = self._loop.run(
                    self._links[name].list_tools(self._limits.mcp_tools, seconds=seconds),
                    # Connecting and two pages of tools; a server that takes longer lists too many.
                    seconds=3 * seconds + _SLACK,
                    what=f"the tools of {name}",
                )
            except MayflyError as error:
                return error
        return self._listed[name]

    def _tools_of(self, server: str, listed: Listed | MayflyError) -> list[Capability]:
        if isinstance(listed, MayflyError):
            self.problems.append(f"MCP server {server}: {listed}")
            return []
        if listed.more:
            self.problems.append(
                f"MCP server {server}: only the first {self._limits.mcp_tools} of its tools are offered"
            )
        made: dict[str, Capability] = {}
        for tool in listed.tools:
            try:
                schema = cleaned_schema(tool.input_schema)
            except InputError as error:
                self.problems.append(f"MCP server {server}: {one_line(tool.name, limit=60)} is left out: {error}")
                continue
            name = _name(server, tool.name, taken=made)
            made[name] = self._capability(name, server, tool, schema)
        return list(made.values())

    def _capability(self, name: str, server: str, tool: Tool, schema: Mapping[str, Any]) -> Capability:
        effect = _effect(tool)
        told = harmless(tool.description or tool.title or tool.name)
        return Capability(
            name=name,
            summary=clipped(f"[{server}] {told}", _DESCRIPTION),
            input_schema=schema,
            effect=effect,
            tier=Tier.AUTHORED,
            asks=lambda call: (Asked("tool_call", name, json.dumps(dict(call.arguments), ensure_ascii=False)),),
            call=lambda call: self.call(server, tool.name, call, again=effect != "once"),
            seconds=self._limits.mcp_call + 2 * self._limits.mcp_connect,
        )

    def call(self, server: str, tool: str, call: Invocation, *, again: bool = True) -> str:
        """Call a tool and return its result as text; one that says it failed is an error."""
        limit = min(self._limits.mcp_call, call.seconds or self._limits.mcp_call)
        result: CallToolResult = self._loop.run(
            self._links[server].call(tool, dict(call.arguments), again=again, seconds=limit),
            # With a look whether the server is there, connecting, and the call itself perhaps twice.
            seconds=2 * (limit + self._limits.mcp_connect) + _SLACK,
            what=f"{server}: {one_line(tool, limit=60)}",
            stop=call.stop,
        )
        text = _text(result)
        if result.is_error:
            raise InputError(clipped(text, _LONGEST) or f"{server} says that it failed, and no more")
        return clipped(text, _LONGEST) or "[nothing was returned]"

    def documentation(self, library: str, topic: str, *, call: Invocation) -> str:
        """Look a library up with the server `context7`: which one is meant, and what its documentation says."""
        if "context7" not in self._links:
            return "no MCP server context7 is configured: name one in mcp.json, or use web_fetch"
        listed = self._list("context7")
        if isinstance(listed, MayflyError):
            raise listed
        resolver = next((tool for tool in listed.tools if "resolve" in tool.name), None)
        reader = next((tool for tool in listed.tools if tool is not resolver and _property(tool, "libraryid")), None)
        if reader is None:
            return "the MCP server context7 offers no documentation"
        found = ""
        if not library.startswith("/"):
            if resolver is None:
                raise InputError("context7 cannot look libraries up by name", fix="give the id, such as /org/project")
            arguments = _fitting(resolver, {"libraryname": library, "query": topic or library})
            found = self.call("context7", resolver.name, replace(call, arguments=arguments))
            known = re.search(r"(?<![\w/:.])/[\w.-]+/[\w.-]+(?:/[\w.-]+)?", found)
            if known is None:
                return f"context7 knows no library {one_line(library, limit=80)}: {clipped(found, 500)}"
            library = known[0]
        wanted = {"libraryid": library, "topic": topic, "query": topic or "overview"}
        arguments = _fitting(reader, wanted)
        text = self.call("context7", reader.name, replace(call, arguments=arguments))
        return f"[{library}, by context7; written by others]\n{text}"


def mcp_tools(servers: McpServers) -> tuple[Capability, ...]:
    """Return the tools of all servers, and `context7`, which says so where there is no such server."""
    return (*servers.capabilities(), context7.bound(servers))


@declared(
    takes(
        "library",
        library=said(TEXT, "the name or id of the library", minLength=1, maxLength=200),
        topic=said(TEXT, "what about it", maxLength=500),
    ),
    asks=lambda call: (Asked("context7", call.arguments["library"], str(call.arguments.get("topic", ""))),),
)
def context7(servers: McpServers, call: Invocation) -> str:
    """Look up the current documentation of a library, by its name or its id such as /org/project."""
    return servers.documentation(call.arguments["library"], call.arguments.get("topic", ""), call=call)


def _name(server: str, tool: str, *, taken: Mapping[str, object]) -> str:
    """Return the name of a tool: `server__tool` where that is one, else made so and told apart by a hash."""
    plain = f"{server}__{_NOT_IN_NAMES.sub('_', tool)}"
    if plain == f"{server}__{tool}" and len(plain) <= _LONGEST_NAME and plain not in taken and tool:
        return plain
    mark = content_hash(tool)[:8]
    name = f"{plain[: _LONGEST_NAME - 9]}_{mark}"
    return name if name not in taken else f"{plain[: _LONGEST_NAME - 13]}_{mark}_{len(taken):03}"


def _effect(tool: Tool) -> Effect:
    """Return what a call may do, by the hints of the server: the rules are asked for every call, whatever it says."""
    hints = tool.annotations
    if hints is not None and hints.read_only_hint:
        return "none"
    return "idempotent" if hints is not None and hints.idempotent_hint else "once"


def _text(result: CallToolResult) -> str:
    parts = [_block(block) for block in result.content]
    if not any(parts) and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False, indent=1)
    return "\n".join(parts)


def _block(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            # Four characters of base64 are three bytes.
            return f"[{block.type} {one_line(block.mime_type, limit=60)}, about {len(block.data) * 3 // 4:,} bytes]"
        case "resource":
            inner = block.resource
            return str(getattr(inner, "text", None) or f"[resource {one_line(str(inner.uri), limit=300)}]")
        case "resource_link":
            return f"[resource {one_line(str(block.uri), limit=300)}]"
    return f"[{one_line(str(block.type), limit=40)}]"


def _property(tool: Tool, ending: str) -> str:
    """Return the argument of a tool whose name ends so, whatever its case."""
    properties = tool.input_schema.get("properties", {})
    return next((name for name in properties if str(name).lower().endswith(ending)), "")


def _fitting(tool: Tool, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments that a tool has, of *values* by the ends of their names."""
    named = {_property(tool, ending): value for ending, value in values.items()}
    return {name: value for name, value in named.items() if name and value}
