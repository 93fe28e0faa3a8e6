"""`mayfly help`: the help of a command, as `mayfly COMMAND --help` prints it."""

from typing import Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer_json
from mayfly.core import InputError, one_line


def help(
    context: typer.Context,
    path: Annotated[
        list[str] | None, typer.Argument(help="The command, such as run or policy eval.", metavar="COMMAND")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print the help of a command, or the list of commands."""
    from mayfly.cli._app import COMMANDS, load

    here: Any = context.parent
    for depth, name in enumerate(path or ()):
        known = getattr(here.command, "commands", {})
        if name not in known:
            from difflib import get_close_matches

            likely = get_close_matches(name, list(known), n=1)
            meant = " ".join(["help", *(path or ())[:depth], *likely])
            raise InputError(
                f"there is no command {one_line(' '.join(path or ()), limit=100)!r}",
                fix=f"did you mean: mayfly {meant}" if likely else "see: mayfly help",
            )
        found = load(name) if not depth and name in COMMANDS else known[name]
        here = found.make_context(name, [], parent=here, resilient_parsing=True)
    if as_json:
        answer_json({"command": here.command_path, "help": here.get_help()})
    else:
        typer.echo(here.get_help())
