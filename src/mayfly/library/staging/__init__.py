"""Staging: how a built-in tool is changed. A branch and a worktree of its own, stages behind the wall, fast forward."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library.staging._events import (
        RolledBack,
        StageResult,
        StagingPromoted,
    )
    from mayfly.library.staging._live import take_up, under_watch, watched
    from mayfly.library.staging._repository import Repository
    from mayfly.library.staging._staging import Report, Staging
    from mayfly.library.staging._target import homes_of

__all__ = [
    "Report",
    "Repository",
    "RolledBack",
    "StageResult",
    "Staging",
    "StagingPromoted",
    "homes_of",
    "take_up",
    "under_watch",
    "watched",
]

__getattr__ = lazily(
    __name__,
    {
        "_events": "RolledBack StageResult StagingPromoted",
        "_live": "take_up under_watch watched",
        "_repository": "Repository",
        "_staging": "Report Staging",
        "_target": "homes_of",
    },
)
