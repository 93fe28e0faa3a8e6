"""What steps of a plan change in the workspace: judged, journalled and taken back as what a session changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import Invocation, NotSent, Settings
from mayfly.sandbox.workbench import Workbench
from mayfly.world._git_history import History
from mayfly.world._room import Room, RoomInbox

if TYPE_CHECKING:
    from mayfly.policy import Kernel
    from mayfly.store import Ledger

Files = Mapping[str, bytes | None]


# Writes, replaces or deletes (None) files for a call, all or none, with a *note* and the *modes* of new ones; raises
# `NotSent` where that is not kept.
ChangeFiles = Callable[..., None]


def refuse_changes(call: Invocation, files: Files, *, note: str, modes: Mapping[str, int] = {}) -> None:
    """Change nothing: where no rules were handed in, nobody can judge what would change."""
    raise NotSent(f"{note}: there are no rules here by which files may be changed")


@dataclass(frozen=True, kw_only=True)
class StepChanges:
    """Keep what a step changes: a room for each change, in the name of the run that the step belongs to."""

    settings: Settings
    state: Path
    """Where the workbench keeps what undo needs, and what is held."""
    ledger: Ledger
    kernel: Callable[[Path, str], Kernel]
    """Returns what decides in a workspace for a run."""
    inbox: Callable[[], RoomInbox]

    def __call__(self, call: Invocation, files: Files, *, note: str, modes: Mapping[str, int] = {}) -> None:
        """Put the files on an overlay, judge them as one set, and commit it to the workspace or say why not."""
        # The key of a step is its run and its place in the tree.
        run = call.key.partition("/")[0]
        with Workbench(
            call.workspace,
            state=self.state,
            settings=self.settings.workbench,
            hidden=self.settings.state,
            owner=f"run {run}" if run else "",
        ) as bench:
            room = Room(
                session=run,
                workspace=call.workspace,
                state=self.state,
                bench=bench,
                kernel=lambda: self.kernel(call.workspace, run),
                approvals=self.inbox(),
                history=History(call.workspace, ledger=self.ledger, session=f"files of {run}"),
                stop=call.stop,
                secrets=self.ledger.secrets,
            )
            # A step that a person sends again is another commit than the one that may be there.
            settled = room.write(files, key=f"{call.key} {secrets.token_hex(4)}", note=note, modes=modes)
        why = "; ".join(settled.reasons[:3])
        if settled.status == "held":
            fix = f"mayfly approve {settled.id}"
            raise NotSent(f"{note} waits for a person's approval as {settled.id}: {why}", fix=fix)
        if settled.status not in ("committed", "nothing"):
            raise NotSent(f"{note} is not kept: {why}")
