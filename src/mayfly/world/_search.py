"""Search the lines of files, by a plain text on the host or by a regular expression behind the wall."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple, TypedDict

from mayfly.core import (
    InputError,
    Invocation,
    LimitError,
    MachineError,
    SandboxSettings,
    secret_path,
)
from mayfly.sandbox import Sandbox, Ticket
from mayfly.world._declare import DIRECTORY, FLAG, GLOB, takes, tool
from mayfly.world._paths import Glob, inside, read_bytes, root_of, walk

MOST_HITS = 5_000
LARGEST_FILE = 8 * 1024 * 1024
LARGEST_TOTAL = 256 * 1024 * 1024
LONGEST_LINE = 1_000
# A regular expression may need exponential time, which nothing can stop within this process.
_SECONDS = 10.0
_BATCH = 2 * 1024 * 1024


class LineHit(TypedDict):
    """One line that fits, cut where it is very long."""

    path: str
    line: int
    text: str


class _Wanted(NamedTuple):
    text: str
    path: str
    glob: Glob | None
    regex: bool
    ignore_case: bool
    hidden: bool


Line = tuple[str, int, str]


def _wanted(call: Invocation) -> _Wanted:
    """Read the arguments; a directory outside of the workspace is refused here too."""
    told = call.arguments
    glob = Glob(told["pattern"]) if told.get("pattern") else None
    flags = (bool(told.get(name)) for name in ("regex", "ignore_case", "hidden"))
    return _Wanted(told["text"], inside(root_of(call), told.get("path", ".")), glob, *flags)


def _files(call: Invocation, wanted: _Wanted) -> Iterator[str]:
    """Yield the files to look into: not those with secrets, nor those larger than a text is."""
    root, total = root_of(call), 0
    try:
        below = [entry for entry in walk(root, wanted.path, hidden=wanted.hidden) if entry.kind == "file"]
    except InputError:
        # One file may be named as well as a directory.
        read_bytes(root, wanted.path, most=LARGEST_FILE)
        yield wanted.path
        return
    for entry in below:
        relative = entry.path if wanted.path == "." else entry.path.removeprefix(f"{wanted.path}/")
        if (
            entry.size > LARGEST_FILE
            or secret_path(entry.path)
            or not (wanted.glob is None or wanted.glob.fits(relative))
        ):
            continue
        total += entry.size
        if total > LARGEST_TOTAL:
            raise LimitError("bytes to search", used=total, limit=LARGEST_TOTAL, fix="name a smaller directory")
        yield entry.path


def _lines(call: Invocation, path: str) -> Iterator[Line]:
    """Yield the lines of a text file with their numbers; one that is no text, or gone, has none."""
    text = _text(call, path)
    for number, line in enumerate(text.split("\n"), 1):
        yield path, number, line.removesuffix("\r")


def _text(call: Invocation, path: str) -> str:
    try:
        content = read_bytes(root_of(call), path, most=LARGEST_FILE)
    except (InputError, LimitError):
        return ""
    return "" if b"\0" in content[:8192] else content.decode(errors="replace")


def _selected(settings: SandboxSettings, wanted: _Wanted, lines: Iterator[Line], call: Invocation) -> Iterator[Line]:
    if wanted.regex:
        yield from _by_regex(settings, wanted, lines, call)
        return
    text = wanted.text.casefold() if wanted.ignore_case else wanted.text
    for line in lines:
        if text in (line[2].casefold() if wanted.ignore_case else line[2]):
            yield line


def _by_regex(settings: SandboxSettings, wanted: _Wanted, lines: Iterator[Line], call: Invocation) -> Iterator[Line]:
    source = files(__package__).joinpath("match_lines.py").read_text(encoding="utf-8")
    ticket = Ticket()
    with Sandbox(settings) as sandbox, call.stop.ending(ticket.cancel):
        for batch in _batches(lines):
            argument = {"regex": wanted.text, "ignore_case": wanted.ignore_case, "lines": [line[2] for line in batch]}
            ran = sandbox.run(source, "match_lines", argument, timeout=min(_SECONDS, settings.timeout), ticket=ticket)
            if ran.status == "refused":
                raise MachineError(ran.error or "this machine gives no sandbox")
            if not ran.ok or not isinstance(ran.value, list):
                raise InputError(f"the regular expression {wanted.text[:80]!r} fails: {ran.error}")
            yield from (batch[place] for place in ran.value if isinstance(place, int) and 0 <= place < len(batch))


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    batch, size = list[Line](), 0
    for line in lines:
        batch.append((line[0], line[1], line[2][:100_000]))
        size += len(line[2]) + 8
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _still_there(settings: SandboxSettings, call: Invocation, value: object) -> bool:
    """Look again: each hit by its line number, each file without one as a whole."""
    if not isinstance(value, list) or not all(isinstance(hit, dict) and hit.keys() == _KEYS for hit in value):
        return False
    wanted, by_path = _wanted(call), dict[str, list[LineHit]]()
    for hit in value:
        by_path.setdefault(str(hit["path"]), []).append(hit)
    standing = [line for path, hits in by_path.items() for line in _standing(call, path, hits)]
    if len(standing) != len(value) or len(list(_selected(settings, wanted, iter(standing), call))) != len(value):
        return False
    if wanted.regex or wanted.ignore_case:
        return True
    return not any(wanted.text in _text(call, path) for path in _files(call, wanted) if path not in by_path)


_KEYS = LineHit.__annotations__.keys()


def _standing(call: Invocation, path: str, hits: list[LineHit]) -> Iterator[Line]:
    lines = _text(call, path).split("\n")
    for hit in hits:
        number = hit["line"]
        if type(number) is int and 0 < number <= len(lines):
            line = lines[number - 1].removesuffix("\r")
            if line[:LONGEST_LINE] == hit["text"]:
                yield path, number, line


@tool(
    takes(
        "text",
        text={
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "pattern": "\\A[^\\n]*\\Z",
            "format": "phrase",
        },
        path={**DIRECTORY, "format": "place", "description": "a file or a directory", "default": "."},
        pattern=GLOB,
        regex=FLAG,
        ignore_case=FLAG,
        hidden=FLAG,
    ),
    output_schema={"type": "array", "items": {"type": "object", "required": ["path", "line", "text"]}},
    does="search line, search text, search file, search directory, find line, find text",
    grants=("fs:workspace",),
    asks="path",
    action="search_files",
    check=_still_there,
    proves="every line stands where it was found and fits, and no file without a hit holds the text",
)
def search_lines(settings: SandboxSettings, call: Invocation) -> list[LineHit]:
    """Search the lines of a file, or of all files below a directory, by a text or a regular expression."""
    wanted, found = _wanted(call), list[LineHit]()
    lines = (line for path in _files(call, wanted) for line in _lines(call, path))
    for path, number, text in _selected(settings, wanted, lines, call):
        found.append(LineHit(path=path, line=number, text=text[:LONGEST_LINE]))
        if len(found) > MOST_HITS:
            raise LimitError("lines found", used=len(found), limit=MOST_HITS, fix="name a smaller directory")
    return found
