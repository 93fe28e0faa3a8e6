"""Real programs on a workspace: behind a wall, on an overlay, with effects that are judged before they are kept."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.sandbox.workbench._changes import Change as Change
    from mayfly.sandbox.workbench._changes import ChangeKind as ChangeKind
    from mayfly.sandbox.workbench._changes import Changes as Changes
    from mayfly.sandbox.workbench._changes import Entry as Entry
    from mayfly.sandbox.workbench._changes import EntryKind as EntryKind
    from mayfly.sandbox.workbench._held import Held as Held
    from mayfly.sandbox.workbench._held import held as held
    from mayfly.sandbox.workbench._history import UndoTarget as UndoTarget
    from mayfly.sandbox.workbench._history import commits as commits
    from mayfly.sandbox.workbench._history import find_undo_target as find_undo_target
    from mayfly.sandbox.workbench._history import undo as undo
    from mayfly.sandbox.workbench._journal import Commit as Commit
    from mayfly.sandbox.workbench._masks import SecretFiles as SecretFiles
    from mayfly.sandbox.workbench._places import recover as recover
    from mayfly.sandbox.workbench._run import Ran as Ran
    from mayfly.sandbox.workbench._run import RanStatus as RanStatus
    from mayfly.sandbox.workbench._suite import SuiteReport as SuiteReport
    from mayfly.sandbox.workbench._suite import run_suite as run_suite
    from mayfly.sandbox.workbench._workbench import Workbench as Workbench

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
