"""`mayfly undo`: take back what a command or an edit changed in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._chat import WorkspaceOption, checked_workspace
from mayfly.cli._output import AsJson, answer, answer_json, answer_table, command, note
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.sandbox.workbench import Commit

_LISTED = 20


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
    as_json: AsJson = False,
) -> None:
    """Take a change of the workspace back; to undo an undo does it again.

    Files that were changed since are a conflict: then nothing is done, and they are named.
    """
    from pathlib import Path

    from mayfly.sandbox.workbench import commits
    from mayfly.sandbox.workbench import undo as take_back
    from mayfly.session import state_of

    settings = Settings.load()
    state, where = state_of(settings), (checked_workspace(workspace) or Path.cwd()).resolve()
    known = list(commits(state, where))
    if list_them:
        _list(known, settings, as_json=as_json)
        return
    if not known:
        raise InputError(f"nothing was changed in {where}", fix="see: mayfly undo --list --workspace DIR")
    if show:
        answer(_of(known, id).changes.diff())
        return
    taken = take_back(state, where, id)
    if as_json:
        answer_json(_fields(taken))
    else:
        answer(f"taken back: {taken.changes.summary()}")
        note(f"do it again: {command()} undo {taken.id}")


def _of(known: list[Commit], id: str | None) -> Commit:
    for commit in known:
        if id is None or commit.id == id:
            return commit
    raise InputError(f"there is no change {id}", fix="see: mayfly undo --list")


def _list(known: list[Commit], settings: Settings, *, as_json: bool) -> None:
    if as_json:
        answer_json([_fields(commit) for commit in known])
        return
    if not known:
        note("nothing was changed here yet")
        return
    rows = [("id", "when", "changed", "by")]
    rows += [
        (one.id, str(_fields(one)["when"]), one.changes.summary(), one_line(one.note, limit=60))
        for one in known[:_LISTED]
    ]
    answer_table(rows)
    limits = settings.workbench
    answer(
        f"kept: {len(known)} changes with {sum(one.size for one in known):,} bytes; limits: workbench.undo_commits "
        f"{limits.undo_commits:,}, workbench.undo_size {limits.undo_size:,} bytes; all of a running session are kept"
    )


def _fields(commit: Commit) -> dict[str, object]:
    from mayfly.operations import commit_fields

    fields = commit_fields(commit)
    return {**fields, "when": fields["at"]}
