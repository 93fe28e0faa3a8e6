"""Read the file a task works on: as one value, or as lines or tables that stay in the file."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mayfly.core._file_kind import FileKind, file_kind, split_table, unreadable
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
    """One input of a task: a value, or files whose lines or records stay in them; and what it is called."""

    value: object | Unset = UNSET
    lines: Path | None = None
    name: str = ""
    # Further files of the same table.
    more: tuple[Path, ...] = ()

    def options(self) -> dict[str, Any]:
        """Return it as the fields of an `Order`."""
        return {"input": self.value, "lines": self.lines, "more": self.more, "name": self.name}


def read_input_file(path: Path, said: str, *, objects_as_lines: bool = False) -> InputFile:
    """Read an input: JSON for .json, a list for .jsonl, otherwise lines; *said* is what the caller calls it.

    *objects_as_lines* leaves the lines of a .jsonl file as they are: one that is not JSON is then counted, not fatal.
    A .json file that is too large for one value is lines, too: the objects of its array.
    """
    file, _ = split_table(path)
    kind = file_kind(file, said)
    suffix = Path(file.name.lower().removesuffix(".gz")).suffix
    whole = suffix == ".json" or (suffix == ".jsonl" and not objects_as_lines)
    if whole and kind in ("text", "gzip") and (data := _read_up_to(file, kind, said)) is not None:
        value = parse_json(data, f"{said} {path}") if suffix == ".json" else _json_lines(data, f"{said} {path}")
        return InputFile(value=value, name=path.name)
    return InputFile(lines=path, name=path.name)


def _json_lines(data: bytes, where: str) -> list[object]:
    rows = enumerate(data.decode(json.detect_encoding(data), "replace").splitlines(), 1)
    return [parse_json(line, f"{where}, line {number}") for number, line in rows if line.strip()]


def _read_up_to(path: Path, kind: FileKind, said: str) -> bytes | None:
    """Return what a file of text holds, unpacked; None where that is more than one value has."""
    import gzip
    import zlib

    try:
        with gzip.open(path) if kind == "gzip" else path.open("rb") as file:
            data = file.read(LARGEST_VALUE + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{said} {path} is damaged: {error}", fix="get it again") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, said, error) from None
    return data if len(data) <= LARGEST_VALUE else None


def read_small_file(path: Path, option: str) -> bytes:
    """Return what a file holds that is read as one value."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_VALUE + 1)
    except (OSError, ValueError) as error:
        raise unreadable(path, option, error) from None
    if len(data) > LARGEST_VALUE:
        raise InputError(
            f"{option} {path} is larger than {LARGEST_VALUE} bytes", fix="give it as lines of text, which are streamed"
        )
    return data


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
