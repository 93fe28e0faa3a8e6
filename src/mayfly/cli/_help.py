"""`mayfly help`: the inbox of tasks that need a person, and of effects nobody can tell the end of."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._inputs import parse_json
from mayfly.cli._output import AsJson, answer, answer_json, command, group, note, table
from mayfly.cli._run import EXIT, ModelOption, show_outcome
from mayfly.cli._who import By, who
from mayfly.core import UNSET, InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.promise import Unsettled

app = group("Tasks that need a person: list them, answer them.")

VERDICTS = ("done", "again", "failed")


@app.command("list")
def list_calls(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the calls for help and the effects nobody can tell the end of, oldest first."""
    from mayfly.forge import Inbox
    from mayfly.promise import unknown_effects
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    calls: list[Any] = []
    effects: list[Unsettled] = []
    if ledger is not None:
        with ledger:
            calls = Inbox(ledger).list(answered=all)
            effects = unknown_effects(ledger)
    if as_json:
        answer_json([_fields(call) for call in calls] + [_effect_fields(effect) for effect in effects])
        return
    if not calls and not effects:
        note("nobody needs help")
    if calls:
        _show_calls(calls)
    if effects:
        _show_effects(effects)


def _show_calls(calls: list[Any]) -> None:
    rows = [("id", "attempts", "task", "last error")]
    rows += [
        (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
        for call in calls
    ]
    for line in table(rows):
        answer(line)


def _show_effects(effects: "list[Unsettled]") -> None:
    """Print the effects that are neither done nor not done, and what to find out about them."""
    rows = [("unknown effect", "capability", "target", "task", "reason")]
    rows += [
        (
            one_line(effect.id),
            one_line(effect.capability, limit=30),
            one_line(effect.target, limit=60),
            one_line(effect.intent, limit=60),
            one_line(effect.reason, limit=90),
        )
        for effect in effects
    ]
    for line in table(rows):
        answer(line)
    note(f"look whether it happened, then: {command()} help answer {one_line(effects[0].id)} done|again|failed")


@app.command("answer")
def answer_call(
    id: Annotated[str, typer.Argument(help="The id that `help list` shows.", metavar="ID")],
    text: Annotated[
        str, typer.Argument(help="What would help; of an unknown effect: done, again or failed.", metavar="TEXT")
    ],
    *,
    value: Annotated[
        str | None, typer.Option(help="What an effect that is done gave; null if nothing.", metavar="JSON")
    ] = None,
    model: ModelOption = None,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Answer a call for help; the task goes on with the answer as a hint.

    Of an unknown effect say what became of it: done, or not done and to be sent again, or failed and given up.
    """
    if "/" in id and not id.startswith("h-"):
        if model is not None:
            raise InputError("--model goes with a call for help, not with an effect")
        _settle(id, text, value, who(by), as_json=as_json)
        return
    if value is not None:
        raise InputError("--value goes with an effect that is done, not with a call for help")
    _go_on(id, text, model, as_json=as_json)


def _go_on(id: str, text: str, model: str | None, *, as_json: bool) -> None:
    """Take a task up again with *text* as a hint."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.runtime import Runtime

    progress = TreeProgress(quiet=as_json)
    with progress, Runtime(Settings.load(), observer=progress) as runtime:
        call = runtime.parts.inbox.answer(id, text)
        run, _, node = call.run.partition("/")
        outcome = (
            runtime.resume(run, hints=(text,), model=model)
            if node
            else runtime.run(hints=(text,), **again(call.request, model))
        )
        show_outcome(outcome, as_json=as_json)
    if not outcome.resolved:
        raise typer.Exit(EXIT.get(outcome.code, 1))


def _settle(id: str, verdict: str, value: str | None, by: str, *, as_json: bool) -> None:
    """Record what became of an unknown effect."""
    from mayfly.promise import settle_effect
    from mayfly.store import Ledger

    if verdict not in VERDICTS:
        raise InputError(f"{one_line(verdict, limit=60)!r} is no verdict", fix=f"say one of {', '.join(VERDICTS)}")
    if value is not None and verdict != "done":
        raise InputError(f"--value goes with done, not with {verdict}")
    given: Any = None if value is None else parse_json(value, "--value")
    ledger = Ledger.find(Settings.load())
    if ledger is None:
        raise InputError(f"there is no unknown effect {one_line(id)}", fix="see: mayfly help list")
    with ledger:
        settle_effect(ledger, id, verdict=verdict, by=by, value=given)
    run = one_line(id.partition("/")[0])
    if as_json:
        answer_json({"id": id, "verdict": verdict, "by": by, "value": given})
    else:
        answer(f"{one_line(id)}: {verdict}")
        note(f"go on with its run: {command()} resume {run}")


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
        "kind": "call",
        "id": call.id,
        "at": call.at.isoformat(),
        "run": call.run,
        "task": call.task,
        "attempts": call.attempts,
        "last_error": call.last_error,
        "context": call.context,
        "answer": call.answer,
    }


def _effect_fields(effect: "Unsettled") -> dict[str, object]:
    return {
        "kind": "effect",
        "id": effect.id,
        "at": effect.at.isoformat(),
        "run": effect.run,
        "task": effect.intent,
        "capability": effect.capability,
        "target": effect.target,
        "reason": effect.reason,
    }
