"""Read Java logs line by line: exceptions, and among them those that say memory ran out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

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
_ERROR = (
    r"(?P<exception>(?:^|(?<![\w$.])(?:[A-Za-z_$][\w$]*\.)+)[A-Z][\w$]*(?:Exception|Error|Throwable))"
    r"(?![\w$.(<])(?:: *(?P<message>.*))?"
)
_THREAD = 'thread "([^"]*)"'
_BARE = ("Exception", "Error", "Throwable")


def memory_format(lines: Sequence[str]) -> Format:
    """Return the format whose records are the lines that say memory ran out."""
    fields = (
        Field(name="line_number", kind="int"),
        Field(name="thread", role="thread", optional=True),
        Field(name="heap_type", role="category", values=tuple(dict.fromkeys(kind for _, kind in HEAPS))),
        Field(name="message", role="message", optional=True),
        Field(name="allocation_size", kind="int", role="size", unit="B", optional=True),
    )
    fitted = sum(MEMORY in line for line in lines)
    words = frozenset({"java", "log4j", "logback", "stack", "trace", "stacktrace", "log"})
    return Format(
        name="Java log", kind="memory", record="OutOfMemory", fields=fields, fitted=fitted, total=fitted, words=words
    )


def trace_format(lines: Sequence[str]) -> Format:
    """Return the format whose records are the lines that name an exception."""
    import re

    found = [match for line in lines if not _is_frame(line) and (match := re.search(_ERROR, line))]
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
        record="Thrown",
        fields=fields,
        fitted=len(found),
        total=len(found),
        words=words,
    )


def _is_frame(line: str) -> bool:
    return line.lstrip().startswith(("at ", "File "))


def scan(kind: str, number: int, line: str) -> dict[str, object] | None:
    """Read a line by hand, word by word: what tests of generated programs are made with."""
    if kind == "trace" and _is_frame(line):
        return None
    place = _find(line, lambda word: word == MEMORY) if kind == "memory" else _find(line, _is_thrown)
    if place is None:
        return None
    start, end = place
    rest = line[end:]
    message = rest[1:].lstrip(" ") if rest.startswith(":") else None
    thread = line.split('thread "', 1)[1].split('"', 1)[0] if line.count('"') > 1 and 'thread "' in line else None
    found: dict[str, object] = {"line_number": number, "thread": thread, "message": message}
    if kind == "trace":
        return {**found, "exception": line[start:end], "caused": "Caused by: " in line[:start]}
    lowered = (message or "").lower()
    heap = [kind for words, kind in HEAPS if words in lowered]
    return {**found, "heap_type": heap[0] if heap else "unknown", "allocation_size": _bytes(line)}


def _find(line: str, wanted: Callable[[str], bool]) -> tuple[int, int] | None:
    """Return where the first wanted name stands: a run of letters, digits, dollars and, for exceptions, dots."""
    joined = "" if wanted(MEMORY) and not wanted("a.BException") else "."
    at = 0
    while at < len(line):
        end = at
        while end < len(line) and (line[end].isalnum() or line[end] in "_$" + joined):
            end += 1
        if end > at:
            word = line[at:end]
            named = not joined or (("." in word or at == 0) and line[end : end + 1] not in ("(", "<"))
            if wanted(word) and named:
                return at, end
        at = max(end, at + 1)
    return None


def _is_thrown(word: str) -> bool:
    names = word.split(".")
    last = names[-1]
    shaped = all(name and not name[0].isdigit() for name in names)
    return shaped and last[0].isupper() and last not in _BARE and last.endswith(_BARE)


def _bytes(line: str) -> int | None:
    words = line.replace("-", " ").split(" ")
    for number, unit in pairwise(words):
        digits = number[len(number.rstrip("0123456789")) :]
        name = unit[:5] if unit[:5] == "bytes" else unit[:4]
        if digits and len(digits) <= 18 and name in ("byte", "bytes") and not unit[len(name) : len(name) + 1].isalpha():
            return int(digits)
    return None
