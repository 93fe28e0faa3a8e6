"""Real programs on a workspace: behind a wall, on an overlay, with effects that are judged before they are kept."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.sandbox.workbench._changes import Change, ChangeKind, Changes, Entry, EntryKind
    from mayfly.sandbox.workbench._held import Held, held
    from mayfly.sandbox.workbench._history import UndoTarget, commits, find_undo_target, undo
    from mayfly.sandbox.workbench._journal import Commit
    from mayfly.sandbox.workbench._masks import SecretFiles
    from mayfly.sandbox.workbench._places import recover
    from mayfly.sandbox.workbench._run import Ran, RanStatus
    from mayfly.sandbox.workbench._workbench import Workbench

__all__ = [
    "Change",
    "ChangeKind",
    "Changes",
    "Commit",
    "Entry",
    "EntryKind",
    "Held",
    "Ran",
    "RanStatus",
    "SecretFiles",
    "UndoTarget",
    "Workbench",
    "commits",
    "find_undo_target",
    "held",
    "recover",
    "undo",
]

__getattr__ = lazily(
    __name__,
    {
        "_changes": "Change ChangeKind Changes Entry EntryKind",
        "_held": "Held held",
        "_history": "UndoTarget commits find_undo_target undo",
        "_journal": "Commit",
        "_masks": "SecretFiles",
        "_run": "Ran RanStatus",
        "_places": "recover",
        "_workbench": "Workbench",
    },
)
