"""Write, append, copy, move and delete files of the workspace: whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from mayfly.core import Asked, Capability, Effect, InputError, Invocation, LimitError, NotSent
from mayfly.world._paths import read_bytes, root_of
from mayfly.world._replace import exists, make_directory, open_parent, put_file, remove_file
from mayfly.world._schemas import COUNT, DIRECTORY, GOAL, HASH, PATH, Schema, gives, takes

LARGEST = 4 * 1024 * 1024
# The rules read the content itself up to here, and beyond it the beginning and the hash of the whole.
_SHOWN = 100_000
_CONTENT: Schema = {"description": "a text, or data that is written as JSON"}
_WRITTEN = gives(path=PATH, bytes=COUNT, sha256=HASH)
_GRANTS = ("fs:workspace:rw",)
_READ_BACK = "the file, read back, has the hash of what was to be written"


def write_capabilities() -> tuple[Capability, ...]:
    """Return what changes files."""
    return (
        Capability(
            name="write_file",
            summary="Write a text, or data as JSON, to one file, replacing what was there.",
            input_schema=takes("path", "content", path=GOAL, content=_CONTENT),
            output_schema=_WRITTEN,
            effect="idempotent",
            does=(("write", "content"), ("write", "number"), ("write", "item")),
            grants=_GRANTS,
            call=_write,
            asks=lambda call: (Asked("file_write", call.arguments["path"], _payload(call)),),
            check=_is_written,
            proves=_READ_BACK,
        ),
        Capability(
            name="append_file",
            summary="Add a text, or data as JSON, to the end of one file, on a line of its own.",
            input_schema=takes("path", "content", path=GOAL, content=_CONTENT),
            output_schema=_WRITTEN,
            # A second time would add it a second time, and nobody could tell.
            effect="once",
            does=(("append", "content"), ("append", "number"), ("append", "item")),
            grants=_GRANTS,
            call=_surely(_append),
            asks=lambda call: (Asked("file_append", call.arguments["path"], _payload(call)),),
            check=_is_at_end,
            proves="the file, read back, ends with what was to be added",
        ),
        _moving("copy_file", "Copy one file to another path.", "copy", "file_copy", "idempotent", _copy, _is_copied),
        _moving("move_file", "Move or rename one file.", "move", "file_move", "once", _surely(_move), _is_moved),
        Capability(
            name="delete_file",
            summary="Delete one file of the workspace.",
            input_schema=takes("path", path=PATH),
            output_schema=gives(path=PATH),
            effect="once",
            does=(("delete", "file"),),
            grants=_GRANTS,
            call=_surely(_delete),
            asks=lambda call: (Asked("file_delete", call.arguments["path"]),),
            check=lambda call, _: not exists(root_of(call), call.arguments["path"]),
            proves="there is no such file any more",
        ),
        Capability(
            name="make_directory",
            summary="Make a directory of the workspace, with those above it.",
            input_schema=takes("path", path=DIRECTORY),
            output_schema=gives(path=DIRECTORY),
            effect="idempotent",
            does=(("make", "directory"),),
            grants=_GRANTS,
            call=lambda call: {"path": make_directory(root_of(call), call.arguments["path"])},
            asks=lambda call: (Asked("file_write", call.arguments["path"]),),
            check=lambda call, _: os.path.isdir(os.path.join(root_of(call), call.arguments["path"])),
            proves="there is such a directory",
        ),
    )


def _moving(
    name: str,
    summary: str,
    verb: str,
    action: str,
    effect: Effect,
    call: Callable[[Invocation], object],
    check: Callable[[Invocation, object], bool],
) -> Capability:
    return Capability(
        name=name,
        summary=summary,
        input_schema=takes("path", "target", path=PATH, target=GOAL),
        output_schema=_WRITTEN,
        effect=effect,
        does=((verb, "file"),),
        grants=_GRANTS,
        call=call,
        asks=lambda call: (
            Asked("file_read", call.arguments["path"]),
            Asked(action, call.arguments["path"], json.dumps({"destination": call.arguments["target"]})),
        ),
        check=check,
        proves="the other file, read back, has the hash of the first",
    )


def _surely(call: Callable[[Invocation], object]) -> Callable[[Invocation], object]:
    """Say of what fails that nothing happened: files are changed in one last step that either is done or not."""

    def sure(invocation: Invocation) -> object:
        try:
            return call(invocation)
        except (InputError, LimitError) as error:
            raise NotSent(str(error)) from None

    return sure


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
        return text
    digest = hashlib.sha256(content).hexdigest()
    return json.dumps({"content": text[:_SHOWN], "bytes": len(content), "sha256": digest})


def _write(call: Invocation) -> dict[str, object]:
    return _put(call, call.arguments["path"], _content(call))


def _put(call: Invocation, path: str, content: bytes) -> dict[str, object]:
    where = put_file(root_of(call), path, content)
    return {"path": where, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _is_written(call: Invocation, value: object) -> bool:
    return _has_hash(call, call.arguments["path"], hashlib.sha256(_content(call)).hexdigest(), value)


def _has_hash(call: Invocation, path: str, digest: str, value: object) -> bool:
    there = read_bytes(root_of(call), path, most=max(LARGEST, _size(value)))
    return isinstance(value, Mapping) and value.get("sha256") == digest == hashlib.sha256(there).hexdigest()


def _size(value: object) -> int:
    size: Any = value.get("bytes") if isinstance(value, Mapping) else 0
    return size if isinstance(size, int) else 0


def _append(call: Invocation) -> dict[str, object]:
    path, root = call.arguments["path"], root_of(call)
    before = read_bytes(root, path, most=4 * LARGEST) if exists(root, path) else b""
    joint = b"\n" if before and not before.endswith(b"\n") else b""
    return _put(call, path, before + joint + _content(call))


def _is_at_end(call: Invocation, value: object) -> bool:
    there = read_bytes(root_of(call), call.arguments["path"], most=8 * LARGEST)
    return there.endswith(_content(call)) and hashlib.sha256(there).hexdigest() == dict(value or {}).get("sha256")  # type: ignore[call-overload]


def _copy(call: Invocation) -> dict[str, object]:
    content = read_bytes(root_of(call), call.arguments["path"], most=16 * LARGEST)
    return _put(call, call.arguments["target"], content)


def _is_copied(call: Invocation, value: object) -> bool:
    source = read_bytes(root_of(call), call.arguments["path"], most=16 * LARGEST)
    return _has_hash(call, call.arguments["target"], hashlib.sha256(source).hexdigest(), value)


def _move(call: Invocation) -> dict[str, object]:
    root, path, target = root_of(call), call.arguments["path"], call.arguments["target"]
    content = read_bytes(root, path, most=16 * LARGEST)
    if exists(root, target):
        raise InputError(f"{target} is there already", fix="name another file")
    with open_parent(root, path) as (here, name), open_parent(root, target, make=True) as (there, other):
        try:
            os.rename(name, other, src_dir_fd=here, dst_dir_fd=there)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
    return {"path": target, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _is_moved(call: Invocation, value: object) -> bool:
    digest = str(value.get("sha256")) if isinstance(value, Mapping) else ""
    gone = not exists(root_of(call), call.arguments["path"])
    return gone and _has_hash(call, call.arguments["target"], digest, value)


def _delete(call: Invocation) -> dict[str, object]:
    return {"path": remove_file(root_of(call), call.arguments["path"])}
