"""Read the file a task works on: as one value, or as lines that are streamed."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

from mayfly.core._shown import one_line
from mayfly.core._types import UNSET, Unset
from mayfly.core.errors import InputError

# Bytes of a file that is read as one value; what is larger is lines.
LARGEST_VALUE = 12 * 1024 * 1024
# Up to this limit of recursion the interpreter notices JSON that is nested too deep before its stack is full.
_SAFE_LIMIT = 3000
# As deep as Python nests by default.
_DEEPEST = 1000
# Texts whole, also one that does not end, so that what is in them is not looked at; and the brackets between them.
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class InputFile(NamedTuple):
    """One input of a task: a value, or a file whose lines are streamed; and what it is called."""

    value: object | Unset = UNSET
    lines: Path | None = None
    name: str = ""


def read_input_file(path: Path, said: str, *, objects_as_lines: bool = False) -> InputFile:
    """Read an input: JSON for .json, a list for .jsonl, otherwise lines; *said* is what the caller calls it.

    *objects_as_lines* leaves the lines of a .jsonl file as they are: one that is not JSON is then counted, not fatal.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        return InputFile(value=parse_json(read_small_file(path, said), f"{said} {path}"), name=path.name)
    size = _size(path, said)
    if suffix == ".jsonl" and size <= LARGEST_VALUE and not objects_as_lines:
        return InputFile(value=_json_lines(path, said), name=path.name)
    return InputFile(lines=path, name=path.name)


def _json_lines(path: Path, said: str) -> list[object]:
    rows = enumerate(read_small_file(path, said).decode("utf-8", "replace").splitlines(), 1)
    return [parse_json(line, f"{said} {path}, line {number}") for number, line in rows if line.strip()]


def _size(path: Path, said: str) -> int:
    try:
        with path.open("rb") as file:
            return os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        raise _unreadable(path, said, error) from None


def read_small_file(path: Path, option: str) -> bytes:
    """Return what a file holds that is read as one value."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_VALUE + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(path, option, error) from None
    if len(data) > LARGEST_VALUE:
        raise InputError(
            f"{option} {path} is larger than {LARGEST_VALUE} bytes", fix="give it as lines of text, which are streamed"
        )
    return data


def _unreadable(path: Path, option: str, error: OSError | ValueError) -> InputError:
    return InputError(f"{option}: cannot read {path}: {getattr(error, 'strerror', None) or error}")


def parse_json(text: str | bytes, where: str) -> object:
    """Parse JSON, or say where it is not."""
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{where} is not JSON: {one_line(reason, limit=200)}") from None


def load_json(text: str | bytes, *, unique: bool = False) -> object:
    """Return the value of a JSON text: no NaN in it, and with *unique* no key twice in one object.

    Raises `ValueError`, or `RecursionError` where it is nested too deep.
    """
    check_json_depth(text)
    value: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_keys if unique else None)
    return value


def check_json_depth(text: str | bytes) -> None:
    """Raise `RecursionError` where the interpreter would not any more.

    Libraries of Ethereum lift its limit to 100,000 for the whole process when they are imported, and then JSON that is
    nested deep enough ends the process by a fault of memory.
    """
    if sys.getrecursionlimit() <= _SAFE_LIMIT:
        return
    # As the parser does it: read otherwise, UTF-16 could hold quotes that hide its brackets.
    plain = text.decode(json.detect_encoding(text), "surrogatepass") if isinstance(text, bytes) else text
    if plain.count("[") + plain.count("{") <= _DEEPEST:
        return
    depth = 0
    for found in _BRACKETS.finditer(plain):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > _DEEPEST:
            raise RecursionError


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
