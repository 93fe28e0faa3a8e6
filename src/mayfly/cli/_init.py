"""`mayfly init`: the few files with which a project begins, each of them small, commented and in use at once."""

import os
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import mkstemp
from typing import Annotated

import typer

from mayfly.cli._frame import Shown, shows
from mayfly.cli._output import command
from mayfly.core import InputError, one_line

# What can be typed next, each line with one of the files.
NEXT = (
    "policy test mayfly.d/rules",
    "permit file_write releases/1.txt",
    "tools write --name slug --source mayfly.d/tools/slug.py --tests mayfly.d/tools/slug_tests.py",
)


@shows
def init(
    directory: Annotated[Path, typer.Argument(help="Where; made if it is not there.", metavar="DIR")] = Path(),
) -> Shown:
    """Write a project file, a sample rule and a sample tool.

    Rule and tool have tests beside them. Nothing that is there is changed: a file that exists stays, and is named.
    """
    wrote: list[str] = []
    kept: list[str] = []
    for name, text in _templates(files("mayfly.cli").joinpath("project")):
        (wrote if _write_new(directory / name, text) else kept).append(name)
    following = [f"{command()} {line}" for line in NEXT]
    into = "" if directory == Path() else f"cd {one_line(str(directory))} && "
    hints = [f"next: {into}{line}" for line in following]
    if "mayfly.toml" in kept and "mayfly.d/rules" not in _read(directory / "mayfly.toml"):
        hints.insert(0, 'to have the sample rule in force, mayfly.toml needs: [policy] rules = "mayfly.d/rules"')
    return Shown(
        {"directory": str(directory), "wrote": wrote, "kept": kept, "next": following},
        [*(f"wrote  {name}" for name in wrote), *(f"kept   {name} (it was there)" for name in kept)],
        "\n".join(hints),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _templates(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every file of the sample project with its name below it; what Python left there is none of it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _templates(entry, f"{above}{entry.name}/")
        else:
            yield f"{above}{entry.name}", entry.read_text(encoding="utf-8")


def _write_new(path: Path, text: str) -> bool:
    """Write a file that is not there yet, whole or not at all; return whether it was written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, aside = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(aside, 0o666 & ~mask)
            # Unlike a rename, a link never takes the place of a file that somebody makes meanwhile.
            os.link(aside, path)
        finally:
            with suppress(OSError):
                os.unlink(aside)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise InputError(f"{one_line(str(path.parent))} is a file, not a directory") from None
    except OSError as error:
        raise InputError(f"cannot write {one_line(str(path))}: {error.strerror or error}") from None
    return True
