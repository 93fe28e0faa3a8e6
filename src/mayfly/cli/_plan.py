"""`mayfly plan`: the whole tree an intent would become, before anything is spent on it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._inputs import given_input, read_context, read_examples, read_ground
from mayfly.cli._output import AsJson, answer, answer_json, command, note
from mayfly.cli._run import ContextOption, ExamplesOption, InputOption, ModelOption
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.cli._tree_rows import Branch, Line, Row
    from mayfly.promise import Promise


def plan(
    intent: Annotated[str, typer.Argument(help="What to do, in words.", metavar="INTENT")],
    *,
    input: InputOption = None,
    examples: ExamplesOption = None,
    ground: Annotated[
        str | None, typer.Option(help="The value to give where nothing is proven.", metavar="JSON")
    ] = None,
    model: ModelOption = None,
    context: ContextOption = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree of promises that INTENT would become.

    Budgets, what is to be expected of each promise and what would serve it; nothing is run and no effect happens.
    """
    from mayfly.runtime import Runtime

    if not intent.strip():
        raise InputError("the intent is empty", fix='say what to do: mayfly plan "fix the bug in auth module"')
    known = read_examples(examples)
    fallback = read_ground(ground)
    told = read_context(context)
    with given_input(input) as given, Runtime(Settings.load()) as runtime:
        tree = runtime.plan(
            intent,
            input=given.value,
            lines=given.lines,
            examples=known,
            ground=fallback,
            model=model,
            context=told,
        )
    if as_json:
        from mayfly.promise.plan import plan_json

        answer_json(plan_json(tree))
    else:
        show_plan(tree)


def show_plan(tree: Promise[Any]) -> None:
    """Print the tree, and on stderr how to have it resolved."""
    from mayfly.cli._tree_rows import branches

    rows = [planned_row(branch) for branch in branches(tree)]
    print_rows(rows)
    idle = sum(row.style == "dim" for row in rows)
    size = f"{len(rows):,} promise{'s' if len(rows) != 1 else ''}"
    grounded = f", {idle} of them ground" if idle else ""
    note(f"{size}{grounded} · nothing was run; to run it: {command()} run INTENT")


def planned_row(branch: Branch) -> Row:
    """Return the line of one promise as it is planned."""
    from mayfly.cli._tree_rows import Row, served_by
    from mayfly.operations import ground_reason, is_ground

    promise = branch.promise
    middle = f"budget {promise.budget:.2f}"
    if promise.reality is not None:
        middle += f"  {promise.reality.kind} {promise.reality.confidence:.1f}"
    if is_ground(promise):
        return Row(branch, middle, "nothing", one_line(ground_reason(promise)), "dim")
    served, _, missing = served_by(promise).partition(": ")
    return Row(branch, middle, served, missing, "dim" if missing else "")


def print_rows(rows: list[Row]) -> None:
    """Print a tree on stdout: grey and coloured on a terminal, whole lines in a pipe."""
    from mayfly.cli._tree_rows import columns, fitted

    terminal = sys.stdout.isatty()
    print_lines(fitted(rows, columns(sys.stdout), whole=not terminal))


def print_lines(lines: Iterable[Line]) -> None:
    """Print lines on stdout, in their styles where there is a terminal."""
    if not sys.stdout.isatty():
        for line in lines:
            answer(line.text)
        return
    from mayfly.cli._output import Screen

    screen = Screen()
    for line in lines:
        screen.line((line.text, line.style))
