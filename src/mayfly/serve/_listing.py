"""What MCP lists: tools of the server and of the library, a page at a time; cards, traces and rules as resources."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mayfly import operations
from mayfly.core import InputError, clipped, harmless, one_line, utf8, without_secrets, without_secrets_in

if TYPE_CHECKING:
    from mcp_types import Resource, ResourceTemplate, Tool

    from mayfly.core import McpSettings
    from mayfly.library import ToolListed, Tools
    from mayfly.runtime import Runtime

# What stands before the name of a library tool that is called like one of ours: no name of the library has a hyphen.
_LIBRARY = "library-"
_LONGEST = 1000


@cache
def own_tools() -> dict[str, Tool]:
    """Return the tools of the server itself, by name."""
    from mcp_types import Tool

    entries = json.loads((Path(__file__).parent / "tools.json").read_text(encoding="utf-8"))
    return {entry["name"]: Tool.model_validate(entry) for entry in entries}


def listed_name(name: str) -> str:
    """Return under which name a tool of the library is listed."""
    return f"{_LIBRARY}{name}" if name in own_tools() else name


def library_name(listed: str) -> str:
    """Return which tool of the library a listed name means."""
    return listed.removeprefix(_LIBRARY)


class ToolListing:
    """List tools; what was read of the library is kept until something changes there."""

    def __init__(self, tools: Tools, settings: McpSettings) -> None:
        self._tools = tools
        self._settings = settings
        self._lock = threading.Lock()
        self._kept: list[ToolListed] | None = None
        self._changes = 0

    def forget(self) -> None:
        """Read the library again for the next list."""
        with self._lock:
            self._kept, self._changes = None, self._changes + 1

    def page(self, cursor: str | None) -> tuple[list[Tool], str | None]:
        """Return the tools after a cursor, the name of the last one before, and the cursor of the next page."""
        every = [*own_tools().values(), *(described(one) for one in self.offered())]
        if cursor is None:
            start = 0
        else:
            names = [one.name for one in every]
            start = names.index(cursor) + 1 if cursor in names else self._after(cursor, names)
        page = every[start : start + self._settings.page]
        more = start + len(page) < len(every)
        return page, page[-1].name if page and more else None

    def _after(self, cursor: str, names: list[str]) -> int:
        """Return where a list goes on behind a tool that is gone meanwhile: the library is listed by name."""
        if cursor in own_tools() or not library_name(cursor).isidentifier():
            raise InputError(f"{one_line(cursor, limit=80)!r} is no cursor of this list")
        own = len(own_tools())
        return own + sum(library_name(name) <= library_name(cursor) for name in names[own:])

    def offered(self) -> list[ToolListed]:
        """Return the tools of the library that are listed, those used last, by name."""
        with self._lock:
            kept, seen = self._kept, self._changes
        if kept is not None:
            return kept
        serving = self._tools.list(state="serving")
        latest = sorted(serving, key=lambda one: (one.used, one.calls, one.name), reverse=True)
        kept = sorted(latest[: self._settings.listed], key=lambda one: one.name)
        with self._lock:
            # What changed while it was read may be missing from it.
            if self._changes == seen:
                self._kept = kept
        return kept


def described(one: ToolListed) -> Tool:
    """Return a tool of the library as the protocol describes it."""
    from mcp_types import Tool, ToolAnnotations

    kinds = {grant.partition(":")[0] for grant in one.grants}
    note = f"[library tool, version {one.version}, proof {one.strength}]"
    return Tool(
        name=listed_name(one.name),
        description=harmless(f"{one_line(one.summary, limit=_LONGEST)} {note}"),
        input_schema=dict(one.input_schema),
        output_schema=wrapped_schema(one.output_schema),
        annotations=ToolAnnotations(
            read_only_hint=not one.grants,
            # Money that is spent does not come back: clients ask a person before such a call.
            destructive_hint="buy" in kinds,
            idempotent_hint=not one.grants,
            open_world_hint=bool(kinds & {"net", "buy"}),
        ),
    )


def wrapped_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a result that every client takes, an object: anything else is its `result`."""
    if is_record(schema):
        return dict(schema)
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    defs = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **defs}


def is_record(schema: Mapping[str, Any]) -> bool:
    """Whether what a schema describes is an object."""
    return schema.get("type") == "object"


_URI = re.compile(r"mayfly://(tools|runs|rules)(?:/([^/?#]+))?(?:/(source|log))?")
_RUN = re.compile(r"[rc]-[0-9a-f]{4,64}")
# Runs that are listed; any other is read by its id.
_RUNS = 20
# Characters of one resource; a trace of ten thousand promises is for the command line.
_LONGEST_RESOURCE = 2_000_000
_JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class ResourceContent:
    """What a resource holds."""

    text: str
    kind: str = _JSON


