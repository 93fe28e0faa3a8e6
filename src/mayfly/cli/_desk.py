"""What the commands about rules share: the desk with its ledger, and the options that open it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._output import note
from mayfly.core import InputError, Settings

if TYPE_CHECKING:
    from mayfly.runtime import Desk

Rules = Annotated[
    list[Path] | None,
    typer.Option("--rules", help="A further rule file, or a directory of them. May be repeated.", metavar="PATH"),
]
Workspace = Annotated[Path | None, typer.Option(help="The directory the work is done in.", metavar="DIR")]


@contextmanager
def desk(rules: list[Path] | None = None, workspace: Path | None = None) -> Iterator["Desk"]:
    """Open the rules in force with the ledger; a rule file that is not in force is named and passed over."""
    from mayfly.runtime import Desk
    from mayfly.store import Ledger

    for path in rules or []:
        if not path.exists():
            raise InputError(f"there is no {path}", fix="name a rule file, or a directory of them")
    if workspace is not None and not workspace.is_dir():
        raise InputError(f"{workspace} is no directory", fix="name the directory the work is done in")
    settings = Settings.load()
    with Ledger.open(settings) as ledger:
        opened = Desk(settings, ledger=ledger, workspace=workspace, rules=rules or ())
        for problem in opened.snapshot.problems:
            note(f"mayfly: not in force: {problem}")
        yield opened
        opened.keep()
