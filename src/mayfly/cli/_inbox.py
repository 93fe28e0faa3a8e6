"""`mayfly inbox`, `answer`, `approve`, `deny` and `undo`: what waits for a person, and taking a change back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._chat import WorkspaceOption
from mayfly.cli._frame import Shown, checked_directory, kept_ledger, ledger_with, opened, show, shows
from mayfly.cli._output import AsJson, By, Reason, answer_table, command, foreign, note, table, who
from mayfly.cli._output import answer as write
from mayfly.cli._progress import exit_status
from mayfly.cli._run import ModelOption, Verbose, show_outcome
from mayfly.core import InputError, Settings, one_line, parse_json

if TYPE_CHECKING:
    from mayfly.forge import Call
    from mayfly.operations import ApprovalWord, InboxView
    from mayfly.promise import Unsettled
    from mayfly.sandbox.workbench import Commit
    from mayfly.session import Waiting
    from mayfly.store import Ledger


@shows
def inbox(*, all: Annotated[bool, typer.Option("--all", help="Those already answered too.")] = False) -> Shown:
    """List what waits for a person, oldest first: approvals, calls for help, effects nobody can tell the end of.

    And payments that the chain neither shows nor rules out though their time is over; with --all disputed ones too.
    """
    from mayfly.operations import inbox as look

    with kept_ledger() as ledger:
        found = None if ledger is None else look(ledger, settled=all)
    if not found:
        return Shown([], hint="nothing waits for you")
    return Shown([row for rows in found.to_json().values() for row in rows], lambda: _show_inbox(found))


def _show_inbox(found: InboxView) -> None:
    for heads, rows, hint in (_approvals(found.approvals), _calls(found.calls), _effects(found.effects)):
        if rows:
            answer_table([heads, *rows])
            # Each hint names the oldest.
            note(hint.format(id=rows[0][0], mayfly=command()))
    if found.payments:
        from mayfly.cli._market_sell import payment_line

        for one in found.payments:
            write(f"payment  {payment_line(one)}")
        note(f"the chain closes them: see that market.rpc_url answers, then {command()} wallet open")


_Section = tuple[tuple[str, ...], list[tuple[str, ...]], str]


def _approvals(approvals: Sequence[Waiting]) -> _Section:
    rows: list[tuple[str, ...]] = [
        (
            one.id,
            one_line(one.asked.session),
            one_line(f"{one.asked.summary} by {one.asked.target}" if one.asked.held else one.asked.summary, limit=80),
            one_line("; ".join(one.asked.reasons), limit=90),
        )
        for one in approvals
    ]
    hint = "look: {mayfly} approve {id} --show; then: {mayfly} approve {id}, or deny {id}"
    return ("approval", "session", "what", "why"), rows, hint


def _calls(calls: Sequence[Call]) -> _Section:
    rows: list[tuple[str, ...]] = [
        (call.id, str(call.attempts), one_line(call.task, limit=60), one_line(call.last_error, limit=90))
        for call in calls
    ]
    return ("id", "attempts", "task", "last error"), rows, 'to help: {mayfly} answer {id} "…"'


def _effects(effects: Sequence[Unsettled]) -> _Section:
    """Return the effects that are neither done nor not done, and what to find out about them."""
    rows: list[tuple[str, ...]] = [
        (
            one_line(effect.id),
            one_line(effect.capability, limit=30),
            one_line(effect.target, limit=60),
            one_line(effect.intent, limit=60),
            one_line(effect.reason, limit=90),
        )
        for effect in effects
    ]
    hint = "look whether it happened, then: {mayfly} answer {id} done|again|failed"
    return ("unknown effect", "capability", "target", "task", "reason"), rows, hint


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
        show(_settle_effect(id, text, value, who(by)), as_json=as_json)
        return
    if value is not None:
        raise InputError("--value goes with an effect that is done, not with a call for help")
    from mayfly.cli._tree_progress import TreeProgress
    from mayfly.operations import answer_call

    progress = TreeProgress(quiet=as_json, verbose=verbose)
    with progress, opened(observer=progress) as runtime:
        outcome = answer_call(runtime, id, text, model=model, again=again)
        show_outcome(outcome, as_json=as_json)
    raise typer.Exit(exit_status(outcome))


def _settle_effect(id: str, verdict: str, value: str | None, by: str) -> Shown:
    """Record what became of an unknown effect."""
    from mayfly.operations import VERDICTS
    from mayfly.promise import settle_effect

    if verdict not in VERDICTS:
        raise InputError(f"{one_line(verdict, limit=60)!r} is no verdict", fix=f"say one of {', '.join(VERDICTS)}")
    if value is not None and verdict != "done":
        raise InputError(f"--value goes with done, not with {verdict}")
    given: Any = None if value is None else parse_json(value, "--value")
    with ledger_with(f"there is no unknown effect {one_line(id)}", fix="see: mayfly inbox") as ledger:
        settle_effect(ledger, id, verdict=verdict, by=by, value=given)
    hint = f"go on with its run: {command()} resume {one_line(id.partition('/')[0])}"
    return Shown({"id": id, "verdict": verdict, "by": by, "value": given}, f"{one_line(id)}: {verdict}", hint)


WaitingId = Annotated[str, typer.Argument(help="The id that `mayfly inbox` shows.", metavar="ID")]


@shows
def approve(
    id: WaitingId,
    *,
    show: Annotated[bool, typer.Option("--show", help="Print what would be done, and do nothing.")] = False,
    reason: Reason = "",
    by: By = None,
) -> Shown:
    """Agree to exactly what waits under ID: held changes are committed, a push is made.

    Your word is signed and recorded. Anything else, even one byte, would need another.
    """
    if show:
        from mayfly.operations import look_at_approval

        # What would be done is the whole answer, with --json too.
        with _ledger_with(id) as ledger:
            write(foreign(look_at_approval(Settings.load(), ledger, id).diff, sys.stdout))
        raise typer.Exit
    done = _settle_approval(id, approved=True, by=who(by), reason=reason)
    said = f"approved: {one_line(done.waiting.asked.summary, limit=200)}: {foreign(done.result, sys.stdout)}"
    return Shown(done.to_json(), said)


@shows
def deny(id: WaitingId, *, reason: Reason = "", by: By = None) -> Shown:
    """Say no to what waits under ID; held changes are dropped for good, and the agent is told why."""
    done = _settle_approval(id, approved=False, by=who(by), reason=reason)
    said = f"denied: {one_line(done.waiting.asked.summary, limit=200)}"
    return Shown(done.to_json(), said, "it is dropped, and the agent is told")


def _settle_approval(id: str, *, approved: bool, by: str, reason: str) -> ApprovalWord:
    from mayfly.operations import settle_approval

    with _ledger_with(id) as ledger:
        return settle_approval(Settings.load(), ledger, id, approved=approved, by=by, reason=reason)


def _ledger_with(id: str) -> AbstractContextManager[Ledger]:
    """Open the ledger in which something waits."""
    return ledger_with(f"nothing called {id} waits for an approval", fix="see: mayfly inbox")


_LISTED = 20


@shows
def undo(
    id: Annotated[
        str | None, typer.Argument(help="The change, as --list shows it; else the last.", metavar="[ID]")
    ] = None,
    *,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the changes, the newest first, and say how much is kept.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Print the diff, and take nothing back.")] = False,
    workspace: WorkspaceOption = None,
) -> Shown:
    """Take a change of the workspace back; to undo an undo does it again.

    Files that were changed since are a conflict: then nothing is done, and they are named.
    """
    from pathlib import Path

    from mayfly.sandbox.workbench import commits, find_undo_target
    from mayfly.sandbox.workbench import undo as take_back

    settings = Settings.load()
    state, where = settings.workbench_state, (checked_directory(workspace) or Path.cwd()).resolve()
    known = list(commits(state, where))
    if list_them:
        return _list(known, settings)
    if not known:
        raise InputError(f"nothing was changed in {where}", fix="see: mayfly undo --list --workspace DIR")
    if show:
        # The diff is the whole answer, with --json too.
        write(find_undo_target(state, where, id).changes.diff())
        raise typer.Exit
    taken = take_back(state, where, id)
    return Shown(_fields(taken), f"taken back: {taken.changes.summary()}", f"do it again: {command()} undo {taken.id}")


def _list(known: list[Commit], settings: Settings) -> Shown:
    if not known:
        return Shown([], hint="nothing was changed here yet")
    rows = [("id", "when", "changed", "by")]
    rows += [
        (one.id, str(_fields(one)["when"]), one.changes.summary(), one_line(one.note, limit=60))
        for one in known[:_LISTED]
    ]
    limits = settings.workbench
    kept = (
        f"kept: {len(known)} changes with {sum(one.size for one in known):,} bytes; limits: workbench.undo_commits "
        f"{limits.undo_commits:,}, workbench.undo_size {limits.undo_size:,} bytes; all of a running session are kept"
    )
    return Shown([_fields(commit) for commit in known], [*table(rows), kept])


def _fields(commit: Commit) -> dict[str, object]:
    from mayfly.operations import commit_fields

    fields = commit_fields(commit)
    return {**fields, "when": fields["at"]}
