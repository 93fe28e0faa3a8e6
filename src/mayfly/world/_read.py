"""Read, join and hash files of the workspace, and count what a file, a text or a list holds."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterator
from functools import partial

from mayfly.core import Asked, InputError, Invocation, LimitError
from mayfly.world._declare import COUNT, HASH, PATH, PATHS, Declared, takes, takes_file_or_text, tool
from mayfly.world._paths import decoded, read_bytes, read_text, reading, root_of

_BLOCK = 1024 * 1024
# What is only counted or hashed is read in blocks, so this bounds the time and not the memory.
LARGEST = 4 * 1024 * _BLOCK
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "base64")


def asks_for_path(call: Invocation) -> tuple[Asked, ...]:
    """Ask for reading the one file that a call is about; a text that was given needs nobody's leave."""
    return (Asked("file_read", call.arguments["path"]),) if "path" in call.arguments else ()


# Declares a tool that reads the one file it is about, whole up to so many bytes, or works on a text that is given.
reader = partial(tool, grants=("fs:workspace",), asks=asks_for_path)


def asks_for_paths(call: Invocation) -> tuple[Asked, ...]:
    """Ask for reading every one of several files."""
    return tuple(Asked("file_read", path) for path in call.arguments["paths"])


def content_of(call: Invocation, largest: int) -> str:
    """Return the text that a call is about: what was given, or what stands in the file."""
    if "text" in call.arguments:
        return str(call.arguments["text"])
    return read_text(root_of(call), call.arguments["path"], most=largest)


def blocks_of(call: Invocation) -> Iterator[bytes]:
    """Yield what a call is about in blocks, so that a file may be larger than the memory."""
    if "text" in call.arguments:
        yield call.arguments["text"].encode()
        return
    path, size = call.arguments["path"], 0
    with reading(root_of(call), path) as file:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > LARGEST:
                raise LimitError(f"bytes of {path}", used=size, limit=LARGEST)
            yield block


def _encoding(call: Invocation) -> str:
    return str(call.arguments.get("encoding", "utf-8"))


def _same_content(largest: int, call: Invocation, value: object) -> bool:
    if not isinstance(value, str):
        return False
    encoding = _encoding(call)
    there = read_bytes(root_of(call), call.arguments["path"], most=largest)
    if encoding == "utf-16":
        # One text has several forms in it, so the texts are compared.
        return there.decode(encoding) == value
    try:
        read = base64.b64decode(value, validate=True) if encoding == "base64" else value.encode(encoding)
    except (binascii.Error, UnicodeEncodeError):
        return False
    return hashlib.sha256(read).digest() == hashlib.sha256(there).digest()


def _holds_all(largest: int, call: Invocation, value: object) -> bool:
    if not isinstance(value, str):
        return False
    rest = value
    for path in call.arguments["paths"]:
        text = read_text(root_of(call), path, most=largest)
        if not rest.startswith(text):
            rest = rest.removeprefix("\n")
        if not rest.startswith(text):
            return False
        rest = rest[len(text) :]
    return not rest


def _same_hash(_: int, call: Invocation, value: object) -> bool:
    if "text" in call.arguments:
        return hashlib.new("sha256", call.arguments["text"].encode()).hexdigest() == value
    # By another way than the call: the library reads the descriptor itself.
    with (
        reading(root_of(call), call.arguments["path"]) as file,
        open(file.fileno(), "rb", buffering=0, closefd=False) as raw,
    ):
        return hashlib.file_digest(raw, "sha256").hexdigest() == value


@reader(
    takes("path", path=PATH, encoding={"enum": list(ENCODINGS), "default": "utf-8"}),
    output_schema={"type": "string"},
    does="read file, read content",
    check=_same_content,
    proves="the hash of what was read is the hash of the file",
)
def read_file(largest: int, call: Invocation) -> str:
    """Read one text file of the workspace and return its content."""
    path, encoding = call.arguments["path"], _encoding(call)
    content = read_bytes(root_of(call), path, most=largest)
    if encoding == "base64":
        return base64.b64encode(content).decode()
    if encoding == "utf-8":
        return decoded(content, path)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not {encoding} text: byte {error.start} does not fit") from None


@reader(
    takes("paths", paths={**PATHS, "minItems": 2}),
    output_schema={"type": "string"},
    does="join file, join text, merge text",
    asks=asks_for_paths,
    check=_holds_all,
    proves="taking the text of every file from its front in turn leaves nothing",
)
def join_files(largest: int, call: Invocation) -> str:
    """Put the texts of several files one after another, each beginning on a line of its own."""
    found, size = list[str](), 0
    for path in call.arguments["paths"]:
        text = read_text(root_of(call), path, most=largest)
        size += len(text)
        if size > largest:
            raise LimitError("bytes of all files", used=size, limit=largest)
        if found and found[-1] and not found[-1].endswith("\n"):
            found.append("\n")
        found.append(text)
    return "".join(found)


@reader(
    takes_file_or_text(),
    output_schema=HASH,
    does="hash file, hash text, calculate hash, read hash",
    check=_same_hash,
    proves="a second reading has the same hash",
)
def hash_file(_: int, call: Invocation) -> str:
    """Calculate the SHA-256 hash of one file, or of a text."""
    digest = hashlib.sha256()
    for block in blocks_of(call):
        digest.update(block)
    return digest.hexdigest()


def _counter(name: str, one: str, count: Callable[[str], int], recount: Callable[[str], int]) -> Declared:
    def count_in(largest: int, call: Invocation) -> int:
        return count(content_of(call, largest))

    count_in.__doc__ = f"Count the {one}s of one file or of a text."
    return reader(
        takes_file_or_text(),
        name=name,
        output_schema=COUNT,
        does=f"count {one}",
        check=lambda largest, call, value: type(value) is int and recount(content_of(call, largest)) == value,
        proves=f"counting the {one}s in another way gives the same number",
    )(count_in)


@tool(
    takes("items", items={"type": ["array", "object"]}),
    output_schema=COUNT,
    does="count item",
    check=lambda call, value: value == sum(1 for _ in call.arguments["items"]),
    proves="going through them one by one gives the same number",
    quick=True,
    steady=True,
)
def count_items(call: Invocation) -> int:
    """Count the items of a list, or the entries of a record."""
    return len(call.arguments["items"])


def _same_lines(_: int, call: Invocation, value: object) -> bool:
    if "text" in call.arguments:
        lines = call.arguments["text"].split("\n")
        return type(value) is int and value == len(lines) - (lines[-1] == "")
    with reading(root_of(call), call.arguments["path"]) as file:
        return type(value) is int and sum(1 for _ in file) == value


@reader(
    takes_file_or_text(),
    output_schema=COUNT,
    does="count line",
    check=_same_lines,
    proves="counting line by line gives the same number",
)
def count_lines(_: int, call: Invocation) -> int:
    """Count the lines of one file or of a text; a last line without an end counts too."""
    count, last = 0, b"\n"
    for block in blocks_of(call):
        if b"\0" in block:
            raise InputError(f"{call.arguments.get('path', 'the text')} is not a text file: it holds null bytes")
        count += block.count(b"\n")
        last = block[-1:] or last
    return count + (last != b"\n")


def _matches(pattern: str, text: str) -> int:
    return sum(1 for _ in re.finditer(pattern, text))


COUNTERS = (
    _counter("count_words", "word", lambda text: len(text.split()), partial(_matches, r"\S+")),
    _counter("count_characters", "character", len, partial(_matches, r"(?s).")),
)
