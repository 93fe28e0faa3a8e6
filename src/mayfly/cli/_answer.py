"""`mayfly answer`: help a task that waits in the inbox, or say what became of an effect."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._inputs import parse_json
from mayfly.cli._output import AsJson, answer_json, command, note
from mayfly.cli._output import answer as write
from mayfly.cli._run import ModelOption, Verbose, show_outcome
from mayfly.cli._who import By, who
from mayfly.cli._words import exit_status
from mayfly.core import UNSET, Contract, InputError, Settings, one_line, was_hidden

if TYPE_CHECKING:
    from mayfly.forge import Call

VERDICTS = ("done", "again", "failed")


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
    _go_on(id, text, model, as_json=as_json, verbose=verbose)


def _go_on(id: str, text: str, model: str | None, *, as_json: bool, verbose: bool) -> None:
    """Take a task up again with *text* as a hint."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.runtime import Runtime

    progress = TreeProgress(quiet=as_json, verbose=verbose)
    id = f"h-{id.removeprefix('r-')}" if id.startswith("r-") else id
    with progress, Runtime(Settings.load(), observer=progress) as runtime:
        inbox = runtime.parts.inbox
        call = inbox.get(id)
        if was_hidden(call.request):
            fix = "run it again, with the answer in its words"
            raise InputError(f"{id} was asked with a secret, which is not kept", fix=fix)
        settled = _settling(call, text)
        call = inbox.answer(id, text)
        run, _, node = call.run.partition("/")
        if settled is not None:
            outcome = runtime.run(**{**again(call.request, model), **settled})
        elif node:
            outcome = runtime.resume(run, hints=(text,), model=model)
        else:
            outcome = runtime.run(hints=(text,), **again(call.request, model))
        show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_status(outcome))


def _settling(call: "Call", text: str) -> dict[str, Any] | None:
    """Return what an answer to a question about one input adds to the task; None where no such question was asked."""
    if call.asked is None:
        return None
    input, offered = call.asked
    request: Any = call.request
    answers, never = list(request.get("answers") or ()), list(request.get("never") or ())
    if text.strip().lower() in ("cannot occur", "never"):
        return {"answers": answers, "never": [*never, input]}
    return {"answers": [*answers, {"input": input, "output": answer_in(text, offered)}], "never": never}


def answer_in(text: str, offered: Sequence[object]) -> object:
    """Return the output that somebody means: one that is offered, by its number or by yes, or what was written."""
    said = text.strip()
    if said.lower() in ("yes", "y") and offered:
        return offered[0]
    if said.lower() in ("no", "n"):
        raise InputError("what should it give instead?", fix="write the right output, or: cannot occur")
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in offered)
    # Where the answers are numbers themselves, a number is an answer and no place in the list.
    if said.isdigit() and 1 <= int(said) <= len(offered) and not numbers:
        return offered[int(said) - 1]
    try:
        value: object = json.loads(said)
    except (ValueError, RecursionError):
        return text
    return value


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
        raise InputError(f"there is no unknown effect {one_line(id)}", fix="see: mayfly inbox")
    with ledger:
        settle_effect(ledger, id, verdict=verdict, by=by, value=given)
    run = one_line(id.partition("/")[0])
    if as_json:
        answer_json({"id": id, "verdict": verdict, "by": by, "value": given})
    else:
        write(f"{one_line(id)}: {verdict}")
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
        "grants": tuple(request.get("grants") or ()),
        "model": model or request.get("model"),
        "contract": Contract.from_json(request["contract"]) if request.get("contract") else None,
        "answers": request.get("answers") or (),
        "never": request.get("never") or (),
    }
