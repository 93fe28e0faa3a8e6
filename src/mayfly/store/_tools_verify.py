"""Count the library's rows anew from the events, and compare."""

from __future__ import annotations

from dataclasses import astuple, fields

from mayfly.store._database import Connection, Row
from mayfly.store._payload import decode
from mayfly.store._rows import StoredEvent
from mayfly.store._tools import (
    TOOL_COLUMNS,
    VERSION_COLUMNS,
    ToolRow,
    ToolVersionRow,
    fold_tool,
    moves_tool,
    tool_of,
    version_in,
    words_in,
)


class ToolRecount:
    """Fold the events of all tools as they are read; `compare` says what a row has that they do not say."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolRow] = {}
        self._versions: dict[tuple[str, int], ToolVersionRow] = {}
        self._words: set[tuple[str, str, int]] = set()

    def take(self, row: Row) -> None:
        """Count one row of the table of events."""
        if not moves_tool(row[3]):
            return
        event = StoredEvent(*row)
        payload, name = decode(event.payload, id=event.id), tool_of(event.subject)
        fold_tool(self._tools.setdefault(name, ToolRow(name=name)), event, payload)
        made = version_in(event, payload)
        if made is not None:
            self._versions[name, made.version] = made
            self._words.update((word, name, made.version) for word in words_in(payload))

    def compare(self, connection: Connection) -> str:
        """Return the first thing that is not as the events say, nothing where all is."""
        for row in connection.run(f"SELECT {TOOL_COLUMNS} FROM mayfly_tools ORDER BY name"):
            wrong = _differs(f"tool {row[0]}", row, self._tools.pop(row[0], None))
            if wrong:
                return wrong
        for row in connection.run(f"SELECT {VERSION_COLUMNS} FROM mayfly_tool_versions ORDER BY name, version"):
            wrong = _differs(f"version {row[1]} of tool {row[0]}", row, self._versions.pop((row[0], row[1]), None))
            if wrong:
                return wrong
        missing = [f"tool {name}" for name in self._tools]
        missing += [f"version {version} of tool {name}" for name, version in self._versions]
        if missing:
            return f"the row of {missing[0]} is missing"
        words = {tuple(row) for row in connection.run("SELECT word, name, version FROM mayfly_tool_words")}
        odd = sorted(words ^ self._words)
        return f"the word {odd[0][0]!r} of tool {odd[0][1]} is not what its events say" if odd else ""


def _differs(what: str, row: Row, wanted: ToolRow | ToolVersionRow | None) -> str:
    if wanted is None:
        return f"the row of {what} was inserted: no event is about it"
    for field, told, counted in zip(fields(wanted), row, astuple(wanted), strict=True):
        if told != counted:
            return f"the row of {what} says {field.name} {told!r}, its events {counted!r}"
    return ""
