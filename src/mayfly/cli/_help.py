"""`mayfly help`: the help of a command, as `mayfly COMMAND --help` prints it."""

from typing import Annotated, Any

import typer

from mayfly.core import InputError, one_line


def help(
    context: typer.Context,
    path: Annotated[
        list[str] | None, typer.Argument(help="The command, such as run or policy eval.", metavar="COMMAND")
    ] = None,
) -> None:
    """Print the help of a command, or the list of commands."""
    from mayfly.cli._app import COMMANDS, load

    here: Any = context.parent
    for depth, name in enumerate(path or ()):
        known = getattr(here.command, "commands", {})
        if name not in known:
            raise InputError(
                f"there is no command {one_line(' '.join(path or ()), limit=100)!r}", fix="see: mayfly help"
            )
        found = load(name) if not depth and name in COMMANDS else known[name]
        here = found.make_context(name, [], parent=here, resilient_parsing=True)
    typer.echo(here.get_help())
