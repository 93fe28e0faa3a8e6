"""The table of commands and how a command line is run. A command's module is imported when that command is typed."""

import sys
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from mayfly.cli import _output


class Lazy(NamedTuple):
    """Where a command lives, and the line it has in the list of commands."""

    home: str
    summary: str


COMMANDS = {
    "demo": Lazy("mayfly.cli._demo:demo", "Show a task done by an agent that did not exist."),
    "init": Lazy("mayfly.cli._demo:init", "Write a project file, a sample rule and a sample tool."),
    "run": Lazy("mayfly.cli._run:run", "Write the agent this needs, gate it, prove it, run it."),
    "do": Lazy("mayfly.cli._chat:do", "Do one request with tools, in the workspace."),
    "chat": Lazy("mayfly.cli._chat:chat", "Talk to an agent that works in this directory."),
    "undo": Lazy("mayfly.cli._inbox:undo", "Take a change of the workspace back."),
    "plan": Lazy("mayfly.cli._trace:plan", "Print the tree of promises that INTENT would become."),
    "compile": Lazy("mayfly.cli._check:compile", "Write an agent for INTENT, try it at all gates and prove it."),
    "contract": Lazy(
        "mayfly.cli._check:contract", "Say what a program for INTENT is given, gives back and does at the edges."
    ),
    "check": Lazy("mayfly.cli._check:check", "Try a file at the gates syntax, stability, judge and types."),
    "runs": Lazy("mayfly.cli._log:runs", "List the last runs, the newest first"),
    "trace": Lazy("mayfly.cli._trace:trace", "Print the tree of a run, finished or interrupted."),
    "resume": Lazy("mayfly.cli._log:resume", "Go on with an interrupted run"),
    "cancel": Lazy("mayfly.cli._log:cancel", "Ask a run to stop, on whatever machine it is."),
    "kill": Lazy("mayfly.cli._log:kill_app", "Stop everything"),
    "why": Lazy("mayfly.cli._desk:why", "Say why a run ended as it did."),
    "route": Lazy("mayfly.cli._desk:route", "Say what TEXT asks for and who takes it on."),
    "permit": Lazy("mayfly.cli._desk:permit", "Say whether an action may be done."),
    "policy": Lazy("mayfly.cli._policy:app", "Evaluate, check, test and try out rules."),
    "persona": Lazy("mayfly.cli._persona:app", "Who takes requests on, with which tools and policies."),
    "tools": Lazy("mayfly.cli._tools:app", "The library: make, find, use and take back tools."),
    "packages": Lazy("mayfly.cli._packages:app", "Packages for tools of the library."),
    "market": Lazy("mayfly.cli._market:app", "Buy and sell, what was earned and spent; vote on what is worth keeping."),
    "wallet": Lazy("mayfly.cli._wallet:app", "The key that pays, and the process that has it."),
    "identity": Lazy("mayfly.cli._market:identity_app", "Key pairs that votes are signed with, and whose votes count."),
    "prompt": Lazy("mayfly.cli._persona:prompt_app", "The prompts that agents get."),
    "prove": Lazy("mayfly.cli._check:prove", "Run the tests behind a run again."),
    "freeze": Lazy("mayfly.cli._check:freeze", "Write every function under @mayfly.jit and prove it."),
    "help": Lazy("mayfly.cli._help:help", "Print the help of a command, or the list of commands."),
    "stage": Lazy("mayfly.cli._packages:stage", "Change a built-in tool, once its change has passed all stages."),
    "inbox": Lazy("mayfly.cli._inbox:inbox", "List what waits for a person."),
    "answer": Lazy("mayfly.cli._inbox:answer", "Answer a question or a call for help."),
    "approve": Lazy("mayfly.cli._inbox:approve", "Agree to exactly what waits under ID."),
    "deny": Lazy("mayfly.cli._inbox:deny", "Say no to what waits under ID."),
    "agents": Lazy("mayfly.cli._chat:agents", "List sessions and spawned agents."),
    "serve": Lazy("mayfly.cli._serve:serve", "Serve the pages and the HTTP API."),
    "mcp": Lazy("mayfly.cli._serve:mcp", "Serve the library to programs that speak MCP."),
    "cache": Lazy("mayfly.cli._packages:cache_app", "What is remembered."),
    "metrics": Lazy("mayfly.cli._doctor:metrics", "Count runs, compiled agents and fallbacks."),
    "doctor": Lazy("mayfly.cli._doctor:doctor", "Say which wall this machine gives, layer by layer."),
    "ray": Lazy("mayfly.cli._serve:app", "A Ray cluster on this machine, to try things out."),
    "sandbox": Lazy("mayfly.cli._sandbox:app", "Run Python behind the wall."),
    "schema": Lazy("mayfly.cli._schema:app", "The tables of agents."),
    "log": Lazy("mayfly.cli._log:app", "Read the ledger."),
    "config": Lazy("mayfly.cli._doctor:config_app", "Show the settings in force."),
    "completion": Lazy("mayfly.cli._help:completion", "Print a script that completes commands and options."),
}


# Two forms of `help` that other people's scripts use stand for commands of their own.
ALIASES: dict[tuple[str, ...], str] = {("help", "list"): "inbox", ("help", "answer"): "answer"}


def without_alias(args: list[str]) -> list[str]:
    """Return the words of a command line with the command's own name; `help answer` alone asks for its help."""
    alias = ALIASES.get(tuple(args[:2]))
    return args if alias is None or args == ["help", "answer"] else [alias, *args[2:]]


class LazyGroup(TyperGroup):
    """List every command from the table; import only the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, lazy in COMMANDS.items():
            self.add_command(TyperCommand(name, help=lazy.summary, rich_markup_mode=None))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Put the real command in the place of its line in the list, then go on as usual."""
        # Hints repeat the command line with one thing changed.
        ctx.meta["mayfly.typed"] = list(args)
        args = without_alias(args)
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)


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


def load(name: str) -> Any:
    """Import the command called *name*: a group, or a function that becomes a command by itself."""
    module, _, attribute = COMMANDS[name].home.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        command: Any = get_group(found)
    else:
        single = _output.bare_group()
        single.command(name)(found)
        command = get_command(single)
    command.name = name
    return command


def run(args: list[str]) -> int:
    """Run one command line; every way it can end becomes an exit status and at most one line on stderr."""
    ours = args[: args.index("--")] if "--" in args else args
    debug = "--debug" in ours
    args = [arg for arg in ours if arg != "--debug"] + args[len(ours) :]
    _output.prepare()
    try:
        status = _invoke(args)
        sys.stdout.flush()
    except Exception as error:
        return _output.report(error, debug=debug)
    except KeyboardInterrupt:
        return _output.interrupted()
    return status if isinstance(status, int) else 0


def _invoke(args: list[str]) -> object:
    """Do what typer's `main` does, and leave what is raised, closed pipes and Ctrl-C as well, to `run`."""
    group = get_group(app)
    try:
        with group.make_context(_output.command(), args) as context:
            return group.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
