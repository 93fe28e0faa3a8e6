"""Read Java logs line by line: exceptions, and among them those that say memory ran out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mayfly.synthesis.records import _kinds
from mayfly.synthesis.records._model import Field, Format

MEMORY = "OutOfMemoryError"
HEAPS = (
    ("java heap space", "heap"),
    ("metaspace", "metaspace"),
    ("compressed class space", "compressed class space"),
    ("permgen", "permgen"),
    ("gc overhead", "gc overhead"),
    ("native thread", "native thread"),
    ("direct buffer", "direct buffer"),
    ("array size", "array size"),
    ("swap", "swap"),
    ("heap", "heap"),
)
_MESSAGE = r"(?:: *(?P<message>.*))?"
_OUT_OF_MEMORY = re.compile(rf"(?<![\w$]){MEMORY}(?![\w$]){_MESSAGE}")
# A name with its package, or one that the line begins with; what is called or has a type in it is no exception.
_THROWN = re.compile(
    r"(?P<exception>(?:^|(?<![\w$.])(?:[A-Za-z_$][\w$]*\.)+)[A-Z][\w$]*(?:Exception|Error|Throwable))(?![\w$.(<])"
    + _MESSAGE
)
_THREAD = re.compile(r'thread "([^"]*)"')
_BYTES = re.compile(r"(?<![0-9])([0-9]{1,18})[ -]bytes?(?![^\W\d_])")


def memory_format(lines: Sequence[str]) -> Format:
    """Return the format whose records are the lines that say memory ran out."""
    fields = (
        Field(name="line_number", kind="int"),
        Field(name="thread", role="thread", optional=True),
        Field(name="heap_type", role="category", values=tuple(dict.fromkeys(kind for _, kind in HEAPS))),
        Field(name="message", role="message", optional=True),
        Field(name="allocation_size", kind="int", role="size", unit="B", optional=True),
    )
    words = frozenset({"java", "log4j", "logback", "stack", "trace", "stacktrace", "log"})
    fitted = sum(MEMORY in line for line in lines)
    return Format(name="Java log", kind="memory", fields=fields, fitted=fitted, words=words)


def trace_format(lines: Sequence[str]) -> Format:
    """Return the format whose records are the lines that name an exception."""
    found = [match for line in lines if not _is_frame(line) and (match := _THROWN.search(line))]
    exceptions = _kinds.describe("exception", [match["exception"] for match in found])
    fields = (
        Field(name="line_number", kind="int"),
        Field(name="thread", role="thread", optional=True),
        Field(name="exception", role="exception", values=exceptions.values),
        Field(name="message", role="message", optional=True),
        Field(name="caused", kind="bool"),
    )
    words = frozenset({"java", "log4j", "logback", "stack", "trace", "stacktrace", "log", "python"})
    return Format(
        name="stack traces",
        kind="trace",
        fields=fields,
        fitted=len(found),
        words=words,
    )


def _is_frame(line: str) -> bool:
    return line.lstrip().startswith(("at ", "File "))


def row_of(kind: str, number: int, line: str) -> dict[str, object] | None:
    """Return the row that a line makes; None where it names nothing of the kind."""
    found = _OUT_OF_MEMORY.search(line) if kind == "memory" else None if _is_frame(line) else _THROWN.search(line)
    if found is None:
        return None
    thread, message = _THREAD.search(line), found["message"]
    row: dict[str, object] = {"line_number": number, "thread": thread and thread[1], "message": message}
    if kind == "trace":
        return {**row, "exception": found["exception"], "caused": "Caused by: " in line[: found.start()]}
    lowered = (message or "").lower()
    heap = next((kind for words, kind in HEAPS if words in lowered), "unknown")
    size = _BYTES.search(line)
    return {**row, "heap_type": heap, "allocation_size": size and int(size[1])}
