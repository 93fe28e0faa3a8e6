"""Staging: how a built-in tool is changed. A branch and a worktree of its own, stages behind the wall, fast forward."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.library.staging._events import (
        RollbackFailed,
        RollbackStarted,
        RolledBack,
        StagingCleaned,
        StagingFailed,
        StagingMerging,
        StagingPromoted,
        StagingProposed,
        StagingTested,
    )
    from mayfly.library.staging._live import take_up, under_watch, watched
    from mayfly.library.staging._repository import Leftover, Repository
    from mayfly.library.staging._stages import StageResult
    from mayfly.library.staging._staging import Report, Staging
    from mayfly.library.staging._target import home_of, homes_of

__all__ = [
    "Leftover",
    "Report",
    "Repository",
    "RollbackFailed",
    "RollbackStarted",
    "RolledBack",
    "StageResult",
    "Staging",
    "StagingCleaned",
    "StagingFailed",
    "StagingMerging",
    "StagingPromoted",
    "StagingProposed",
    "StagingTested",
    "home_of",
    "homes_of",
    "take_up",
    "under_watch",
    "watched",
]

__getattr__ = lazily(
    __name__,
    {
        "_events": (
            "RollbackFailed RollbackStarted RolledBack StagingCleaned StagingFailed StagingMerging StagingPromoted "
            "StagingProposed StagingTested"
        ),
        "_live": "take_up under_watch watched",
        "_repository": "Leftover Repository",
        "_stages": "StageResult",
        "_staging": "Report Staging",
        "_target": "home_of homes_of",
    },
)
