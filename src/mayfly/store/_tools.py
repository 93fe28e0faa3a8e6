"""How each tool of the library stands: rows that follow from its events and are written in one transaction with them.

This is the one place that knows which events move a tool. `log verify` folds all events anew and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from typing import Any

from mayfly.core import ConflictError, canonical_json
from mayfly.store._database import Connection
from mayfly.store._rows import StoredEvent

# What the subject of every event about a tool begins with: a tool may be called like anything else there is.
SUBJECT = "tool:"
# Tools asked for in one statement; databases take a few thousand values at most.
_MANY = 1000


@dataclass(kw_only=True, slots=True)
class ToolRow:
    """One name: which version serves (0: none), the highest there was, and how often it was called.

    *state* is serving, retired or deleted; *changed* is the event that last said which version serves, *used* when it
    was last called, or came to be served.
    """

    name: str
    version: int = 0
    newest: int = 0
    state: str = ""
    changed: int = 0
    calls: int = 0
    failures: int = 0
    used: str = ""


@dataclass(kw_only=True, slots=True, frozen=True)
class ToolVersionRow:
    """One version: the blobs of source, tests and card, the size of the source, and what is listed without opening it.

    *shape* is the same for tools with the same types, *head* is JSON, *seal* is made by whoever wrote it.
    """

    name: str
    version: int
    event: int
    at: str
    source: str
    tests: str
    card: str
    size: int
    shape: str
    head: str
    seal: str


TOOL_COLUMNS = ", ".join(field.name for field in fields(ToolRow))
VERSION_COLUMNS = ", ".join(field.name for field in fields(ToolVersionRow))
_INSERT_TOOL = f"INSERT INTO mayfly_tools ({TOOL_COLUMNS}) VALUES ({', '.join('?' * len(fields(ToolRow)))})"
_INSERT_VERSION = (
    f"INSERT INTO mayfly_tool_versions ({VERSION_COLUMNS}) VALUES ({', '.join('?' * len(fields(ToolVersionRow)))})"
)
_INSERT_WORD = "INSERT INTO mayfly_tool_words (word, name, version) VALUES (?, ?, ?)"


def moves_tool(kind: str) -> bool:
    """Whether events of this kind change the row of a tool."""
    return kind in _FOLDS


def tool_of(subject: str) -> str:
    """Return the tool that a subject is about."""
    return subject.removeprefix(SUBJECT)


def fold_tool(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    """Change *row* as *event* says."""
    _FOLDS[event.kind](row, event, payload)


def version_in(event: StoredEvent, payload: Mapping[str, Any]) -> ToolVersionRow | None:
    """Return the version that an event brings, None where it brings none."""
    if event.kind != _WRITTEN:
        return None
    return ToolVersionRow(
        name=tool_of(event.subject),
        version=int(payload["version"]),
        event=event.id,
        at=event.at,
        source=str(payload["source_blob"]),
        tests=str(payload["tests_blob"]),
        card=str(payload["card_blob"]),
        size=int(payload["size"]),
        shape=str(payload["shape"]),
        head=canonical_json(payload["head"]),
        seal=str(payload["seal"]),
    )


def words_in(payload: Mapping[str, Any]) -> list[str]:
    """Return the words by which the version of an event is found."""
    return sorted({str(word) for word in payload["words"]})


class ToolBatch(dict[str, ToolRow]):
    """The tools that one append is about, by name, as they stand."""

    def __init__(self, connection: Connection, names: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(names))
        super().__init__((name, ToolRow(name=name)) for name in wanted)
        self._connection = connection
        self._stored: set[str] = set()
        for start in range(0, len(wanted), _MANY):
            some = wanted[start : start + _MANY]
            query = f"SELECT {TOOL_COLUMNS} FROM mayfly_tools WHERE name IN ({', '.join('?' * len(some))})"
            for row in connection.run(query, some):
                self[row[0]] = to_tool(row)
                self._stored.add(row[0])

    def move(self, event: StoredEvent, payload: Mapping[str, Any]) -> None:
        """Change the tool that an event is about; `ConflictError` where somebody else has changed it meanwhile."""
        row = self[tool_of(event.subject)]
        check_turn(row, event, payload)
        fold_tool(row, event, payload)
        made = version_in(event, payload)
        if made is not None:
            self._connection.run(_INSERT_VERSION, astuple(made))
            words = [(word, made.name, made.version) for word in words_in(payload)]
            if words:
                self._connection.run_many(_INSERT_WORD, words)

    def save(self) -> None:
        """Write the rows."""
        for name, row in self.items():
            values = astuple(row)
            if name in self._stored:
                columns = ", ".join(f"{field.name} = ?" for field in fields(ToolRow)[1:])
                self._connection.run(f"UPDATE mayfly_tools SET {columns} WHERE name = ?", [*values[1:], name])
            else:
                self._connection.run(_INSERT_TOOL, values)


def to_tool(row: Iterable[Any]) -> ToolRow:
    """Make a tool of a row of the table."""
    return ToolRow(**dict(zip((field.name for field in fields(ToolRow)), row, strict=True)))


def to_version(row: Iterable[Any]) -> ToolVersionRow:
    """Make a version of a row of the table."""
    return ToolVersionRow(**dict(zip((field.name for field in fields(ToolVersionRow)), row, strict=True)))


def check_turn(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    """Refuse a change of which version serves that was decided on before somebody else made another."""
    if event.kind not in _CHANGES:
        return
    next_one = event.kind != _WRITTEN or payload["version"] == row.newest + 1
    if payload["before"] == row.version and next_one:
        return
    now = f"version {row.version} serves now" if row.version else "it is gone"
    raise ConflictError(
        f"{row.name} was changed by somebody else meanwhile: {now}", fix=f"see: mayfly tools log {row.name}"
    )


def _write(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.newest = int(payload["version"])
    _serve(row, event, payload)


def _serve(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.version, row.state = int(payload["version"]), "serving"
    row.changed, row.used = event.id, event.at


def _delete(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.version, row.state, row.changed = 0, "deleted", event.id


def _retire(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.state, row.changed = "retired", event.id


def _count(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.calls += 1
    row.failures += payload.get("status") != "ok"
    row.used = event.at


Fold = Callable[[ToolRow, StoredEvent, Mapping[str, Any]], None]
_WRITTEN = "tool.written"
_FOLDS: dict[str, Fold] = {
    _WRITTEN: _write,
    "tool.served": _serve,
    "tool.deleted": _delete,
    "tool.retired": _retire,
    "tool.returned": _count,
}
# Those that say which version serves, and therefore which one served before.
_CHANGES = frozenset(_FOLDS) - {"tool.returned"}
