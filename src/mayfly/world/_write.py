"""Write, append, copy, move and delete files of the workspace: whole or not at all, and so that it can be undone."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mayfly.core import Asked, Capability, InputError, Invocation, LimitError, NotSent, replace
from mayfly.world._declare import COUNT, DIRECTORY, GOAL, HASH, PATH, Schema, gives, takes, tool
from mayfly.world._paths import inside, read_bytes, root_of
from mayfly.world._steps import ChangeFiles

LARGEST = 4 * 1024 * 1024
# The rules read the content itself up to here, and beyond it the beginning and the hash of the whole.
_SHOWN = 100_000
_CONTENT: Schema = {"description": "a text, or data that is written as JSON"}


def write_capabilities(change: ChangeFiles) -> tuple[Capability, ...]:
    """Return what changes files; *change* judges what would be changed, and keeps it."""
    tools = (write_file, append_file, copy_file, move_file, delete_file, make_directory)
    return tuple(_guarded(one.bound(change)) for one in tools)


def _guarded(one: Capability) -> Capability:
    return replace(one, call=partial(_surely if one.effect == "once" else _plainly, one.call))


def _asks_for_both(action: str, call: Invocation) -> tuple[Asked, ...]:
    path, target = call.arguments["path"], call.arguments["target"]
    return Asked("file_read", path), Asked(action, path, json.dumps({"destination": target}))


def _surely(call: Callable[[Invocation], object], invocation: Invocation) -> object:
    """Say of what fails that nothing happened: files are changed in one last step that either is done or not."""
    try:
        return _plainly(call, invocation)
    except (InputError, LimitError) as error:
        raise NotSent(str(error)) from None


def _plainly(call: Callable[[Invocation], object], invocation: Invocation) -> object:
    try:
        return call(invocation)
    except OSError as error:
        raise InputError(f"{invocation.arguments['path']}: {error.strerror}") from None


def _content(call: Invocation) -> bytes:
    content = call.arguments["content"]
    if not isinstance(content, str):
        content = _as_json(content)
    try:
        encoded = content.encode()
    except UnicodeEncodeError:
        raise InputError("content is not text: it holds half of a character") from None
    if len(encoded) > LARGEST:
        raise LimitError("bytes to write", used=len(encoded), limit=LARGEST)
    return encoded


def _as_json(content: object) -> str:
    try:
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError, RecursionError):
        raise InputError("the content is neither text nor data that can be written as JSON") from None


def _payload(call: Invocation) -> str:
    content = _content(call)
    text = content.decode()
    if len(text) <= _SHOWN:
        # An object would be read as what the action is told, and refused for the names in it.
        return json.dumps({"content": text}, ensure_ascii=False) if text.lstrip().startswith("{") else text
    digest = hashlib.sha256(content).hexdigest()
    return json.dumps({"content": text[:_SHOWN], "bytes": len(content), "sha256": digest})


def _put(change: ChangeFiles, call: Invocation, path: str, content: bytes, verb: str) -> dict[str, object]:
    where = _file_at(call, path)
    change(call, {where: content}, note=f"{verb} {where}")
    return _written(where, content)


def _written(path: str, content: bytes) -> dict[str, object]:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _file_at(call: Invocation, path: str) -> str:
    """Return where *path* leads, from the workspace; only a regular file is replaced or removed."""
    root = root_of(call)
    where = inside(root, path)
    if where == "." or path.endswith("/"):
        raise InputError(f"{path} is a directory", fix="name a file")
    if _exists(call, path) and not stat.S_ISREG(os.lstat(os.path.join(root, where)).st_mode):
        raise InputError(f"{path} is not a regular file, so it is not replaced")
    return where


def _exists(call: Invocation, path: str) -> bool:
    root = root_of(call)
    return os.path.lexists(os.path.join(root, inside(root, path)))


def _has_hash(call: Invocation, name: str, digest: str, value: object) -> bool:
    """Whether the file that the argument *name* names has a hash, and the value says so."""
    there = read_bytes(root_of(call), call.arguments[name], most=max(LARGEST, _size(value)))
    return isinstance(value, Mapping) and value.get("sha256") == digest == hashlib.sha256(there).hexdigest()


def _size(value: object) -> int:
    size: Any = value.get("bytes") if isinstance(value, Mapping) else 0
    return size if isinstance(size, int) else 0


def _is_at_end(_: ChangeFiles, call: Invocation, value: object) -> bool:
    there = read_bytes(root_of(call), call.arguments["path"], most=8 * LARGEST)
    return there.endswith(_content(call)) and hashlib.sha256(there).hexdigest() == dict(value or {}).get("sha256")  # type: ignore[call-overload]


def _is_copied(_: ChangeFiles, call: Invocation, value: object) -> bool:
    source = read_bytes(root_of(call), call.arguments["path"], most=16 * LARGEST)
    return _has_hash(call, "target", hashlib.sha256(source).hexdigest(), value)


def _is_moved(_: ChangeFiles, call: Invocation, value: object) -> bool:
    digest = str(value.get("sha256")) if isinstance(value, Mapping) else ""
    gone = not _exists(call, call.arguments["path"])
    return gone and _has_hash(call, "target", digest, value)


changer = partial(
    tool, grants=("fs:workspace:rw",), judged=True, output_schema=gives(path=PATH, bytes=COUNT, sha256=HASH)
)
_TAKES_CONTENT = takes("path", "content", path=GOAL, content=_CONTENT)
_TAKES_TARGET = takes("path", "target", path=PATH, target=GOAL)
_SAME_HASH = "the other file, read back, has the hash of the first"


@changer(
    _TAKES_CONTENT,
    effect="idempotent",
    does="write content, write number, write item",
    asks=lambda call: (Asked("file_write", call.arguments["path"], _payload(call)),),
    check=lambda _, call, value: _has_hash(call, "path", hashlib.sha256(_content(call)).hexdigest(), value),
    proves="the file, read back, has the hash of what was to be written",
)
def write_file(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Write a text, or data as JSON, to one file, replacing what was there."""
    return _put(change, call, call.arguments["path"], _content(call), "write")


