"""The tree of commands as typer has it: for help, for completion, and for command lines that are not plainly right."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from mayfly.cli import _output, _typer
from mayfly.cli._app import COMMANDS, declared, without_alias
from mayfly.cli._plain import read_plainly


class LazyGroup(TyperGroup):
    """List every command from the table; import only the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, lazy in COMMANDS.items():
            self.add_command(TyperCommand(name, help=lazy.summary, rich_markup_mode=None))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Put the real command in the place of its line in the list, then go on as usual."""
        # What was typed is kept, for hints that repeat it with one thing changed.
        ctx.meta["mayfly.typed"] = list(args)
        args = without_alias(args)
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """Import the command called *name* and make it typer's."""
    found = declared(name)
    if isinstance(found, _typer.Typer):
        command: Any = get_group(found.real())
    else:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(_typer.real(found))
        command = get_command(single)
    command.name = name
    return read_plainly(command)


app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from; may stand anywhere.")] = False,
) -> None:
    """Agents compiled on demand, proven before they fly."""
    if version:
        from mayfly import __version__

        typer.echo(f"mayfly {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run_fully(args: list[str]) -> object:
    """Run one command line by typer."""
    return read_plainly(get_group(app))(args, prog_name=_output.command(), standalone_mode=False)
