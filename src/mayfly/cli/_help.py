"""`mayfly help`: the inbox of tasks that need a person."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_json, group, note, one_line, table
from mayfly.cli._run import EXIT, ModelOption, show_outcome
from mayfly.core import UNSET, InputError, Settings

app = group("Tasks that need a person: list them, answer them.")


@app.command("list")
def list_calls(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the calls for help, oldest first."""
    from mayfly.forge import Inbox
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    if ledger is None:
        calls = []
    else:
        with ledger:
            calls = Inbox(ledger).list(answered=all)
    if as_json:
        answer_json([_fields(call) for call in calls])
    elif not calls:
        note("nobody needs help")
    else:
        rows = [("id", "attempts", "task", "last error")]
        rows += [
            (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
            for call in calls
        ]
        for line in table(rows):
            answer(line)


@app.command("answer")
def answer_call(
    id: Annotated[str, typer.Argument(help="The id that `help list` shows.", metavar="ID")],
    text: Annotated[str, typer.Argument(help="What would help.", metavar="TEXT")],
    *,
    model: ModelOption = None,
    as_json: AsJson = False,
) -> None:
    """Answer a call for help; the task goes on with the answer as a hint."""
    from mayfly.cli._progress import Progress
    from mayfly.runtime import Runtime

    progress = Progress(quiet=as_json)
    with Runtime(Settings.load(), observer=progress) as runtime:
        call = runtime.parts.inbox.answer(id, text)
        outcome = runtime.run(hints=(text,), **again(call.request, model))
        show_outcome(outcome, as_json=as_json)
    if not outcome.resolved:
        raise typer.Exit(EXIT.get(outcome.code, 1))


def again(request: Any, model: str | None) -> dict[str, Any]:
    """Return what `Runtime.run` needs to take a task up again."""
    lines = request.get("lines")
    if lines and not Path(lines).exists():
        raise InputError(f"the input {lines} of this task is gone", fix="put it back, or run the task anew")
    return {
        "intent": request["intent"],
        "input": UNSET if lines or request.get("input") is None else request["input"],
        "lines": lines,
        "examples": request["examples"],
        "ground": request["ground"],
        "tier": request["tier"],
        "model": model or request.get("model"),
    }


def _fields(call: Any) -> dict[str, object]:
    return {
        "id": call.id,
        "at": call.at.isoformat(),
        "run": call.run,
        "task": call.task,
        "attempts": call.attempts,
        "last_error": call.last_error,
        "context": call.context,
        "answer": call.answer,
    }
