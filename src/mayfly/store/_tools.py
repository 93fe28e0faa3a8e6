"""How each tool of the library stands, every version there was, and the words it is found by, as events tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mayfly.core import ConflictError, canonical_json
from mayfly.store._projection import Projection, subject_key
from mayfly.store._rows import StoredEvent

# What the subject of every event about a tool begins with: a tool may be called like anything else there is.
SUBJECT = "tool:"


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


@dataclass(kw_only=True, slots=True)
class ToolVersionRow:
    """One version: the blobs of source, tests and card, the size of the source, and what is listed without opening it.

    *shape* is the same for tools with the same types, *head* is JSON, *seal* is made by whoever wrote it.
    """

    name: str
    version: int
    event: int = 0
    at: str = ""
    source: str = ""
    tests: str = ""
    card: str = ""
    size: int = 0
    shape: str = ""
    head: str = ""
    seal: str = ""


@dataclass(kw_only=True, slots=True)
class ToolWordRow:
    """One word by which a version is found."""

    word: str
    name: str
    version: int


def _check_turn(row: ToolRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
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


def _fill_version(row: ToolVersionRow, event: StoredEvent, payload: Mapping[str, Any]) -> None:
    row.event, row.at = event.id, event.at
    for name in ("source", "tests", "card"):
        setattr(row, name, str(payload[f"{name}_blob"]))
    row.size, row.shape = int(payload["size"]), str(payload["shape"])
    row.head, row.seal = canonical_json(payload["head"]), str(payload["seal"])


def _words_in(subject: str, payload: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    for word in sorted({str(word) for word in payload["words"]}):
        yield word, subject.removeprefix(SUBJECT), int(payload["version"])


_WRITTEN = "tool.written"
# Those that say which version serves, and therefore which one served before.
_CHANGES = (_WRITTEN, "tool.served", "tool.deleted", "tool.retired")
TOOLS = Projection(
    table="mayfly_tools",
    label="tool {0}",
    row=ToolRow,
    key=("name",),
    keys_of=subject_key(SUBJECT),
    check=_check_turn,
    folds={
        _WRITTEN: _write,
        "tool.served": _serve,
        "tool.deleted": _delete,
        "tool.retired": _retire,
        "tool.returned": _count,
    },
)
TOOL_VERSIONS = Projection(
    table="mayfly_tool_versions",
    label="version {1} of tool {0}",
    row=ToolVersionRow,
    key=("name", "version"),
    keys_of=lambda subject, payload: [(subject.removeprefix(SUBJECT), int(payload["version"]))],
    folds={_WRITTEN: _fill_version},
    once=True,
)
TOOL_WORDS = Projection(
    table="mayfly_tool_words",
    label="word {0!r} of tool {1}",
    row=ToolWordRow,
    key=("word", "name", "version"),
    keys_of=_words_in,
    folds={_WRITTEN: lambda row, event, payload: None},
    once=True,
)