@changer(
    _TAKES_CONTENT,
    # A second time would add it a second time, and nobody could tell.
    effect="once",
    does="append content, append number, append item",
    asks=lambda call: (Asked("file_append", call.arguments["path"], _payload(call)),),
    check=_is_at_end,
    proves="the file, read back, ends with what was to be added",
)
def append_file(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Add a text, or data as JSON, to the end of one file, on a line of its own."""
    path = call.arguments["path"]
    before = read_bytes(root_of(call), path, most=4 * LARGEST) if _exists(call, path) else b""
    joint = b"\n" if before and not before.endswith(b"\n") else b""
    return _put(change, call, path, before + joint + _content(call), "append to")


@changer(
    _TAKES_TARGET,
    effect="idempotent",
    does="copy file",
    asks=partial(_asks_for_both, "file_copy"),
    check=_is_copied,
    proves=_SAME_HASH,
)
def copy_file(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Copy one file to another path."""
    path, target = call.arguments["path"], call.arguments["target"]
    content = read_bytes(root_of(call), path, most=16 * LARGEST)
    return _put(change, call, target, content, f"copy {path} to")


@changer(
    _TAKES_TARGET,
    effect="once",
    does="move file",
    asks=partial(_asks_for_both, "file_move"),
    check=_is_moved,
    proves=_SAME_HASH,
)
def move_file(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Move or rename one file."""
    path, target = call.arguments["path"], call.arguments["target"]
    here, there = _file_at(call, path), _file_at(call, target)
    content = read_bytes(root_of(call), path, most=16 * LARGEST)
    if _exists(call, target):
        raise InputError(f"{target} is there already", fix="name another file")
    mode = stat.S_IMODE(os.lstat(os.path.join(root_of(call), here)).st_mode) & 0o777
    change(call, {here: None, there: content}, note=f"move {here} to {there}", modes={there: mode})
    return _written(target, content)


@changer(
    takes("path", path=PATH),
    output_schema=gives(path=PATH),
    effect="once",
    does="delete file",
    asks="path",
    action="file_delete",
    check=lambda _, call, value: not _exists(call, call.arguments["path"]),
    proves="there is no such file any more",
)
def delete_file(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Delete one file of the workspace."""
    path = call.arguments["path"]
    where = _file_at(call, path)
    if not _exists(call, path):
        raise InputError(f"{path}: No such file or directory")
    change(call, {where: None}, note=f"delete {where}")
    return {"path": where}


@changer(
    takes("path", path=DIRECTORY),
    output_schema=gives(path=DIRECTORY),
    effect="idempotent",
    does="make directory",
    asks="path",
    action="file_write",
    check=lambda _, call, value: os.path.isdir(os.path.join(root_of(call), call.arguments["path"])),
    proves="there is such a directory",
)
def make_directory(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    """Make a directory of the workspace, with those above it."""
    where = inside(root_of(call), call.arguments["path"])
    if where != ".":
        change(call, {f"{where}/": b""}, note=f"make {where}")
    return {"path": where}
