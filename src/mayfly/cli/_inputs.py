"""Read what a task works on: values, lines, examples, ground and context, each with one clear line when it is wrong."""

import json
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from mayfly.core import Contract, Example, InputError, InputFile, one_line, parse_json, read_input_file, read_small_file

# A program at the other end of a pipe has begun to write by then; much longer would hold up scripts that pipe nothing.
_PIPE_SECONDS = 1.0


class Inputs(NamedTuple):
    """What a task works on, and the second input where it joins two."""

    first: InputFile = InputFile()
    second: InputFile | None = None


@contextmanager
def given_inputs(names: Sequence[str], *, objects_as_lines: bool = False) -> Iterator[Inputs]:
    """Read what every `--input` names, two at most."""
    if len(names) > 2:
        raise InputError(f"{len(names)} inputs were given; two can be joined, and no more")
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
    """Read `--input`: JSON for .json, a list for .jsonl, otherwise lines; `-` is standard input.

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
    else:
        yield read_input_file(Path(name), "--input", objects_as_lines=objects_as_lines)


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
