"""`mayfly answer`: help a task that waits in the inbox, or say what became of an effect."""

from typing import Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer_json, command, note
from mayfly.cli._output import answer as write
from mayfly.cli._run import ModelOption, Verbose, show_outcome
from mayfly.cli._who import By, who
from mayfly.cli._words import exit_status
from mayfly.core import InputError, Settings, one_line, parse_json


def answer(
    id: Annotated[str, typer.Argument(help="The id that `mayfly inbox` shows, or that of the run.", metavar="ID")],
    text: Annotated[
        str,
        typer.Argument(
            help="What would help; to a question: yes, an answer's number, what it should give, or 'cannot occur'; "
            "of an unknown effect: done, again or failed.",
            metavar="TEXT",
        ),
    ],
    *,
    value: Annotated[
        str | None, typer.Option(help="What an effect that is done gave; null if nothing.", metavar="JSON")
    ] = None,
    model: ModelOption = None,
    again: Annotated[bool, typer.Option("--again", help="Answer once more what was answered already.")] = False,
    by: By = None,
    verbose: Verbose = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question or a call for help; the task goes on with the answer.

    Of an unknown effect say what became of it: done, or not done and to be sent again, or failed and given up.
    """
    if "/" in id and not id.startswith("h-"):
        if model is not None:
            raise InputError("--model goes with a call for help, not with an effect")
        _settle(id, text, value, who(by), as_json=as_json)
        return
    if value is not None:
        raise InputError("--value goes with an effect that is done, not with a call for help")
    _go_on(id, text, model, again=again, as_json=as_json, verbose=verbose)


def _go_on(id: str, text: str, model: str | None, *, again: bool, as_json: bool, verbose: bool) -> None:
    """Take a task up again with *text* as a hint."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.operations import answer_call
    from mayfly.runtime import Runtime

    progress = TreeProgress(quiet=as_json, verbose=verbose)
    with progress, Runtime(Settings.load(), observer=progress) as runtime:
        outcome = answer_call(runtime, id, text, model=model, again=again)
        show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_status(outcome))


def _settle(id: str, verdict: str, value: str | None, by: str, *, as_json: bool) -> None:
    """Record what became of an unknown effect."""
    from mayfly.operations import VERDICTS
    from mayfly.promise import settle_effect
    from mayfly.store import Ledger

    if verdict not in VERDICTS:
        raise InputError(f"{one_line(verdict, limit=60)!r} is no verdict", fix=f"say one of {', '.join(VERDICTS)}")
    if value is not None and verdict != "done":
        raise InputError(f"--value goes with done, not with {verdict}")
    given: Any = None if value is None else parse_json(value, "--value")
    ledger = Ledger.find(Settings.load())
    if ledger is None:
        raise InputError(f"there is no unknown effect {one_line(id)}", fix="see: mayfly inbox")
    with ledger:
        settle_effect(ledger, id, verdict=verdict, by=by, value=given)
    run = one_line(id.partition("/")[0])
    if as_json:
        answer_json({"id": id, "verdict": verdict, "by": by, "value": given})
    else:
        write(f"{one_line(id)}: {verdict}")
        note(f"go on with its run: {command()} resume {run}")
