"""Write, append, copy, move and delete files of the workspace: whole or not at all, and so that it can be undone."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mayfly.core import Asked, Capability, Effect, InputError, Invocation, LimitError, NotSent
from mayfly.world._paths import inside, read_bytes, root_of
from mayfly.world._schemas import COUNT, DIRECTORY, GOAL, HASH, PATH, Schema, gives, takes
from mayfly.world._steps import ChangeFiles

LARGEST = 4 * 1024 * 1024
# The rules read the content itself up to here, and beyond it the beginning and the hash of the whole.
_SHOWN = 100_000
_CONTENT: Schema = {"description": "a text, or data that is written as JSON"}
# Does one call, and keeps what it changes by the first argument.
Change = Callable[[ChangeFiles, Invocation], object]


def write_capabilities(change: ChangeFiles) -> tuple[Capability, ...]:
    """Return what changes files; *change* judges what would be changed, and keeps it."""
    return tuple(_capability(change, **given) for given in (*_WITH_CONTENT, *_WITHOUT))


def _capability(change: ChangeFiles, *, call: Change, effect: Effect, **more: Any) -> Capability:
    sure = partial(_surely if effect == "once" else _plainly, partial(call, change))
    return Capability(call=sure, effect=effect, grants=("fs:workspace:rw",), judged=True, **_GIVES_FILE | more)


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


def _write(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    return _put(change, call, call.arguments["path"], _content(call), "write")


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


def _is_written(call: Invocation, value: object) -> bool:
    return _has_hash(call, call.arguments["path"], hashlib.sha256(_content(call)).hexdigest(), value)


def _has_hash(call: Invocation, path: str, digest: str, value: object) -> bool:
    there = read_bytes(root_of(call), path, most=max(LARGEST, _size(value)))
    return isinstance(value, Mapping) and value.get("sha256") == digest == hashlib.sha256(there).hexdigest()


def _size(value: object) -> int:
    size: Any = value.get("bytes") if isinstance(value, Mapping) else 0
    return size if isinstance(size, int) else 0


def _append(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    path = call.arguments["path"]
    before = read_bytes(root_of(call), path, most=4 * LARGEST) if _exists(call, path) else b""
    joint = b"\n" if before and not before.endswith(b"\n") else b""
    return _put(change, call, path, before + joint + _content(call), "append to")


def _is_at_end(call: Invocation, value: object) -> bool:
    there = read_bytes(root_of(call), call.arguments["path"], most=8 * LARGEST)
    return there.endswith(_content(call)) and hashlib.sha256(there).hexdigest() == dict(value or {}).get("sha256")  # type: ignore[call-overload]


def _copy(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    path, target = call.arguments["path"], call.arguments["target"]
    content = read_bytes(root_of(call), path, most=16 * LARGEST)
    return _put(change, call, target, content, f"copy {path} to")


def _is_copied(call: Invocation, value: object) -> bool:
    source = read_bytes(root_of(call), call.arguments["path"], most=16 * LARGEST)
    return _has_hash(call, call.arguments["target"], hashlib.sha256(source).hexdigest(), value)


def _move(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    path, target = call.arguments["path"], call.arguments["target"]
    here, there = _file_at(call, path), _file_at(call, target)
    content = read_bytes(root_of(call), path, most=16 * LARGEST)
    if _exists(call, target):
        raise InputError(f"{target} is there already", fix="name another file")
    mode = stat.S_IMODE(os.lstat(os.path.join(root_of(call), here)).st_mode) & 0o777
    change(call, {here: None, there: content}, note=f"move {here} to {there}", modes={there: mode})
    return _written(target, content)


def _is_moved(call: Invocation, value: object) -> bool:
    digest = str(value.get("sha256")) if isinstance(value, Mapping) else ""
    gone = not _exists(call, call.arguments["path"])
    return gone and _has_hash(call, call.arguments["target"], digest, value)


def _delete(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    path = call.arguments["path"]
    where = _file_at(call, path)
    if not _exists(call, path):
        raise InputError(f"{path}: No such file or directory")
    change(call, {where: None}, note=f"delete {where}")
    return {"path": where}


def _make_directory(change: ChangeFiles, call: Invocation) -> dict[str, object]:
    where = inside(root_of(call), call.arguments["path"])
    if where != ".":
        change(call, {f"{where}/": b""}, note=f"make {where}")
    return {"path": where}


_GIVES_FILE = {"output_schema": gives(path=PATH, bytes=COUNT, sha256=HASH)}
_TAKES_CONTENT = {"input_schema": takes("path", "content", path=GOAL, content=_CONTENT)}
_TAKES_TARGET = {
    "input_schema": takes("path", "target", path=PATH, target=GOAL),
    "proves": "the other file, read back, has the hash of the first",
}
_WITH_CONTENT: tuple[dict[str, Any], ...] = (
    {
        "name": "write_file",
        "summary": "Write a text, or data as JSON, to one file, replacing what was there.",
        "effect": "idempotent",
        "does": (("write", "content"), ("write", "number"), ("write", "item")),
        "call": _write,
        "asks": lambda call: (Asked("file_write", call.arguments["path"], _payload(call)),),
        "check": _is_written,
        "proves": "the file, read back, has the hash of what was to be written",
        **_TAKES_CONTENT,
    },
    {
        "name": "append_file",
        "summary": "Add a text, or data as JSON, to the end of one file, on a line of its own.",
        # A second time would add it a second time, and nobody could tell.
        "effect": "once",
        "does": (("append", "content"), ("append", "number"), ("append", "item")),
        "call": _append,
        "asks": lambda call: (Asked("file_append", call.arguments["path"], _payload(call)),),
        "check": _is_at_end,
        "proves": "the file, read back, ends with what was to be added",
        **_TAKES_CONTENT,
    },
)
_WITHOUT: tuple[dict[str, Any], ...] = (
    {
        "name": "copy_file",
        "summary": "Copy one file to another path.",
        "effect": "idempotent",
        "does": (("copy", "file"),),
        "call": _copy,
        "asks": partial(_asks_for_both, "file_copy"),
        "check": _is_copied,
        **_TAKES_TARGET,
    },
    {
        "name": "move_file",
        "summary": "Move or rename one file.",
        "effect": "once",
        "does": (("move", "file"),),
        "call": _move,
        "asks": partial(_asks_for_both, "file_move"),
        "check": _is_moved,
        **_TAKES_TARGET,
    },
    {
        "name": "delete_file",
        "summary": "Delete one file of the workspace.",
        "input_schema": takes("path", path=PATH),
        "output_schema": gives(path=PATH),
        "effect": "once",
        "does": (("delete", "file"),),
        "call": _delete,
        "asks": lambda call: (Asked("file_delete", call.arguments["path"]),),
        "check": lambda call, _: not _exists(call, call.arguments["path"]),
        "proves": "there is no such file any more",
    },
    {
        "name": "make_directory",
        "summary": "Make a directory of the workspace, with those above it.",
        "input_schema": takes("path", path=DIRECTORY),
        "output_schema": gives(path=DIRECTORY),
        "effect": "idempotent",
        "does": (("make", "directory"),),
        "call": _make_directory,
        "asks": lambda call: (Asked("file_write", call.arguments["path"]),),
        "check": lambda call, _: os.path.isdir(os.path.join(root_of(call), call.arguments["path"])),
        "proves": "there is such a directory",
    },
)
