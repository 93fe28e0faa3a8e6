"""Write one file of the workspace: whole or not at all, and the same however often."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Mapping

from mayfly.core import UNSET, InputError, LimitError
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import Fields, asked_path, fields_of, said, text_of
from mayfly.library.builtin._paths import inside, read_bytes, root_of

LARGEST = 4 * 1024 * 1024
# The rules read the content itself up to here, and beyond it the beginning and the hash of the whole.
_SHOWN = 100_000
_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 40


def write_builtin() -> Builtin:
    """Return the capability that writes a file."""
    return Builtin(
        name="write_file",
        description="Write a literal text to one file of the workspace, replacing what was there.",
        call=_write,
        effect="idempotent",
        action="file_write",
        target=_target,
        payload=_payload,
        check=_is_written,
        proves="the file, read back, has the hash of what was to be written",
    )


def _given(invocation: Invocation) -> tuple[str, str]:
    """Return path and content: of a record, or of the intent and what flows in."""
    argument = invocation.argument
    fields: Fields
    if isinstance(argument, Mapping) and argument and ({"path", "file", "filename", "file_path"} & set(argument)):
        fields = fields_of(invocation, main="path", others=("content", "text"))
        if "text" in fields and "content" not in fields:
            fields["content"] = fields.pop("text")
    elif argument is None or argument is UNSET:
        fields = {**_path(invocation), **_content(invocation)}
    else:
        fields = {**_path(invocation), "content": argument}
    content = fields.get("content")
    if content is not None and not isinstance(content, str):
        fields["content"] = _as_json(content)
    # The length is measured in bytes below, so that the message speaks of what is written.
    path, text = text_of(fields, "path"), text_of(fields, "content", longest=4 * LARGEST)
    if len(text.encode()) > LARGEST:
        raise LimitError("bytes to write", used=len(text.encode()), limit=LARGEST)
    return path, text


def _path(invocation: Invocation) -> Fields:
    found = asked_path(invocation)
    quoted = {token.text for token in said(invocation) if token.kind == "quoted"}
    return found if found.get("path") not in quoted else {}


def _content(invocation: Invocation) -> Fields:
    quoted = [token.text for token in said(invocation) if token.kind == "quoted"]
    return {"content": quoted[0]} if len(quoted) == 1 else {}


def _as_json(content: object) -> str:
    try:
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError, RecursionError):
        raise InputError("the content is neither text nor data that can be written as JSON") from None


def _target(invocation: Invocation) -> str:
    return _given(invocation)[0]


def _payload(invocation: Invocation) -> str:
    content = _given(invocation)[1]
    if len(content) <= _SHOWN:
        return content
    digest = hashlib.sha256(content.encode()).hexdigest()
    return json.dumps({"content": content[:_SHOWN], "bytes": len(content.encode()), "sha256": digest})


def _write(invocation: Invocation) -> dict[str, object]:
    path, text = _given(invocation)
    root, content = root_of(invocation), text.encode()
    steps = inside(root, path).split(os.sep)
    if steps == ["."] or path.endswith("/"):
        raise InputError(f"{path} is a directory", fix="name a file")
    if len(steps) > _DEEPEST:
        raise LimitError(f"levels of {path}", used=len(steps), limit=_DEEPEST)
    try:
        directory = _made(root, steps[:-1])
        try:
            _replace(directory, steps[-1], content, path)
        finally:
            os.close(directory)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    return {"path": os.sep.join(steps), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _made(root: str, steps: list[str]) -> int:
    """Open a directory of the workspace, made where it is not there, without following links on the way."""
    here = os.open(root, _FLAGS)
    for step in steps:
        try:
            try:
                os.mkdir(step, dir_fd=here)
            except FileExistsError:
                pass
            below = os.open(step, _FLAGS, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _replace(directory: int, name: str, content: bytes, path: str) -> None:
    mode = _mode(directory, name, path)
    held = f".{name[:100]}.{secrets.token_hex(6)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(held, flags, 0o666, dir_fd=directory)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(held, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        os.unlink(held, dir_fd=directory)
        raise
    os.fsync(directory)


def _mode(directory: int, name: str, path: str) -> int | None:
    """Return the mode of the file that is replaced; only a regular file is."""
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is not a regular file, so it is not replaced")
    return stat.S_IMODE(mode)


def _is_written(invocation: Invocation, value: object) -> bool:
    path, text = _given(invocation)
    there = read_bytes(root_of(invocation), path, most=LARGEST)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return isinstance(value, dict) and value.get("sha256") == digest == hashlib.sha256(there).hexdigest()
