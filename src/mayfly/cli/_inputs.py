"""What a task works on, read with one clear line when it is wrong; and the forms an answer is printed in."""

from __future__ import annotations

import json
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.cli._output import answer, foreign, to_json
from mayfly.core import (
    Contract,
    Example,
    InputError,
    InputFile,
    harmless,
    one_line,
    parse_json,
    read_input_file,
    read_small_file,
)

# Signs that a shell reads as a pattern of names.
_PATTERN = re.compile(r"[*?\[]")
# A program at the other end of a pipe has begun to write by then; much longer would hold up scripts that pipe nothing.
_PIPE_SECONDS = 1.0


class Inputs(NamedTuple):
    """What a task works on, and the second input where it joins two."""

    first: InputFile = InputFile()
    second: InputFile | None = None


@contextmanager
def given_inputs(names: Sequence[str], *, objects_as_lines: bool = False) -> Iterator[Inputs]:
    """Read what every `--input` names, two at most; a pattern names all files it fits, as one table."""
    if len(names) > 2:
        raise InputError(
            f"{len(names)} inputs were given; two can be joined, and no more",
            fix="many files as one table are a pattern in quotes: --input 'logs/*.log'",
        )
    if list(names).count("-") > 1:
        raise InputError("standard input can be read once only", fix="give the other input as a file")
    with ExitStack() as stack:
        given = [stack.enter_context(given_input(name, objects_as_lines=objects_as_lines)) for name in names]
        yield Inputs(*given)


@contextmanager
def piped_input() -> Iterator[Inputs]:
    """Read standard input where data was piped in and no `--input` says so; an empty one is no input."""
    if not has_piped_input():
        yield Inputs()
        return
    with given_input("-") as found:
        yield Inputs(found if found.lines is not None and found.lines.stat().st_size else InputFile())


@contextmanager
def given_input(name: str | None, *, objects_as_lines: bool = False) -> Iterator[InputFile]:
    """Read `--input`: JSON for .json, a list for .jsonl, otherwise lines; `-` is standard input, a pattern many files.

    *objects_as_lines* leaves the lines of a .jsonl file as they are: one that is not JSON is then counted, not fatal.
    """
    if name is None:
        yield InputFile()
    elif name == "-":
        import shutil
        import tempfile

        with tempfile.NamedTemporaryFile(prefix="mayfly-") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
            file.flush()
            yield InputFile(lines=Path(file.name), name="stdin")
    elif len(paths := files_of(name)) == 1:
        yield read_input_file(paths[0], "--input", objects_as_lines=objects_as_lines)
    else:
        yield InputFile(lines=paths[0], more=paths[1:], name=name)


def files_of(name: str) -> tuple[Path, ...]:
    """Return the files that a pattern fits, in the order of their names; any other name is that of one file."""
    if not _PATTERN.search(name) or os.path.lexists(name):
        return (Path(name),)
    found = tuple(Path(path) for path in sorted(glob(name, recursive=True)) if not os.path.isdir(path))
    if not found:
        raise InputError(f"--input {one_line(name, limit=200)}: no file fits this pattern", fix=f"see: ls {name}")
    return found


def has_piped_input() -> bool:
    """Whether data stands on standard input without being asked for: a file, or a pipe that something is written to.

    A terminal or a closed input holds none. A pipe may be left open by whatever started this and never be written to:
    it is waited for no longer than a program takes to start; --input - waits until it ends.
    """
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False  # closed, or put in its place by a program that holds this one
    if stat.S_ISREG(mode):
        return True
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return False
    ready, _, _ = select.select([sys.stdin.fileno()], [], [], _PIPE_SECONDS)
    return bool(ready)


def read_examples(name: Path | None) -> list[Example]:
    """Read `--examples`: a JSON list of objects with input and output."""
    if name is None:
        return []
    where = f"--examples {name}"
    rows = parse_json(read_small_file(name, "--examples"), where)
    if not isinstance(rows, list) or not rows:
        raise InputError(
            f"{where} must be a list of objects with input and output", fix='such as [{"input": "a", "output": "A"}]'
        )
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not {"input", "output"} <= set(row):
            raise InputError(f"{where}: example {number} needs input and output")
    return [Example(input=row["input"], output=row["output"]) for row in rows]


def read_contract(name: Path | None) -> Contract | None:
    """Read `--contract`: what was agreed on before anything is written."""
    if name is None:
        return None
    return Contract.from_json(parse_json(read_small_file(name, "--contract"), f"--contract {name}"))


def read_ground(text: str | None) -> object:
    """Read `--ground`, which is null where it is not given."""
    return None if text is None else parse_json(text, "--ground")


def read_context(pairs: list[str] | None) -> dict[str, object]:
    """Read `--context KEY=VALUE`; a value that is JSON is taken as such, anything else as text."""
    context: dict[str, object] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise InputError(f"--context {pair!r} is not KEY=VALUE")
        try:
            context[key] = json.loads(value)
        except ValueError:
            context[key] = value
    return context


def workspace_of(workspace: Path | None) -> Path | None:
    """Return the workspace that was named; one that is no directory is an `InputError`."""
    if workspace is not None and not workspace.is_dir():
        raise InputError(f"--workspace {workspace} is not a directory", fix=f"make it: mkdir -p {workspace}")
    return workspace


