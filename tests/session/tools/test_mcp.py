"""Tools of real MCP servers, over stdio and HTTP, and of servers that do everything wrong."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Capability, InputError, Invocation, LimitError, MayflyError, Stop, ToolSettings, mismatch
from mayfly.session.tools._mcp import McpServers, mcp_tools
from mayfly.session.tools._mcp_link import Lost
from mayfly.session.tools._mcp_schema import cleaned_schema
from mayfly.session.tools._mcp_servers import load_servers

HERE = Path(__file__).parent
REAL = {"command": sys.executable, "args": [str(HERE / "real_server.py")]}


def call(tools: Sequence[Capability], name: str, /, **arguments: Any) -> Any:
    """Call a tool as a session does, once the rules were asked."""
    tool = next(tool for tool in tools if tool.name == name)
    invocation = Invocation(arguments=arguments, key="1.1.0")
    tool.check_arguments(arguments)
    tool.asks(invocation)
    return asyncio.run(tool.invoke(invocation))


def plain(*words: str) -> dict[str, object]:
    return {"command": sys.executable, "args": ["-S", str(HERE / "plain_server.py"), *words]}


def servers_in(directory: Path, limits: ToolSettings | None = None, **servers: object) -> McpServers:
    path = directory / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return McpServers.load(path, limits)


@pytest.fixture(scope="module")
def over_stdio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpServers]:
    python_path = {"PYTHONPATH": os.pathsep.join(sys.path), "GIVEN": "${SOME_TOKEN:-fallback}"}
    with servers_in(tmp_path_factory.mktemp("mcp"), real={**REAL, "env": python_path}) as servers:
        yield servers


@pytest.fixture(scope="module")
def over_http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpServers]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(HERE / "real_server.py"), str(port)]
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            url = {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-Key": "${PATH}"}}
            with servers_in(tmp_path_factory.mktemp("mcp"), web=url) as servers:
                yield servers
        finally:
            process.kill()


def by_name(servers: McpServers) -> dict[str, Capability]:
    return {tool.name: tool for tool in mcp_tools(servers)}


def test_tools_of_a_program(over_stdio: McpServers) -> None:
    tools = by_name(over_stdio)
    assert set(tools) == {
        *("real__add", "real__put", "real__send", "real__environment", "real__fail", "real__die", "real__wait"),
        "context7",
    }
    assert call(list(tools.values()), "real__add", a=2, b=3) == "5"
    assert [tools[f"real__{name}"].effect for name in ("add", "put", "send")] == ["none", "idempotent", "once"]
    assert over_stdio.problems == []


def test_tools_over_http(over_http: McpServers) -> None:
    tools = mcp_tools(over_http)
    assert call(tools, "web__add", a=2, b=3) == "5"
    assert call(tools, "web__send", text="x") == "sent x"
    with pytest.raises(InputError, match="Error executing tool fail"):
        call(tools, "web__fail")


def test_the_rules_are_asked_for_every_call_with_its_arguments(over_stdio: McpServers) -> None:
    tool = by_name(over_stdio)["real__send"]
    (asked,) = tool.asks(Invocation(arguments={"text": "hello"}))
    assert asked == ("tool_call", "real__send", '{"text": "hello"}')


def test_what_a_server_says_of_its_tools_is_shown_and_not_obeyed(over_stdio: McpServers) -> None:
    summary = by_name(over_stdio)["real__send"].summary
    assert summary.startswith("[real] Send a text.\\x1b[31m")
    assert "\x1b" not in summary


def test_arguments_are_checked_before_anything_is_sent(over_stdio: McpServers) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        call(mcp_tools(over_stdio), "real__add", a="two", b=3)


def test_a_program_has_only_the_environment_that_is_named(
    over_stdio: McpServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = json.loads(call(mcp_tools(over_stdio), "real__environment"))
    # LC_CTYPE is what Python adds by itself.
    assert set(found) - {"LC_CTYPE"} == {"PATH", "HOME", "PYTHONPATH", "GIVEN"}
    assert found["GIVEN"] == "fallback"


def test_a_server_that_dies_in_a_call_is_started_again_for_the_next(over_stdio: McpServers) -> None:
    tools = mcp_tools(over_stdio)
    with pytest.raises(Lost, match="went away"):
        call(tools, "real__die")
    assert call(tools, "real__send", text="x") == "sent x"


def test_a_call_that_takes_too_long_ends(over_stdio: McpServers) -> None:
    tool = by_name(over_stdio)["real__wait"]
    with pytest.raises(LimitError, match="seconds of real"):
        over_stdio.call("real", "wait", Invocation(arguments={"seconds": 60}, seconds=0.3), again=True)
    assert call([tool], "real__wait", seconds=0) == "waited"


def test_a_call_ends_when_that_is_said(over_stdio: McpServers) -> None:
    stop = Stop()
    tool = by_name(over_stdio)["real__wait"]
    call([tool], "real__wait", seconds=0)
    threading.Timer(0.2, stop.cancel).start()
    with pytest.raises(MayflyError, match="stopped"):
        asyncio.run(tool.invoke(Invocation(arguments={"seconds": 60}, stop=stop)))


@pytest.mark.later
def test_servers_that_cannot_be_used_are_named_and_the_others_work(tmp_path: Path) -> None:
    hopeless = {
        "dies": {**plain("dies"), "env": {"KEY": "word-of-mine"}},
        "hangs": plain("hangs"),
        "nowhere": {"url": "http://127.0.0.1:1/mcp"},
        "missing": {"command": "/no/such/program"},
        "fine": plain("noise"),
    }
    with servers_in(tmp_path, ToolSettings(mcp_connect=5.0), **hopeless) as servers:
        tools = mcp_tools(servers)
        said = {problem.split(":")[0].removeprefix("MCP server "): problem for problem in servers.problems}
        assert "no database at all for ‹secret: a key in use›" in said["dies"]
        assert "seconds of connecting to hangs: 5 is over" in said["hangs"]
        assert "no connection" in said["nowhere"]
        assert "No such file" in said["missing"]
        assert call(tools, "fine__count") == "count\n[image image/png, about 300 bytes]"


def test_names_that_no_model_can_call_are_made_so_and_stay_apart(tmp_path: Path) -> None:
    with servers_in(tmp_path, odd=plain("odd")) as servers:
        tools = {tool.name: tool for tool in servers.capabilities()}
        assert len(tools) == 5
        assert all(len(name) <= 64 and name.replace("_", "a").replace("-", "a").isalnum() for name in tools)
        called = [name for name in tools if name.startswith("odd__a_b_c")]
        assert sorted(call([tools[name]], name).split("\n")[0] for name in called) == ["a b/c", "a b?c"]
        assert servers.problems == ["MCP server odd: y is left out: an argument is called 'a b'"]


@pytest.mark.parametrize("kind", ["many", "endless"])
def test_more_tools_than_anybody_reads_are_left_out(tmp_path: Path, kind: str) -> None:
    with servers_in(tmp_path, ToolSettings(mcp_tools=30), big=plain(kind)) as servers:
        assert len(servers.capabilities()) == 30
        assert servers.problems == ["MCP server big: only the first 30 of its tools are offered"]


@pytest.mark.parametrize(("tool", "calls"), [("count", 2), ("circle", 1)])
def test_what_may_be_done_again_is_sent_again_and_what_may_not_is_not(tmp_path: Path, tool: str, calls: int) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    with servers_in(tmp_path, s=plain("dies later", str(counter))) as servers:
        tools = mcp_tools(servers)
        if calls == 1:
            with pytest.raises(Lost):
                call(tools, f"s__{tool}")
        else:
            assert call(tools, f"s__{tool}").startswith(tool)
    assert counter.read_text() == str(calls)


def test_closing_ends_the_programs(tmp_path: Path) -> None:
    script = f"echo $$ > {tmp_path}/pid; exec {sys.executable} -S {HERE}/plain_server.py odd"
    servers = servers_in(tmp_path, s={"command": "sh", "args": ["-c", script]})
    assert servers.capabilities()
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, 0)
    servers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_context7_looks_up_the_library_and_then_its_documentation(tmp_path: Path) -> None:
    with servers_in(tmp_path, context7=plain("context7")) as servers:
        tools = mcp_tools(servers)
        said = call(tools, "context7", library="project", topic="routing")
        assert said.startswith("[/org/project, by context7; written by others]\n")
        assert json.loads(said.split("\n", 1)[1]) == {"context7CompatibleLibraryID": "/org/project", "topic": "routing"}
        assert "/a/b" in call(tools, "context7", library="/a/b")
        assert "knows no library other" in call(tools, "context7", library="other")


def test_context7_that_is_not_configured_says_so(tmp_path: Path) -> None:
    with McpServers.load(tmp_path / "mcp.json") as servers:
        said = call(mcp_tools(servers), "context7", library="x")
    assert said == "no MCP server context7 is configured: name one in mcp.json, or use web_fetch"


def test_without_the_package_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with servers_in(tmp_path, s=plain("odd")) as servers:
        assert servers.capabilities() == ()
        assert "pip install 'mayfly-agents[mcp]'" in servers.problems[0]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({}, "either command or url"),
        ({"command": "x", "url": "https://example.org"}, "either command or url"),
        ({"command": 1}, "command must be text"),
        ({"command": "A=b"}, "without ="),
        ({"command": "x", "args": "y"}, "list of texts"),
        ({"command": "x", "env": {"A": 1}}, "table of texts"),
        ({"command": "x", "shell": True}, "unknown is shell"),
        ({"command": "x", "args": ["${NOT_SET}"]}, "NOT_SET is not set"),
        ({"url": "file:///x"}, "must begin with"),
        ({"url": "https://example.org", "type": "sse"}, "its type is none of"),
        ([], "no table"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_stay(tmp_path: Path, entry: object, problem: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"bad": entry, "a__b": {"command": "x"}, "good": {"command": "x"}}}))
    found = load_servers(path, environ={})
    assert [server.name for server in found.servers] == ["good"]
    assert problem in found.problems[0]
    assert "a__b" in found.problems[1]


@pytest.mark.parametrize("limit", [1000, 100_000], ids=["ordinary", "lifted"])
def test_files_that_are_none(tmp_path: Path, lifted: Callable[[int], None], limit: int) -> None:
    lifted(limit)  # as libraries of Ethereum do for the whole process
    path = tmp_path / "mcp.json"
    assert load_servers(path) == ((), ())
    for text in ("{", "[]", '{"mcpServers": []}', "[" * 100_000, "\xff"):
        path.write_bytes(text.encode("latin-1"))
        assert load_servers(path).servers == ()
        assert len(load_servers(path).problems) == 1


def test_toml_and_variables(tmp_path: Path) -> None:
    path = tmp_path / "mcp.toml"
    path.write_text(
        '[mcpServers.a]\ncommand = "x"\n[mcpServers.a.env]\nKEY = "${TOKEN}"\n[mcpServers.b]\ndisabled = true\n'
    )
    (server,) = load_servers(path, environ={"TOKEN": "t"}).servers
    assert server.environment == {"KEY": "t"}
    assert "t'" not in repr(server)


def test_a_schema_with_circles_and_patterns_is_made_finite() -> None:
    two = {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}
    schema = {
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"type": "string", "pattern": "(a+)+$", "format": "x"}},
        "required": ["a", "nothing"],
        "$defs": {"n": {"type": "object", "properties": {"x": two, "y": two}}},
    }
    cleaned = cleaned_schema(schema)
    assert cleaned["properties"]["b"] == {"type": "string"}
    assert cleaned["required"] == ["a"]
    assert len(json.dumps(cleaned)) <= 30_000
    assert mismatch({"a": {"x": {"x": {}}}, "b": "a" * 100}, cleaned) == ""
    assert mismatch({"b": 1}, cleaned)


@pytest.mark.later
@pytest.mark.parametrize(
    "schema", [{"properties": []}, {"properties": {"a": 1}}, {"type": 3, "required": "x", "enum": 4}]
)
def test_a_schema_that_is_none_holds_nobody(schema: dict[str, object]) -> None:
    assert mismatch({"a": 1}, cleaned_schema(schema)) == ""
