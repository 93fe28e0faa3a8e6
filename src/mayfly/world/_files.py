"""Files: read, list, search, write and edit, all of it on the workbench."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mayfly.core import Asked, Capability, InputError, Invocation
from mayfly.world._declare import NUMBER, PLACE, TEXT, listed, said, takes, tool
from mayfly.world._patch import apply_patch
from mayfly.world._room import Room, ToolResult

# Lines of one reading where no end is said.
_LINES = 2000
# What one reading gives at most, in whole lines; of that the model sees both ends and reads on with output_read.
_MOST_READ = 16_000_000
_NO_TEXT = re.compile("[\ud800-\udfff]")
_EMPTY = "[the file is empty]"
_MATCHES = 200
_ENTRIES = 1000
_EDIT = takes(
    "old",
    "new",
    old=said(TEXT, "the text to replace, exactly as it stands", minLength=1),
    new=said(TEXT, "what stands there instead"),
    all={"type": "boolean", "description": "replace every place; else there must be exactly one"},
)


def file_tools(room: Room) -> tuple[Capability, ...]:
    """Return the tools for files of *room*."""
    return tuple(one.bound(room) for one in (file_read, file_list, file_search, file_write, file_edit, file_delete))


def _writing(call: Invocation, path: str) -> Asked:
    content = call.arguments.get("content") or call.arguments.get("patch") or ""
    return Asked("file_write", path, json.dumps({"path": path, "content": content}) if content else "")


def text_of(room: Room, path: str) -> str:
    """Return a file as text from which `bytes_of` makes the same bytes; one that is no text is an `InputError`."""
    data = room.read(path)
    if b"\0" in data[:8192]:
        raise InputError(f"{path} is no text: {len(data):,} bytes")
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes of a text that `text_of` gave, also where they are no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


@tool(takes("path", path=PLACE, start=said(NUMBER, "first line"), end=said(NUMBER, "last line")), asks="path")
def file_read(room: Room, call: Invocation) -> str:
    """Read a file of the workspace, whole or some of its lines; lines are numbered."""
    path = call.arguments["path"]
    text = text_of(room, path)
    # At line feeds alone, as editors and git count lines: a form feed or a line separator is part of its line.
    *lines, last = text.split("\n")
    lines += [last] if last else []
    start = call.arguments.get("start", 1)
    end = min(call.arguments.get("end", start + _LINES - 1), len(lines))
    if start > max(1, len(lines)):
        raise InputError(f"{path} has {len(lines)} lines")
    shown, left = list[str](), _MOST_READ
    for number, line in enumerate(lines[start - 1 : end], start):
        if shown and len(line) > left:
            end = number - 1
            break
        shown.append(f"{number:>6}\t{line[:_MOST_READ]}")
        left -= len(line)
    strange = not text.isascii() and _NO_TEXT.search(text) is not None
    notes = list(_notes(lines[start - 1 : end], whole=end == len(lines), ended=not last, strange=strange))
    notes += [f"{len(lines) - end} more lines: read on from start {end + 1}"] if end < len(lines) else []
    given = "\n".join([*shown, *(f"[{note}]" for note in notes)]) if lines else _EMPTY
    return _NO_TEXT.sub("\ufffd", given) if strange else given


def _notes(lines: Sequence[str], *, whole: bool, ended: bool, strange: bool) -> Iterator[str]:
    """Say what the lines as they are shown do not."""
    cut = max(map(len, lines), default=0)
    if cut > _MOST_READ:
        yield f"the line has {cut:,} characters, of which {_MOST_READ:,} are shown: use shell_exec for the rest"
    if strange and (number := sum(len(_NO_TEXT.findall(line)) for line in lines)):
        yield f"{number} bytes that are no UTF-8 are shown as \ufffd; file_edit keeps them where it changes nothing"
    if whole and not ended:
        yield "there is no line feed at the end of the file"


@tool(takes(path=PLACE, depth=said(NUMBER, "how many levels; 2 unless said", maximum=20)), asks="path")
def file_list(room: Room, call: Invocation) -> str:
    """List files and directories below a directory of the workspace."""
    path, depth = call.arguments.get("path", "."), call.arguments.get("depth", 2)
    # .git is git's own; everything else is shown, the directories with a slash.
    found = ["find", ".", "-mindepth", "1", "-maxdepth", str(depth), "-name", ".git", "-prune", "-o"]
    found += ["(", "-type", "d", "-printf", "%P/\\n", "-o", "-printf", "%P\\n", ")"]
    printed = _printed(room, call, found, cwd=path)
    names = sorted(printed.rstrip("\n").split("\n")) if printed else []
    more = f"\n[{len(names) - _ENTRIES} more]" if len(names) > _ENTRIES else ""
    return "\n".join(names[:_ENTRIES]) + more or "[nothing]"


def _printed(
    room: Room, call: Invocation, words: Sequence[str], *, cwd: str = ".", well: tuple[int, ...] = (0,)
) -> str:
    """Return what a program prints that only looks; any other end than one that is *well* is an `InputError`."""
    ran, _ = room.run(words, key=call.key, cwd=cwd, keep=False)
    if ran.code not in well:
        raise InputError(room.secrets.text(ran.output.strip())[:300] or ran.reason)
    return ran.output


@tool(
    takes(
        "pattern",
        pattern=said(TEXT, "an extended regular expression", minLength=1, maxLength=1000),
        path=PLACE,
        glob=said(TEXT, "only files whose name matches, such as *.py"),
        plain={"type": "boolean", "description": "take the pattern as plain text"},
        ignore_case={"type": "boolean"},
    ),
    asks="path",
)
def file_search(room: Room, call: Invocation) -> str:
    """Search file contents for a regular expression; gives path:line:text."""
    given = call.arguments
    path = given.get("path", ".")
    if shutil.which("rg"):
        command = ["rg", "--no-heading", "--line-number", "--color=never", "--sort=path", "--hidden", "-g", "!.git"]
        command += ["-g", given["glob"]] if given.get("glob") else []
    else:
        command = ["grep", "-rnI", "--exclude-dir=.git"]
        command += [f"--include={given['glob']}"] if given.get("glob") else []
        command += [] if given.get("plain") else ["-E"]
    command += ["-F"] if given.get("plain") else []
    command += ["-i"] if given.get("ignore_case") else []
    printed = _printed(room, call, [*command, "-e", given["pattern"], "--", path], well=(0, 1))
    # Hidden before it is cut: half of a secret looks like none.
    found = room.secrets.text(printed.rstrip("\n"))
    lines = [line.removeprefix("./")[:500] for line in found.split("\n")] if found else []
    more = f"\n[{len(lines) - _MATCHES} more: narrow the search]" if len(lines) > _MATCHES else ""
    return "\n".join(lines[:_MATCHES]) + more or "[nothing found]"


@tool(
    takes("path", "content", path=PLACE, content=said(TEXT, "the whole content")),
    asks=lambda call: (_writing(call, call.arguments["path"]),),
    effect="idempotent",
)
def file_write(room: Room, call: Invocation) -> ToolResult:
    """Write a whole file of the workspace, new or in place of what was there."""
    path, content = call.arguments["path"], _said(call.arguments["content"]).encode()
    settled = room.write({path: content}, key=call.key, note=f"write {path}")
    return ToolResult(f"{path}: {len(content)} bytes" if settled.status != "nothing" else f"{path}: as before", settled)


@tool(
    takes("paths", paths=listed(PLACE, "the files")),
    asks=lambda call: tuple(Asked("file_delete", path) for path in call.arguments["paths"]),
    effect="idempotent",
)
def file_delete(room: Room, call: Invocation) -> ToolResult:
    """Delete files of the workspace."""
    paths = call.arguments["paths"]
    settled = room.write(dict.fromkeys(paths), key=call.key, note=f"delete {', '.join(paths)}"[:200])
    return ToolResult("", settled)


@tool(
    takes(
        path=PLACE,
        edits=listed(_EDIT, "replacements, made one after the other; all or none"),
        patch=said(TEXT, "a unified diff, instead of path and edits"),
    ),
    asks_with=lambda room, call: tuple(_writing(call, path) for path in _edits(room, call.arguments)),
    effect="idempotent",
)
def file_edit(room: Room, call: Invocation) -> ToolResult:
    """Change parts of files: exact replacements in one file, or a unified diff over several."""
    files = _edits(room, call.arguments)
    settled = room.write(files, key=call.key, note=f"edit {', '.join(files)}"[:200])
    return ToolResult("" if settled.status != "nothing" else "nothing to change", settled)


def _edits(room: Room, given: Mapping[str, Any]) -> dict[str, bytes | None]:
    """Return every file that is edited with what it becomes."""
    if ("patch" in given) == ("edits" in given) or ("edits" in given) != ("path" in given):
        raise InputError("file_edit takes path and edits, or patch alone")
    if "patch" in given:
        return apply_patch(_said(given["patch"]), lambda path: text_of(room, path))
    text = text_of(room, given["path"])
    for number, edit in enumerate(given["edits"], 1):
        text = _replaced(text, edit, f"{given['path']}, edit {number}")
    return {given["path"]: bytes_of(text)}


def _said(text: str) -> str:
    """Return a text that a model gave; one with half a character is an `InputError`, since no file can hold it."""
    if _NO_TEXT.search(text):
        raise InputError("the text holds half a character (a lone surrogate)", fix="write the whole character")
    return text


def _replaced(text: str, edit: Mapping[str, Any], where: str) -> str:
    old, new = edit["old"], _said(edit["new"])
    # What is written with plain line feeds also means lines that end in CR LF, and they stay what they are.
    mixed = "\r\n" in text and "\r" not in old + new
    pattern = "\r?\n".join(map(re.escape, old.split("\n"))) if mixed else re.escape(old)
    found = list(re.finditer(pattern, text))
    if not found:
        raise InputError(f"{where}: the text to replace is not there{_near(text, old)}")
    if len(found) > 1 and not edit.get("all"):
        # Five are enough to find the right one.
        places = ", ".join(str(text.count("\n", 0, match.start()) + 1) for match in found[:5])
        message = f"{where}: the text stands in {len(found)} places (lines {places})"
        raise InputError(message, fix="say more of it, or all")
    usual = text.count("\r\n") * 2 > text.count("\n")

    def replacement(match: re.Match[str]) -> str:
        ends = "\r\n" in match[0] or ("\n" not in match[0] and usual)
        return new.replace("\n", "\r\n") if mixed and ends else new

    return re.sub(pattern, replacement, text)


def _near(text: str, wanted: str) -> str:
    """Name the line where the text stands but for its blanks, which is what goes wrong most often."""
    first = next((line.strip() for line in wanted.splitlines() if line.strip()), "")
    for number, line in enumerate(text.split("\n"), 1):
        if first and first == line.strip():
            return f"; line {number} is like its first line but for blanks"
    return ""
