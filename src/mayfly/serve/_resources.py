"""Resources: the cards and sources of tools, the traces of runs, and the rules in force, to read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mayfly import operations
from mayfly.core import InputError, clipped, harmless, one_line, without_secrets, without_secrets_in
from mayfly.serve._reply import encodable_text

if TYPE_CHECKING:
    from mcp_types import Resource, ResourceTemplate

    from mayfly.runtime import Runtime
    from mayfly.serve._listing import Listing

_URI = re.compile(r"mayfly://(tools|runs|rules)(?:/([^/?#]+))?(?:/(source|log))?")
_RUN = re.compile(r"[rc]-[0-9a-f]{4,64}")
# Runs that are listed; any other is read by its id.
_RUNS = 20
# Characters of one resource; a trace of ten thousand promises is for the command line.
_LONGEST = 2_000_000
_JSON = "application/json"


@dataclass(frozen=True, kw_only=True)
class Document:
    """What a resource holds."""

    text: str
    kind: str = _JSON


class Resources:
    """List and read what the server has to show."""

    def __init__(self, runtime: Runtime, listing: Listing) -> None:
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

    def read(self, uri: str) -> Document:
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
        text = encodable_text(clipped(document.text, _LONGEST))
        return Document(text=text, kind=document.kind)

    def _tools(self) -> Document:
        shown = [{"name": one.name, "version": one.version, "summary": one.summary} for one in self._listing.offered()]
        return _as_json(shown)

    def _tool(self, name: str, part: str | None) -> Document:
        tools = self._runtime.tools
        if part == "log":
            return _as_json(operations.tool_history(tools, name).log_json())
        found = operations.tool_view(tools, name)
        if part == "source":
            return Document(text=without_secrets(found.source), kind="text/x-python")
        return _as_json({key: value for key, value in found.to_json().items() if key != "source"})

    def _run(self, id: str) -> Document:
        # Runs and compilations; what else is recorded is not theirs to read by its name.
        if not _RUN.fullmatch(id.partition("/")[0]):
            raise operations.no_run(id)
        return _as_json(operations.trace(self._runtime.ledger, id).to_json())

    def _rules(self, name: str) -> Document:
        from mayfly.runtime import Desk

        snapshot = Desk(self._runtime.settings, ledger=self._runtime.ledger).snapshot
        found = operations.rules_in_force(snapshot)
        files = {one["name"]: one for one in found["files"]}
        if not name:
            shown = [{key: value for key, value in one.items() if key != "text"} for one in files.values()]
            return _as_json({**found, "files": shown})
        if name not in files:
            raise InputError(f"there is no rule file {one_line(name, limit=80)}", fix="read mayfly://rules")
        return Document(text=harmless(without_secrets(files[name]["text"])), kind="text/plain")


def _as_json(data: object) -> Document:
    return Document(text=json.dumps(without_secrets_in(data), indent=1, default=str))


def _nowhere(uri: str) -> InputError:
    return InputError(
        f"{one_line(uri, limit=120)} leads nowhere", fix="read mayfly://tools/NAME, mayfly://runs/ID or mayfly://rules"
    )
