"""An MCP server written by hand, which does what it is told to do wrong; it speaks the protocol of 2025."""

import json
import os
import sys
import time
from pathlib import Path

KIND = sys.argv[1]
if KIND == "dies":
    print("no database at all for", os.environ.get("KEY"), file=sys.stderr)
    sys.exit(1)
if KIND == "hangs":
    time.sleep(600)
if KIND == "noise":
    print("Welcome to my server!", flush=True)


def tool(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "description": f"Do {name}.", "inputSchema": {"type": "object"}, **more}


def listed(cursor: str | None) -> dict[str, object]:
    if KIND == "endless":
        return {"tools": [tool(f"t{cursor or 0}")], "nextCursor": str(int(cursor or 0) + 1)}
    if KIND == "many":
        return {"tools": [tool(f"tool{number}") for number in range(1000)]}
    if KIND == "context7":
        by_name = {"type": "object", "properties": {"libraryName": {"type": "string"}}, "required": ["libraryName"]}
        names = ("context7CompatibleLibraryID", "topic", "tokens")
        by_id = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        return {"tools": [tool("resolve-library-id", inputSchema=by_name), tool("get-library-docs", inputSchema=by_id)]}
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    circle = {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    odd = [
        tool("a b/c"),
        tool("a b?c"),
        tool("x" * 100),
        tool("y", inputSchema={"type": "object", "properties": {"a b": {}}}),
    ]
    return {"tools": [*odd, tool("circle", inputSchema=circle), tool("count", annotations={"readOnlyHint": True})]}


def called(name: str, arguments: dict[str, str]) -> dict[str, object]:
    counter = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if counter is not None:
        counter.write_text(str(int(counter.read_text() or 0) + 1))
        if KIND == "dies later" and counter.read_text() == "1":
            sys.exit(1)
    if name == "get-library-docs":
        return {"content": [{"type": "text", "text": json.dumps(arguments)}]}
    if name == "resolve-library-id":
        known = "- Context7-compatible library ID: /org/project\n- https://example.org/other/thing"
        return {"content": [{"type": "text", "text": known if arguments["libraryName"] == "project" else "none"}]}
    image = {"type": "image", "data": "A" * 400, "mimeType": "image/png"}
    return {"content": [{"type": "text", "text": name}, image]}


def answer(request: dict[str, object]) -> dict[str, object] | None:
    params = request.get("params") or {}
    assert isinstance(params, dict)
    match request["method"]:
        case "initialize":
            info = {"name": "plain", "version": "1"}
            version = params["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return listed(params.get("cursor"))
        case "tools/call":
            return called(params["name"], params.get("arguments") or {})
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request)
        error = {"code": -32601, "message": "no such method"}
        said = {"result": result} if result is not None else {"error": error}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)