class Resources:
    """List and read what the server has to show."""

    def __init__(self, runtime: Runtime, listing: ToolListing) -> None:
        self._runtime = runtime
        self._listing = listing

    def all(self) -> list[Resource]:
        """Return the tools that are listed, the last runs and the rules."""
        from mcp_types import Resource

        found = [Resource(uri="mayfly://rules", name="rules", description="the rules in force", mime_type=_JSON)]
        for tool in self._listing.offered():
            said = one_line(tool.summary, limit=300)
            found.append(Resource(uri=f"mayfly://tools/{tool.name}", name=tool.name, description=said, mime_type=_JSON))
        for run in operations.runs(self._runtime.ledger, last=_RUNS):
            said = one_line(f"{run.ending}: {run.intent}", limit=300)
            found.append(Resource(uri=f"mayfly://runs/{run.id}", name=run.id, description=said, mime_type=_JSON))
        return found

    def templates(self) -> list[ResourceTemplate]:
        """Return how further ones are named."""
        from mcp_types import ResourceTemplate

        named = (
            ("mayfly://tools/{name}", "card", "what is known of a tool, and why it was accepted", _JSON),
            ("mayfly://tools/{name}/source", "source", "the source of a tool", "text/x-python"),
            ("mayfly://tools/{name}/log", "log", "what happened to a tool, version by version", _JSON),
            ("mayfly://runs/{id}", "trace", "what happened in a run", _JSON),
            ("mayfly://rules/{file}", "rule file", "one file of rules", "text/plain"),
        )
        return [
            ResourceTemplate(uri_template=uri, name=name, description=said, mime_type=kind)
            for uri, name, said, kind in named
        ]

    def read(self, uri: str) -> ResourceContent:
        """Return what is under an address; one that leads nowhere is an `InputError`."""
        found = _URI.fullmatch(uri) if len(uri) <= 1000 else None
        if found is None:
            raise _nowhere(uri)
        kind, name, part = found[1], unquote(found[2] or ""), found[3]
        if not name.isprintable():
            raise _nowhere(uri)
        if kind == "tools":
            document = self._tool(name, part) if name else self._tools()
        elif part or (kind == "runs" and not name):
            raise _nowhere(uri)
        else:
            document = self._run(name) if kind == "runs" else self._rules(name)
        text = utf8(clipped(document.text, _LONGEST_RESOURCE))
        return ResourceContent(text=text, kind=document.kind)

    def _tools(self) -> ResourceContent:
        shown = [{"name": one.name, "version": one.version, "summary": one.summary} for one in self._listing.offered()]
        return _as_json(shown)

    def _tool(self, name: str, part: str | None) -> ResourceContent:
        tools = self._runtime.tools
        if part == "log":
            return _as_json(operations.tool_history(tools, name).log_json())
        found = operations.tool_view(tools, name)
        if part == "source":
            return ResourceContent(text=without_secrets(found.source), kind="text/x-python")
        return _as_json({key: value for key, value in found.to_json().items() if key != "source"})

    def _run(self, id: str) -> ResourceContent:
        # Runs and compilations; what else is recorded is not theirs to read by its name.
        if not _RUN.fullmatch(id.partition("/")[0]):
            raise operations.no_run(id)
        return _as_json(operations.trace(self._runtime.ledger, id).to_json())

    def _rules(self, name: str) -> ResourceContent:
        from mayfly.persona import Desk

        snapshot = Desk(self._runtime.settings, ledger=self._runtime.ledger).snapshot
        found = operations.rules_in_force(snapshot)
        files = {one["name"]: one for one in found["files"]}
        if not name:
            shown = [{key: value for key, value in one.items() if key != "text"} for one in files.values()]
            return _as_json({**found, "files": shown})
        if name not in files:
            raise InputError(f"there is no rule file {one_line(name, limit=80)}", fix="read mayfly://rules")
        return ResourceContent(text=harmless(without_secrets(files[name]["text"])), kind="text/plain")


def _as_json(data: object) -> ResourceContent:
    return ResourceContent(text=json.dumps(without_secrets_in(data), indent=1, default=str))


def _nowhere(uri: str) -> InputError:
    return InputError(
        f"{one_line(uri, limit=120)} leads nowhere", fix="read mayfly://tools/NAME, mayfly://runs/ID or mayfly://rules"
    )
