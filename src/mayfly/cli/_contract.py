"""`mayfly contract`: show what would be agreed on before a program is written, to be changed and handed back."""

from typing import Annotated

from mayfly.cli import _typer as typer
from mayfly.cli._inputs import given_input, read_context, read_examples
from mayfly.cli._output import AsJson, answer_json, command, note
from mayfly.cli._output import answer as write
from mayfly.cli._run import ContextOption, ExamplesOption, InputOption, ModelOption
from mayfly.core import Order, Settings, one_line


def contract(
    intent: Annotated[str, typer.Argument(help="What the program is for, in words.", metavar="INTENT")],
    *,
    examples: ExamplesOption = None,
    input: InputOption = None,
    model: ModelOption = None,
    context: ContextOption = None,
    as_json: AsJson = False,
) -> None:
    """Say what a program for INTENT is given, gives back and does at the edges; nothing is written or run.

    With --json it can be put into a file, changed, and given to run and compile as --contract FILE.
    """
    from mayfly.runtime import Runtime

    with given_input(input) as given, Runtime(Settings.load()) as runtime:
        order = Order.of(
            intent,
            input=given.value,
            lines=given.lines,
            examples=read_examples(examples),
            context=read_context(context),
            model=model,
        )
        agreed = runtime.compiler.agree(order)
    if as_json:
        answer_json(agreed.to_json())
        return
    for line in agreed.lines():
        write(one_line(line))
    if not agreed.edges and not agreed.assumptions:
        note("nothing is known of the edges: a model (--model) says more, or write them into the file yourself")
    note(f"to change it: {command()} contract … --json > contract.json, then --contract contract.json")
