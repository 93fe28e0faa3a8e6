"""The list of tools: those of the server itself, and those of the library that are used most, a page at a time."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import InputError, harmless, one_line

if TYPE_CHECKING:
    from mcp_types import Tool

    from mayfly.core import McpSettings
    from mayfly.library import ToolListed, Tools

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


class Listing:
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
