"""Read, hash and count: one file of the workspace each."""

from __future__ import annotations

import base64
import binascii
import hashlib
from functools import partial

from mayfly.core import InputError, LimitError
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import asked_path, described, fields_of, text_of
from mayfly.library.builtin._paths import decoded, read_bytes, reading, root_of

_BLOCK = 1024 * 1024
# What is only counted or hashed is read in blocks, so this bounds the time and not the memory.
LARGEST = 4 * 1024 * _BLOCK
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "base64")


def path_of(invocation: Invocation, *others: str) -> str:
    """Return the path that a call is about: what the rules are asked for is what is opened."""
    return text_of(fields_of(invocation, main="path", others=others, asked=asked_path), "path")


def file_builtins(largest: int) -> tuple[Builtin, ...]:
    """Return the capabilities for one file; a file is read whole up to *largest* bytes."""
    return (
        Builtin(
            name="read_file",
            description="Read one text file of the workspace and return its content.",
            call=partial(_read, largest),
            action="file_read",
            target=_read_path,
            check=partial(_same_content, largest),
            proves="the hash of what was read is the hash of the file",
        ),
        Builtin(
            name="hash_file",
            description="Calculate the SHA-256 hash or checksum or digest of one file.",
            call=_hash,
            action="file_read",
            target=path_of,
            check=_same_hash,
            proves="a second reading has the same hash",
        ),
        Builtin(
            name="count_lines",
            description="Count the lines of one text file; a last line without an end counts too.",
            call=_count,
            action="file_read",
            target=path_of,
            check=_same_count,
            proves="counting line by line gives the same number",
        ),
    )


def _read_path(invocation: Invocation) -> str:
    return path_of(invocation, "encoding")


def _encoding(invocation: Invocation) -> str:
    fields = fields_of(invocation, main="path", others=("encoding",), asked=asked_path)
    name = text_of(fields, "encoding", default="utf-8").lower().replace("_", "-")
    name = {"utf8": "utf-8", "latin1": "latin-1", "iso-8859-1": "latin-1", "utf16": "utf-16"}.get(name, name)
    if name not in ENCODINGS:
        raise InputError(f"unknown encoding {name[:40]!r}", fix=f"encodings are {', '.join(ENCODINGS)}")
    return name


def _read(largest: int, invocation: Invocation) -> str:
    path, encoding = _read_path(invocation), _encoding(invocation)
    content = read_bytes(root_of(invocation), path, most=largest)
    if encoding == "base64":
        return base64.b64encode(content).decode()
    if encoding == "utf-8":
        return decoded(content, path)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not {encoding} text: byte {error.start} does not fit") from None


def _same_content(largest: int, invocation: Invocation, value: object) -> bool:
    if not isinstance(value, str):
        return False
    encoding = _encoding(invocation)
    there = read_bytes(root_of(invocation), _read_path(invocation), most=largest)
    if encoding == "utf-16":
        # One text has several forms in it, so the texts are compared.
        return there.decode(encoding) == value
    try:
        read = base64.b64decode(value, validate=True) if encoding == "base64" else value.encode(encoding)
    except (binascii.Error, UnicodeEncodeError):
        return False
    return hashlib.sha256(read).digest() == hashlib.sha256(there).digest()


def _hash(invocation: Invocation) -> str:
    path = path_of(invocation)
    with reading(root_of(invocation), path) as file:
        digest, size = hashlib.sha256(), 0
        while block := file.read(_BLOCK):
            size = _within(size + len(block), path)
            digest.update(block)
    return digest.hexdigest()


def _same_hash(invocation: Invocation, value: object) -> bool:
    # By another way than the call: the library reads the descriptor itself.
    with (
        reading(root_of(invocation), path_of(invocation)) as file,
        open(file.fileno(), "rb", buffering=0, closefd=False) as raw,
    ):
        return hashlib.file_digest(raw, "sha256").hexdigest() == value


def _count(invocation: Invocation) -> int:
    narrowed = described(invocation, "line", "lines")
    if narrowed:
        raise InputError(f"all lines are counted, and the intent wants some only: {' '.join(narrowed)[:80]}")
    path = path_of(invocation)
    count, last, size = 0, b"\n", 0
    with reading(root_of(invocation), path) as file:
        while block := file.read(_BLOCK):
            size = _within(size + len(block), path)
            if b"\0" in block:
                raise InputError(f"{path} is not a text file: it holds null bytes")
            count += block.count(b"\n")
            last = block[-1:]
    return count + (last != b"\n")


def _same_count(invocation: Invocation, value: object) -> bool:
    with reading(root_of(invocation), path_of(invocation)) as file:
        return type(value) is int and sum(1 for _ in file) == value


def _within(size: int, path: str) -> int:
    if size > LARGEST:
        raise LimitError(f"bytes of {path}", used=size, limit=LARGEST)
    return size