def read_bytes(name: str, what: str, *, most: int | None = None) -> bytes:
    """Read a file, or standard input where it is `-`: *what* it should have been is said where that does not work.

    Of a file larger than *most* bytes one more is read, so that whoever wants them can say what is too much.
    """
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as stream:
            return stream.read(-1 if most is None else most + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {one_line(name, limit=200)}: {why_not(error)}", fix=f"name {what}") from None


def why_not(error: OSError | ValueError) -> str:
    """Return why a file cannot be read, in the words of the system."""
    return getattr(error, "strerror", None) or str(error)


FORMS = ("json", "csv", "tsv", "lines", "table")
# A cell of a table for people is cut here, so that one long text does not push all the others off the screen.
WIDEST = 60
_WHAT = re.compile(r"(?P<what>.+?)(?: where .*)?, by (?P<by>[^\W\d][\w.@-]*|\[[^\]]+\])")


class Rows(NamedTuple):
    """An answer as a table; the rows are made anew each time they are read."""

    heads: tuple[str, ...]
    read: Callable[[], Iterator[tuple[object, ...]]]


def checked_form(form: str) -> str:
    """Return *form* if there is such a one."""
    if form not in FORMS:
        raise InputError(f"--as {one_line(form, limit=60)}: there is no such form", fix=f"one of {', '.join(FORMS)}")
    return form


def write_form(value: object, form: str, *, reading: str = "") -> None:
    """Write *value* on stdout in a form other than JSON; *reading* names the columns where it does."""
    if form == "lines":
        _write_lines(value)
    elif form == "table":
        _write_table(rows_of(value, reading=reading))
    else:
        _write_csv(rows_of(value, reading=reading), "," if form == "csv" else "\t")


def rows_of(value: object, *, reading: str = "") -> Rows:
    """Return a value as a table: records, rows, values by key, records by key, single values."""
    if isinstance(value, Mapping):
        return _by_key(value, *_named(reading))
    if not isinstance(value, Sequence) or isinstance(value, str):
        return Rows(("value",), lambda: iter([(value,)]))
    if len(value) and all(isinstance(item, Mapping) for item in value):
        return _records(value)
    if len(value) and all(isinstance(item, list) for item in value):
        width = max(len(item) for item in value if isinstance(item, list))
        return Rows(tuple(f"column {n}" for n in range(1, width + 1)), lambda: _padded(value, width))
    return Rows(("value",), lambda: ((item,) for item in value))


def _records(items: Iterable[Any]) -> Rows:
    heads = tuple(dict.fromkeys(key for item in items for key in item))
    return Rows(tuple(map(str, heads)), lambda: (tuple(item.get(head) for head in heads) for item in items))


def _padded(items: Iterable[Any], width: int) -> Iterator[tuple[object, ...]]:
    return (tuple(item) + (None,) * (width - len(item)) for item in items)


def _by_key(value: Mapping[Any, Any], key: str, cell: str) -> Rows:
    """Return a row for each key; where all values are records their fields are columns beside it."""
    if not value or not all(isinstance(item, Mapping) for item in value.values()):
        return Rows((key, cell), lambda: iter(value.items()))
    heads = tuple(dict.fromkeys(name for item in value.values() for name in item))
    return Rows(
        (key, *map(str, heads)),
        lambda: ((name, *(item.get(head) for head in heads)) for name, item in value.items()),
    )


def _named(reading: str) -> tuple[str, str]:
    """Return what the keys and the values of an answer are called: a reading such as `count, by status` says it."""
    found = _WHAT.match(reading)
    return (found["by"].strip("[]"), found["what"]) if found else ("key", "value")


def _write_csv(rows: Rows, delimiter: str) -> None:
    import csv

    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator="\n")
    writer.writerow([foreign(head, sys.stdout) for head in rows.heads])
    writer.writerows([foreign(_text(cell), sys.stdout) for cell in row] for row in rows.read())


def _write_lines(value: object) -> None:
    """Write one value a line; of a mapping each key with its value, a tab between them."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            answer(f"{_one_line(key)}\t{_one_line(item)}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            answer(_one_line(item))
    else:
        answer(_one_line(value))


def _one_line(value: object) -> str:
    """Return a value on one line: whoever reads lines counts on that."""
    text = foreign(_text(value), sys.stdout)
    return text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n") if set("\r\n") & set(text) else text


def _text(value: object) -> str:
    """Return text as it is, nothing as nothing, and anything else as JSON has it."""
    return value if isinstance(value, str) else "" if value is None else to_json(value)


def _write_table(rows: Rows) -> None:
    """Write columns that line up, numbers to the right."""
    from rich.cells import cell_len, set_cell_size

    heads = [_cell(head) for head in rows.heads]
    widths = [cell_len(head) for head in heads]
    numbers = [True] * len(heads)
    for row in rows.read():
        for place, cell in enumerate(row):
            widths[place] = max(widths[place], cell_len(_cell(cell)))
            numbers[place] = numbers[place] and (cell is None or isinstance(cell, (int, float)))
    rule = ["-" * width for width in widths]

    def line(cells: Iterable[str]) -> str:
        placed = (
            " " * (width - cell_len(text)) + text if right else set_cell_size(text, width)
            for text, width, right in zip(cells, widths, numbers, strict=True)
        )
        return "  ".join(placed).rstrip()

    answer(line(heads))
    answer(line(rule))
    for row in rows.read():
        answer(line(map(_cell, row)))


def _cell(value: object) -> str:
    text = harmless(" ".join(_text(value).split()))
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
