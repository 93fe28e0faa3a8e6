"""`mayfly inbox`, `answer`, `approve` and `deny`: what waits for a person, and every way to settle it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._output import AsJson, By, Reason, answer_json, answer_table, command, foreign, note, who
from mayfly.cli._output import answer as write
from mayfly.cli._run import ModelOption, Verbose, show_outcome
from mayfly.cli._words import exit_status
from mayfly.core import InputError, Settings, one_line, parse_json

if TYPE_CHECKING:
    from mayfly.forge import Call
    from mayfly.operations import ApprovalWord, InboxView
    from mayfly.promise import Unsettled
    from mayfly.session import Waiting
    from mayfly.store import Ledger


def inbox(
    *,
    all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person, oldest first: approvals, calls for help, effects nobody can tell the end of.

    And payments that the chain neither shows nor rules out though their time is over; with --all disputed ones too.
    """
    from mayfly.operations import inbox as look
    from mayfly.store import Ledger

    ledger = Ledger.find(Settings.load())
    found: InboxView | None = None
    if ledger is not None:
        with ledger:
            found = look(ledger, settled=all)
    if as_json:
        answer_json([row for rows in found.to_json().values() for row in rows] if found is not None else [])
    elif not found:
        note("nothing waits for you")
    else:
        _show_inbox(found)


def _show_inbox(found: InboxView) -> None:
    if found.approvals:
        _show_approvals(found.approvals)
    if found.calls:
        _show_calls(found.calls)
    if found.effects:
        _show_effects(found.effects)
    if found.payments:
        from mayfly.cli._market_sell import payment_line

        for one in found.payments:
            write(f"payment  {payment_line(one)}")
        note(f"the chain closes them: see that market.rpc_url answers, then {command()} wallet open")


def _show_approvals(approvals: Sequence[Waiting]) -> None:
    rows = [("approval", "session", "what", "why")]
    rows += [
        (
            one.id,
            one_line(one.asked.session),
            one_line(f"{one.asked.summary} by {one.asked.target}" if one.asked.held else one.asked.summary, limit=80),
            one_line("; ".join(one.asked.reasons), limit=90),
        )
        for one in approvals
    ]
    answer_table(rows)
    first = one_line(approvals[0].id)
    note(f"look: {command()} approve {first} --show; then: {command()} approve {first}, or deny {first}")


def _show_calls(calls: Sequence[Call]) -> None:
    rows = [("id", "attempts", "task", "last error")]
    rows += [
        (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
        for call in calls
    ]
    answer_table(rows)
    note(f'to help: {command()} answer {one_line(calls[0].id)} "…"')


def _show_effects(effects: Sequence[Unsettled]) -> None:
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
    answer_table(rows)
    note(f"look whether it happened, then: {command()} answer {one_line(effects[0].id)} done|again|failed")


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
        _settle_effect(id, text, value, who(by), as_json=as_json)
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


def _settle_effect(id: str, verdict: str, value: str | None, by: str, *, as_json: bool) -> None:
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


WaitingId = Annotated[str, typer.Argument(help="The id that `mayfly inbox` shows.", metavar="ID")]


def approve(
    id: WaitingId,
    *,
    show: Annotated[bool, typer.Option("--show", help="Print what would be done, and do nothing.")] = False,
    reason: Reason = "",
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Agree to exactly what waits under ID: held changes are committed, a push is made.

    Your word is signed and recorded. Anything else, even one byte, would need another.
    """
    if show:
        from mayfly.operations import look_at_approval

        settings = Settings.load()
        with _ledger_with(settings, id) as ledger:
            write(foreign(look_at_approval(settings, ledger, id).diff, sys.stdout))
        return
    done = _settle_approval(id, approved=True, by=who(by), reason=reason, as_json=as_json)
    if not as_json:
        write(f"approved: {one_line(done.waiting.asked.summary, limit=200)}: {foreign(done.result, sys.stdout)}")


def deny(id: WaitingId, *, reason: Reason = "", by: By = None, as_json: AsJson = False) -> None:
    """Say no to what waits under ID; held changes are dropped for good, and the agent is told why."""
    done = _settle_approval(id, approved=False, by=who(by), reason=reason, as_json=as_json)
    if not as_json:
        write(f"denied: {one_line(done.waiting.asked.summary, limit=200)}")
        note("it is dropped, and the agent is told")


def _settle_approval(id: str, *, approved: bool, by: str, reason: str, as_json: bool) -> ApprovalWord:
    from mayfly.operations import settle_approval

    settings = Settings.load()
    with _ledger_with(settings, id) as ledger:
        done = settle_approval(settings, ledger, id, approved=approved, by=by, reason=reason)
    if as_json:
        answer_json(done.to_json())
    return done


@contextmanager
def _ledger_with(settings: Settings, id: str) -> Iterator[Ledger]:
    """Open the ledger in which something waits; a look makes no store."""
    from mayfly.store import Ledger

    ledger = Ledger.find(settings)
    if ledger is None:
        raise InputError(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")
    with ledger:
        yield ledger
