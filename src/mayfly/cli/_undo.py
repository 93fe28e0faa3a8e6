"""`mayfly undo`: take back what a command or an edit changed in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._chat import WorkspaceOption
from mayfly.cli._frame import Shown, checked_directory, shows
from mayfly.cli._output import answer, command, table
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.sandbox.workbench import Commit

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

    from mayfly.runtime import state_of
    from mayfly.sandbox.workbench import commits
    from mayfly.sandbox.workbench import undo as take_back

    settings = Settings.load()
    state, where = state_of(settings), (checked_directory(workspace) or Path.cwd()).resolve()
    known = list(commits(state, where))
    if list_them:
        return _list(known, settings)
    if not known:
        raise InputError(f"nothing was changed in {where}", fix="see: mayfly undo --list --workspace DIR")
    if show:
        # The diff is the whole answer, with --json too.
        found = next((one for one in known if id in (None, one.id)), None)
        if found is None:
            raise InputError(f"there is no change {id}", fix="see: mayfly undo --list")
        answer(found.changes.diff())
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
